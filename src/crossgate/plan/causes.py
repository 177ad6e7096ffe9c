"""Tell what an author changed from what a Composition, an XRD or an EnvironmentConfig changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from crossgate.load.platform import KINDS
from crossgate.model import Document, Identity, Resource, Role
from crossgate.paths import MISSING, Path, follow
from crossgate.plan.diff import differences
from crossgate.plan.match import resources, template_key
from crossgate.render.estate import Made


def platform_changes(before: Iterable[Document], after: Iterable[Document]) -> Mapping[tuple[str, str, str], str]:
    """Return the platform's documents that differ, by (group, kind, name), each with the words that name it."""
    was, will = ({_document_key(document): document.body for document in documents} for documents in (before, after))
    return {key: f"{key[1]} {key[2]}" for key in dict.fromkeys((*will, *was)) if was.get(key) != will.get(key) and key[1] in KINDS}


class Causes:
    """What of the platform differs, and what of one object's changes follows from it.

    Args:
        platform: the documents that differ, by (group, kind, name), with the words that name them.
        render: renders a document by the platform as it will be.
    """

    def __init__(self, platform: Mapping[tuple[str, str, str], str], render: Callable[[Document], Made | None]) -> None:
        self._platform = platform
        self._render = render

    def of(self, before: Made, after: Made) -> Callable[[Resource | None, Resource | None, Path, Path], tuple[str, ...]]:
        """Return a function that names the causes of a changed field of a resource (paths: the field, and within its text).

        An object that its author did not touch owes all its changes to the platform. Of one that he did touch, the state before is
        rendered by the new platform: what differs then is the platform's doing, too.
        """
        if not self._platform:
            return lambda _before, _after, _path, _inside: ()
        if before.document.body == after.document.body:
            return lambda was, will, _path, _inside: self._names(was, will)
        between = self._render(before.document)
        if between is None:
            return lambda _before, _after, _path, _inside: ()
        through = {id(was): _leaves(was, will) for was, will in _with_heads(before, between) if was is not None}
        made = {_key(will) for was, will in _with_heads(before, between) if was is None and will is not None}

        def causes(was: Resource | None, will: Resource | None, path: Path, inside: Path) -> tuple[str, ...]:
            theirs = (path, inside) in through.get(id(was), ()) if was is not None else _key(will) in made
            return self._names(was, will) if theirs else ()

        return causes

    def _names(self, before: Resource | None, after: Resource | None) -> tuple[str, ...]:
        """Name the changed documents that make a resource: the Compositions and XRDs on its way, the EnvironmentConfigs they read."""
        on_the_way = [link for resource in (before, after) for link in _chain(resource)]
        documents = [document for link in on_the_way for document in (link.composition, link.definition) if document is not None]
        head = next((link for link in on_the_way if link.parent is None), None)
        if head is not None and head.role is Role.DOCUMENT:
            return ()
        keys = dict.fromkeys(_document_key(document) for document in documents)
        reads = any(_reads_environment(document) for document in documents)
        named = [words for key, words in self._platform.items() if key in keys or (reads and key[1] == "EnvironmentConfig")]
        return tuple(named) or tuple(self._platform.values())


def _with_heads(before: Made, after: Made) -> list[tuple[Resource | None, Resource | None]]:
    return [(before.resources[0], after.resources[0]), *resources(before, after)]


def _leaves(before: Resource | None, after: Resource | None) -> set[tuple[Path, Path]]:
    found = set()
    for change in differences(before.body if before else MISSING, after.body if after else MISSING):
        gone = change.after is MISSING
        found.add((change.before_path if gone else change.after_path, change.inside_before if gone else change.inside_after))
    return found


def _key(resource: Resource | None) -> tuple[str, ...]:
    return template_key(resource) if resource is not None else ()


def _chain(resource: Resource | None) -> list[Resource]:
    chain = []
    while resource is not None:
        chain.append(resource)
        resource = resource.parent
    return chain


def _document_key(document: Document) -> tuple[str, str, str]:
    identity = Identity.of(document.body)
    return identity.group, identity.kind, identity.name


def _reads_environment(composition: Document) -> bool:
    pipeline = follow(composition.body, ("spec", "pipeline"))
    steps = [step for step in pipeline if isinstance(step, dict)] if isinstance(pipeline, list) else []
    native = follow(composition.body, ("spec", "environment")) is not MISSING
    return native or any(Identity.of(step.get("input")).group == "environmentconfigs.fn.crossplane.io" for step in steps)
