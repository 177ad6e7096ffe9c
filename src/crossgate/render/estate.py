"""The estate: everything that is judged together, from the files down to what Crossplane would make of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from crossgate.model import CouldNotCheck, Document, Finding, Judgement, Resource, Severity
from crossgate.render.clashes import clashes, remote_clusters
from crossgate.render.descent import Descent
from crossgate.render.known import Known
from crossgate.render.native import is_native
from crossgate.render.wrapped import with_value_trees
from crossgate.schema import Schemas
from crossgate.trace import finding_in


@dataclass(frozen=True, slots=True)
class Estate:
    """The resources in the order of their files, each author's object before what it makes; and what rendering has to say."""

    resources: tuple[Resource, ...] = ()
    judgement: Judgement = field(default_factory=Judgement)


@dataclass(frozen=True, slots=True)
class Made:
    """One author's object with everything that it makes (itself first), and what rendering it has to say."""

    document: Document
    resources: tuple[Resource, ...]
    findings: tuple[Finding, ...]
    could_not_check: tuple[CouldNotCheck, ...]


def expand_each(documents: Iterable[Document], known: Known, schemas: Schemas) -> Iterator[Made]:
    """Render each claim and XR among ``documents`` down to what reaches a cloud or a cluster.

    Args:
        documents: what is rendered. Those that are no objects are left out: the stages before and after speak about them.
        known: the XRDs, Compositions and EnvironmentConfigs to render by.
        schemas: know the kinds; the defaults of claims and XRs come from them.
    """
    return expand_by(Descent(known, schemas), documents)


def expand_by(descent: Descent, documents: Iterable[Document]) -> Iterator[Made]:
    """Render as ``expand_each`` does, with what ``descent`` has compiled already."""
    for document in documents:
        if not isinstance(document.body, dict):
            continue
        judged = with_value_trees(document)
        descent.author(judged)
        if is_native(document.body):
            descent.findings.append(_native(judged))
        yield Made(judged, *descent.taken())


def expand(
    documents: Iterable[Document],
    schemas: Schemas,
    *,
    platform: Iterable[Document] = (),
    functions: Mapping[str, str] | None = None,
) -> Estate:
    """Render ``documents`` together, and see whether what they make gets in each other's way.

    Args:
        documents: what is judged.
        schemas: know the kinds.
        platform: more documents to find XRDs, Compositions and EnvironmentConfigs in; ``documents`` come first, and these are not judged.
        functions: the function behind a ``functionRef`` name that does not tell.

    Returns:
        The estate. A fault of an author is a finding in its judgement, what could not be rendered is there too.
    """
    judged = [document for document in documents if isinstance(document.body, dict)]
    made = list(expand_each(judged, Known.of((*judged, *platform), functions), schemas))
    resources = tuple(resource for each in made for resource in each.resources)
    findings = tuple(finding for each in made for finding in each.findings)
    could_not_check = tuple(dict.fromkeys(item for each in made for item in each.could_not_check))
    return Estate(resources, Judgement((*findings, *clashes(resources, remote_clusters(resources))), could_not_check))


def _native(document: Document) -> Finding:
    return finding_in(
        document,
        ("spec", "resources"),
        rule="crossplane/native-patch-mode",
        reason="NATIVE_PATCH_MODE",
        severity=Severity.ERROR,
        message="native patch-and-transform (spec.resources) is gone from Crossplane 2; this was rendered as its Pipeline form",
        remediation=f"crossgate convert {document.file}",
    )
