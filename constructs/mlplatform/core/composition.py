"""A Composition in Pipeline mode: environment, patch-and-transform, readiness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossgate.errors import SynthError
from crossgate.model import Place
from crossgate.paths import Path, format_path

from . import transforms
from .api import Api
from .environment import Environment
from .manifest import Folder, Manifest
from .origin import caller
from .patch import Patch, Transforms, combine, copy, report
from .refs import Ref, Source, Target, target
from .template import Template

SECRETS_NAMESPACE = "crossplane-system"
"""Where the connection secrets of cluster-scoped resources are kept."""

_IDENTITY = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "hash": {"type": "string"}},
}


class Composition(Manifest):
    """One way to make an API's resources.

    ``provider`` (gcp, aws, azure, …) is a label that claims select by, with ``labels``. ``environment`` is the configuration that patches
    may read. ``named_by`` is the field that names of resources begin with.

    Names: ``identity`` is made of the claim's namespace and name, so that two claims never share a name, not even one that is global in
    a cloud; see ``Template.named``.
    """

    def __init__(
        self,
        scope: Folder,
        name: str,
        api: Api[Any],
        *,
        provider: str,
        named_by: Ref,
        labels: Mapping[str, str] | None = None,
        environment: Environment[Any] | None = None,
    ) -> None:
        body = {
            "apiVersion": "apiextensions.crossplane.io/v1",
            "kind": "Composition",
            "metadata": {"name": name, "labels": {"provider": provider, **(labels or {})}},
        }
        super().__init__(scope, name, body, file=f"{name}.yaml", sources={(): caller()})
        self.api = api
        self.provider = provider
        self.environment = environment
        self.templates: list[Template] = []
        self.environment_patches: list[Patch] = []
        self.identity = Ref(Target(Source.ENVIRONMENT, "identity", ("identity",), _IDENTITY))
        self._identify(named_by)

    def _identify(self, named_by: Ref) -> None:
        short = [transforms.change("ToSha256"), transforms.regexp("^.{8}")]
        labels = self.api.metadata.labels
        claim = [labels["crossplane.io/claim-namespace"], labels["crossplane.io/claim-name"]]
        # an XR that nobody claimed has no claim labels: its own name stands in, and the next patch does nothing
        self.into_environment(self.api.metadata.name, self.identity.hash, *short)
        self.environment_patches.append(combine("%s/%s", claim, "identity.hash", short))
        self.into_environment(named_by, self.identity.name)

    def into_environment(self, source: Ref, to: Ref, *steps: Transforms) -> None:
        """Keep a value of the composite resource in the environment, for combinations with values from there."""
        self.environment_patches.append(copy(source, target(to).path, steps))

    def tell(self, source: Ref, to: Ref) -> None:
        """Write a value of the environment into the composite resource's status."""
        self.environment_patches.append(report(format_path(target(source).path), to))

    def add(self, name: str, base: Mapping[str, Any]) -> Template:
        """Add a resource; ``name`` is unique within the Composition."""
        if any(template.name == name for template in self.templates):
            raise SynthError(f"Composition {self.name} has two templates named {name!r}", str(caller()), "give each its own name")
        template = Template(self, name, dict(base), caller())
        self.templates.append(template)
        return template

    def content(self) -> Mapping[str, Any]:
        """Return the Composition with its pipeline."""
        return {
            **self.body,
            "spec": {
                "compositeTypeRef": {"apiVersion": self.api.api_version, "kind": self.api.kind},
                "mode": "Pipeline",
                **({"writeConnectionSecretsToNamespace": SECRETS_NAMESPACE} if self.api.connection_keys else {}),
                "pipeline": self._pipeline(),
            },
        }

    def _pipeline(self) -> list[dict[str, Any]]:
        steps = [self.environment.step()] if self.environment else []
        resources = len(steps)
        patches: Path = ("spec", "pipeline", resources, "input", "environment", "patches")
        self.sources |= {(*patches, index): patch.place for index, patch in enumerate(self.environment_patches)}
        for index, template in enumerate(self.templates):
            self._record(("spec", "pipeline", resources, "input", "resources", index), template)
        steps.append(
            {
                "step": "resources",
                "functionRef": {"name": "function-patch-and-transform"},
                "input": {
                    "apiVersion": "pt.fn.crossplane.io/v1beta1",
                    "kind": "Resources",
                    "environment": {"patches": [patch.body for patch in self.environment_patches]},
                    "resources": [template.body() for template in self.templates],
                },
            }
        )
        steps.append({"step": "ready", "functionRef": {"name": "function-auto-ready"}})
        return steps

    def _record(self, at: Path, template: Template) -> None:
        places: dict[Path, Place] = {at: template.place}
        places |= {(*at, "patches", index): patch.place for index, patch in enumerate(template.patches)}
        places |= {(*at, "connectionDetails", index): place for index, (_, place) in enumerate(template.connections)}
        self.sources |= places
