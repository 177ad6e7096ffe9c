"""One API: its names, its fields and what ``kubectl get`` shows. The XRD comes from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Generic, TypeVar

from crossgate.model import Place
from crossgate.paths import Path, format_path

from .model import Model, Rule, places, structural, validations
from .origin import caller
from .refs import Ref, Source, Target, target

SpecT = TypeVar("SpecT", bound=Model)

_METADATA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "namespace": {"type": "string"},
        "uid": {"type": "string"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
"""The part of an object's metadata that Compositions read."""


@dataclass(frozen=True)
class Api(Generic[SpecT]):
    """A platform API: a composite kind that a team claims.

    ``spec_model`` and ``status_model`` are its fields. ``columns`` gives the columns of ``kubectl get``: title to field.
    ``connection_keys`` are the keys of the secret that a claim may ask for. ``stateful`` APIs hold data: Argo CD asks before it
    prunes or deletes such a claim. ``default_composition`` is chosen when a claim selects none. ``rules`` are CEL rules over the whole
    object: they may read ``self.kind`` and ``self.metadata.name``. An API without ``claim_kind`` is not for teams: other Compositions
    make it. ``runbook`` says, in the documentation, what to do about what one sees when a claim does not become ready.
    """

    group: str
    kind: str
    claim_kind: str
    spec_model: type[SpecT]
    status_model: type[Model]
    version: str = "v1alpha1"
    plural: str = ""
    claim_plural: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ("platform",)
    connection_keys: tuple[str, ...] = ()
    columns: Callable[[Api[SpecT]], Mapping[str, Ref]] = lambda _api: {}
    default_composition: str = ""
    rules: tuple[Rule, ...] = ()
    stateful: bool = False
    runbook: Mapping[str, str] = field(default_factory=dict)
    place: Place = field(default_factory=caller)

    @property
    def spec(self) -> Ref:
        """Return a reference to the composite resource's spec."""
        return self._ref("spec", structural(self.spec_model))

    @property
    def status(self) -> Ref:
        """Return a reference to the composite resource's status."""
        return self._ref("status", structural(self.status_model))

    @property
    def metadata(self) -> Ref:
        """Return a reference to the composite resource's metadata (labels come from the claim)."""
        return self._ref("metadata", _METADATA)

    def _ref(self, part: str, schema: dict[str, Any]) -> Ref:
        return Ref(Target(Source.COMPOSITE, self.kind, (part,), schema))

    @property
    def api_version(self) -> str:
        """Return group and version."""
        return f"{self.group}/{self.version}"

    @property
    def names(self) -> dict[str, Any]:
        """Return the names of the composite kind."""
        return {"kind": self.kind, "plural": self.plural or f"{self.kind.lower()}s", "categories": list(self.categories)}

    @property
    def claim_names(self) -> dict[str, Any]:
        """Return the names of the claim kind; the short names are the claim's, for that is what people type."""
        names = {"kind": self.claim_kind, "plural": self.claim_plural or f"{self.claim_kind.lower()}s", "categories": list(self.categories)}
        return {**names, **({"shortNames": list(self.short_names)} if self.short_names else {})}

    def definition(self) -> dict[str, Any]:
        """Return the XRD."""
        columns = [
            {"name": title, "type": at.schema["type"], "jsonPath": f".{format_path(at.path)}"}
            for title, at in ((title, target(ref)) for title, ref in self.columns(self).items())
        ]
        default = {"defaultCompositionRef": {"name": self.default_composition}} if self.default_composition else {}
        keys = {"connectionSecretKeys": list(self.connection_keys)} if self.connection_keys else {}
        return {
            "apiVersion": "apiextensions.crossplane.io/v1",
            "kind": "CompositeResourceDefinition",
            "metadata": {"name": f"{self.names['plural']}.{self.group}"},
            "spec": {
                "group": self.group,
                "names": self.names,
                **({"claimNames": self.claim_names} if self.claim_kind else {}),
                **default,
                **keys,
                "versions": [
                    {
                        "name": self.version,
                        "served": True,
                        "referenceable": True,
                        **({"additionalPrinterColumns": columns} if columns else {}),
                        "schema": {"openAPIV3Schema": self.schema()},
                    }
                ],
            },
        }

    def schema(self) -> dict[str, Any]:
        """Return the openAPIV3Schema of the XRD."""
        return {
            "type": "object",
            "required": ["spec"],
            "properties": {"spec": structural(self.spec_model), "status": structural(self.status_model)},
            **({"x-kubernetes-validations": validations(self.rules)} if self.rules else {}),
        }

    def sources(self) -> dict[Path, Place]:
        """Return where each field of the XRD's schema was written in Python, by its path in the XRD."""
        root = str(FilePath.cwd())
        at: Path = ("spec", "versions", 0, "schema", "openAPIV3Schema", "properties")
        found: dict[Path, Place] = {(): self.place}
        for part, model in (("spec", self.spec_model), ("status", self.status_model)):
            found |= {(*at, part, *path): place for path, place in places(model, root).items()}
        return found
