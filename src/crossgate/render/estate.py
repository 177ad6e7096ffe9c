"""The estate: everything that is judged together, from the files down to what Crossplane would make of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from crossgate.model import Document, Judgement, Resource, Severity
from crossgate.render.clashes import clashes
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


def expand(documents: Iterable[Document], schemas: Schemas, *, platform: Iterable[Document] = ()) -> Estate:
    """Render every claim and XR among ``documents`` down to what reaches a cloud or a cluster.

    Args:
        documents: what is judged. Those that are no objects are left out: the stages before and after speak about them.
        schemas: know the kinds; the defaults of claims and XRs come from them.
        platform: more documents to find XRDs, Compositions and EnvironmentConfigs in; ``documents`` come first, and these are not judged.

    Returns:
        The estate. A fault of an author is a finding in its judgement, what could not be rendered is there too.
    """
    judged = [with_value_trees(document) for document in documents if isinstance(document.body, dict)]
    descent = Descent(Known.of((*judged, *platform)), schemas)
    for document in judged:
        descent.author(document)
        if is_native(document.body):
            descent.findings.append(
                finding_in(
                    document,
                    ("spec", "resources"),
                    rule="crossplane/native-patch-mode",
                    reason="NATIVE_PATCH_MODE",
                    severity=Severity.ERROR,
                    message="native patch-and-transform (spec.resources) is gone from Crossplane 2; this was rendered as its Pipeline form",
                    remediation=f"crossgate convert {document.file}",
                )
            )
    could_not_check = tuple(dict.fromkeys(descent.could_not_check))
    return Estate(tuple(descent.resources), Judgement((*descent.findings, *clashes(descent.resources)), could_not_check))
