"""What rendering draws on besides its input: the APIs, the Compositions, and what functions may ask the cluster for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crossgate.model import Document, Identity
from crossgate.paths import follow
from crossgate.render.apis import EXTENSIONS_GROUP, Apis
from crossgate.render.native import converted, is_native
from crossgate.render.selection import Compositions
from crossgate.schema.nearest import nearest


@dataclass(frozen=True, slots=True)
class Known:
    """The objects that rendering looks things up in.

    ``required`` holds EnvironmentConfigs and the objects of kinds that a pipeline's steps require, ``functions`` says which function is
    installed under a name that does not tell.
    """

    apis: Apis = field(default_factory=Apis)
    compositions: Compositions = field(default_factory=lambda: Compositions({}))
    required: tuple[dict[str, Any], ...] = ()
    functions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Iterable[Document], functions: Mapping[str, str] | None = None) -> Known:
        """Gather them from ``documents``, of which those that come first are preferred; native Compositions are converted."""
        documents = [document for document in documents if isinstance(document.body, dict)]
        compositions = Compositions.of(converted(document) if is_native(document.body) else document for document in documents)
        return cls(Apis.of(documents), compositions, tuple(_required(documents, compositions)), functions or {})

    def nearest_kind(self, body: Any) -> str:
        """Return a sentence that names the offered kinds nearest to that of ``body``; empty when nothing is offered in its group."""
        identity = Identity.of(body)
        offered = sorted({kind for group, kind in (*self.apis.claims, *self.apis.composites) if group == identity.group})
        near = nearest(identity.kind, offered)
        if near:
            return f"did you mean {near}?"
        if offered:
            return f"{identity.group} offers {', '.join(offered)}"
        groups = sorted(self.apis.groups)
        near = nearest(identity.group, groups)
        return f"did you mean the group {near}?" if near else f"the known groups are {', '.join(groups)}" if groups else ""


def _required(documents: Iterable[Document], compositions: Compositions) -> Iterator[dict[str, Any]]:
    kinds = {(EXTENSIONS_GROUP, "EnvironmentConfig")}
    for composition in compositions.by_name.values():
        pipeline = follow(composition.body, ("spec", "pipeline"))
        for step in pipeline if isinstance(pipeline, list) else ():
            wanted = follow(step, ("requirements", "requiredResources"))
            for selector in wanted if isinstance(wanted, list) else ():
                identity = Identity.of(selector)
                kinds.add((identity.group, identity.kind))
    for document in documents:
        identity = Identity.of(document.body)
        if (identity.group, identity.kind) in kinds:
            yield document.body
