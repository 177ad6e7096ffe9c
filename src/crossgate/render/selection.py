"""Which Composition an XR gets, as Crossplane's XR controller chooses it.

Source of the rules: crossplane ``internal/controller/apiextensions/composite/api.go``, in this order: the XRD's enforcedCompositionRef;
the XR's own compositionRef; without a selector the XRD's defaultCompositionRef; else one at random among the Compositions whose labels
match the selector and which are for the XR's type. Then the newest revision of it, or the one that update policy Manual pins.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crossgate.model import CouldNotCheck, Document, Identity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.render import metadata
from crossgate.render.apis import Api, is_extension

COMPOSITION_NAME_LABEL = "crossplane.io/composition-name"


@dataclass(frozen=True, slots=True)
class Selection:
    """The Compositions that an XR may get.

    One candidate is the usual case. With several the cluster draws one at random, with none the XR waits for ever; ``why`` is a
    sentence about that, ``at`` the field of the XR that decided (it may be missing there) and ``hint`` the way out.
    ``could_not_check`` says that the cluster uses a revision that is not among the documents.
    """

    candidates: tuple[Document, ...]
    at: Path
    why: str = ""
    hint: str = ""
    could_not_check: CouldNotCheck | None = None


@dataclass(frozen=True, slots=True)
class Compositions:
    """The known Compositions and revisions by name."""

    by_name: Mapping[str, Document]
    revisions: tuple[Document, ...] = ()
    by_type: Mapping[tuple[str, str], tuple[Document, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Compositions:
        """Gather them; of two with one name the first counts."""
        by_name: dict[str, Document] = {}
        revisions = []
        for document in documents:
            if is_extension(document.body, "Composition"):
                by_name.setdefault(Identity.of(document.body).name, document)
            elif is_extension(document.body, "CompositionRevision"):
                revisions.append(document)
        by_type: dict[tuple[str, str], tuple[Document, ...]] = {}
        for _, document in sorted(by_name.items()):
            by_type[type_of(document)] = (*by_type.get(type_of(document), ()), document)
        return cls(by_name, tuple(revisions), by_type)

    def of_type(self, api_version: str, kind: str) -> tuple[Document, ...]:
        """Return the Compositions that are for one type of XR, by name."""
        return self.by_type.get((api_version, kind), ())


def type_of(composition: Document) -> tuple[str, str]:
    """Return apiVersion and kind of the XRs that a Composition is for (empty where it does not say)."""
    reference = follow(composition.body, ("spec", "compositeTypeRef"))
    found = (follow(reference, ("apiVersion",)), follow(reference, ("kind",)))
    return found[0] if isinstance(found[0], str) else "", found[1] if isinstance(found[1], str) else ""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What an XR asks for: its type as controllers see it, the path of Crossplane's fields in it, and its XRD where there is one."""

    xr: dict[str, Any]
    api: Api | None
    api_version: str
    kind: str
    machinery: Path

    @classmethod
    def of(cls, xr: dict[str, Any], api: Api | None) -> _Wish:
        if api:
            return cls(xr, api, api.api_version, api.kind, api.machinery)
        modern = isinstance(follow(xr, ("spec", "crossplane")), dict)
        identity = Identity.of(xr)
        return cls(xr, None, identity.api_version, identity.kind, ("spec", "crossplane") if modern else ("spec",))

    def at(self, *path: str) -> Path:
        return (*self.machinery, *path)

    def get(self, *path: str) -> Any:
        return follow(self.xr, self.at(*path))

    @property
    def type(self) -> str:
        return f"{self.api_version} {self.kind}"

    @property
    def manual(self) -> bool:
        return bool(self.get("compositionUpdatePolicy") == "Manual")

    @property
    def pinned(self) -> str:
        """The revision that update policy Manual stays with."""
        name = self.get("compositionRevisionRef", "name")
        return name if self.manual and isinstance(name, str) else ""

    @property
    def revision_labels(self) -> Mapping[str, Any] | None:
        """The labels that a revision must have: the XR's, or else the XRD's default."""
        labels = self.get("compositionRevisionSelector", "matchLabels")
        if labels is MISSING and self.api and self.get("compositionRevisionRef") is MISSING:
            return self.api.default_revision_labels
        return labels if isinstance(labels, dict) else None


def select(xr: dict[str, Any], compositions: Compositions, api: Api | None) -> Selection:
    """Choose the Composition for ``xr``, which has its defaults; ``api`` is unknown when there is no XRD."""
    wish = _Wish.of(xr, api)
    reference = wish.get("compositionRef")
    selector = wish.get("compositionSelector")
    if api and api.enforced:
        chosen = _named(api.enforced, "the XRD enforces", wish, compositions)
    elif isinstance(reference, dict):
        name = reference.get("name")
        chosen = _named(name if isinstance(name, str) else "", "compositionRef names", wish, compositions)
    elif api and api.default and not isinstance(selector, dict):
        chosen = _named(api.default, "the XRD's default is", wish, compositions)
    else:
        chosen = _selected(selector, wish, compositions)
    return _revised(chosen, wish, compositions) if chosen.candidates else chosen


def settled(xr: dict[str, Any], composition: Document, api: Api) -> dict[str, Any]:
    """Return ``xr`` as the XR controller leaves it once it has chosen ``composition``: what patches on the cluster read."""
    wish = _Wish.of(xr, api)
    name = Identity.of(composition.body).name
    fields: dict[str, Any] = {"compositionRef": {"name": name}}
    if is_extension(composition.body, "CompositionRevision"):
        of = follow(composition.body, ("metadata", "labels", COMPOSITION_NAME_LABEL))
        fields = {"compositionRef": {"name": of if isinstance(of, str) else name}, "compositionRevisionRef": {"name": name}}
    if wish.revision_labels and wish.get("compositionRevisionSelector") is MISSING:
        fields["compositionRevisionSelector"] = {"matchLabels": dict(wish.revision_labels)}
    if wish.get("compositionUpdatePolicy") is MISSING:
        # spec.crossplane gets its defaults once it is there
        fields["compositionUpdatePolicy"] = api.update_policy
    namespace = follow(composition.body, ("spec", "writeConnectionSecretsToNamespace"))
    if wish.machinery == ("spec",) and isinstance(namespace, str) and wish.get("writeConnectionSecretToRef") is MISSING:
        fields["writeConnectionSecretToRef"] = {"name": metadata.uid(xr), "namespace": namespace}
    return _with(xr, wish.machinery, fields)


def _with(body: dict[str, Any], at: Path, fields: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of ``body`` with more fields at a path of object keys."""
    if not at:
        return {**body, **fields}
    below = body.get(str(at[0]))
    return {**body, str(at[0]): _with(below if isinstance(below, dict) else {}, at[1:], fields)}


def _named(name: str, who: str, wish: _Wish, compositions: Compositions) -> Selection:
    at = wish.at("compositionRef", "name")
    composition = compositions.by_name.get(name)
    if composition is not None and type_of(composition) == (wish.api_version, wish.kind):
        return Selection((composition,), at)
    fitting = [Identity.of(document.body).name for document in compositions.of_type(wish.api_version, wish.kind)]
    if composition is None:
        near = difflib.get_close_matches(name, fitting, 1) or fitting
        return Selection((), at, f"{who} Composition {name!r}, which does not exist", _known(near, wish))
    api_version, kind = type_of(composition)
    why = f"{who} Composition {name!r}, which is for {api_version} {kind}, not for {wish.type}"
    return Selection((), at, why, _known(fitting, wish))


def _selected(selector: Any, wish: _Wish, compositions: Compositions) -> Selection:
    at = wish.at("compositionSelector", "matchLabels")
    labels = follow(selector, ("matchLabels",))
    labels = labels if isinstance(labels, dict) else {}
    fitting = compositions.of_type(wish.api_version, wish.kind)
    candidates = tuple(document for document in fitting if _matches(document.body, labels))
    if len(candidates) == 1:
        return Selection(candidates, at)
    if candidates:
        matching = f"{len(candidates)} Compositions have the labels {_pairs(labels)}" if labels else "nothing selects a Composition"
        why = f"{matching}: the cluster draws one at random of {_names(candidates)}"
        return Selection(candidates, at, why, f"add labels to {format_path(at)} until one is left, or name it in compositionRef")
    if fitting:
        offered = "; ".join(f"{Identity.of(document.body).name} has {_label_text(document)}" for document in fitting)
        return Selection((), at, f"no Composition for {wish.kind} has the labels {_pairs(labels)}", offered)
    return Selection((), at, f"there is no Composition for {wish.type}", _other_versions(wish, compositions))


def _revised(chosen: Selection, wish: _Wish, compositions: Compositions) -> Selection:
    """Follow a pinned revision or a revision selector; without either the Composition itself is the newest revision."""
    if wish.pinned:
        return _pinned(chosen, wish, compositions)
    labels = wish.revision_labels
    if wish.manual or not labels:
        return chosen
    found = tuple(revision for composition in chosen.candidates for revision in _newest(composition, labels, compositions))
    if found:
        return replace(chosen, candidates=found)
    why = f"no revision of Composition {_names(chosen.candidates)} has the labels {_pairs(labels)}"
    at = wish.at("compositionRevisionSelector", "matchLabels")
    return Selection((), at, why, "a revision has the labels that its Composition had: label the Composition so")


def _pinned(chosen: Selection, wish: _Wish, compositions: Compositions) -> Selection:
    at = wish.at("compositionRevisionRef", "name")
    for revision in compositions.revisions:
        if Identity.of(revision.body).name == wish.pinned:
            return Selection((revision,), at)
    unknown = CouldNotCheck(
        f"compositionRevisionRef pins {wish.pinned!r}, which is not among the files; the cluster composes with that revision, "
        "not with the Composition as it stands",
        str(Identity.of(wish.xr)),
        f"export it into the project (kubectl get compositionrevision {wish.pinned} -o yaml), or use update policy Automatic",
    )
    return replace(chosen, could_not_check=unknown)


def _newest(composition: Document, labels: Mapping[str, Any], compositions: Compositions) -> list[Document]:
    """Return the newest revision of ``composition`` with these labels: itself, or else the exported one with the highest number."""
    name = Identity.of(composition.body).name
    if _matches(composition.body, labels, {COMPOSITION_NAME_LABEL: name}):
        return [composition]
    numbered = []
    for revision in compositions.revisions:
        number = follow(revision.body, ("spec", "revision"))
        if isinstance(number, int) and _matches(revision.body, {**labels, COMPOSITION_NAME_LABEL: name}):
            numbered.append((number, revision))
    return [max(numbered, key=lambda pair: pair[0])[1]] if numbered else []


def _matches(body: Any, wanted: Mapping[str, Any], extra: Mapping[str, str] | None = None) -> bool:
    labels = follow(body, ("metadata", "labels"))
    labels = {**(labels if isinstance(labels, dict) else {}), **(extra or {})}
    return all(key in labels and labels[key] == value for key, value in wanted.items())


def _names(documents: Iterable[Document]) -> str:
    return ", ".join(Identity.of(document.body).name for document in documents)


def _pairs(labels: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))


def _label_text(document: Document) -> str:
    labels = follow(document.body, ("metadata", "labels"))
    return _pairs(labels) if isinstance(labels, dict) and labels else "no labels"


def _known(names: Sequence[str], wish: _Wish) -> str:
    return f"for {wish.kind} there is {', '.join(names)}" if names else f"there is no Composition for {wish.type}"


def _other_versions(wish: _Wish, compositions: Compositions) -> str:
    """Say which Compositions are for the same kind in another version: only the referenceable version counts."""
    group = wish.api_version.rpartition("/")[0]
    other = [
        f"{name} is for {version}"
        for name, document in sorted(compositions.by_name.items())
        for version, kind in (type_of(document),)
        if kind == wish.kind and version.rpartition("/")[0] == group
    ]
    if other:
        return f"{'; '.join(other)}: compositeTypeRef must name the XRD's referenceable version"
    return f"write a Composition whose compositeTypeRef is {wish.type}"
