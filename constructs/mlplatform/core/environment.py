"""What differs between installations (project, cluster, issuer), typed: it stands in EnvironmentConfigs and patches read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .manifest import Folder, Manifest
from .model import Model, structural
from .refs import Ref, Source, Target

ModelT = TypeVar("ModelT", bound=Model)


@dataclass(frozen=True)
class Environment(Generic[ModelT]):
    """The configuration of one cloud: ``name`` of the EnvironmentConfig, and the fields that it holds under the key ``key``."""

    name: str
    key: str
    model: type[ModelT]

    @property
    def fields(self) -> Ref:
        """Return a reference to the fields."""
        return Ref(Target(Source.ENVIRONMENT, f"EnvironmentConfig {self.name}", (self.key,), structural(self.model)))

    def config(self, folder: Folder, values: ModelT) -> Manifest:
        """Write the EnvironmentConfig of an installation."""
        body = {
            "apiVersion": "apiextensions.crossplane.io/v1beta1",
            "kind": "EnvironmentConfig",
            "metadata": {"name": self.name},
            "data": {self.key: values.manifest()},
        }
        return Manifest(folder, f"environment-{self.name}", body, file=f"{self.name}.yaml")

    def step(self) -> dict[str, Any]:
        """Return the pipeline step that reads it; without it nothing is made, for a wrong name would be worse than none."""
        return {
            "step": "environment",
            "functionRef": {"name": "function-environment-configs"},
            "input": {
                "apiVersion": "environmentconfigs.fn.crossplane.io/v1beta1",
                "kind": "Input",
                "spec": {"environmentConfigs": [{"type": "Reference", "ref": {"name": self.name}}]},
            },
        }


def kept(key: str, model: type[Model]) -> Ref:
    """Return a reference to a place in the environment that patches of one Composition fill and read."""
    return Ref(Target(Source.ENVIRONMENT, f"environment {key}", (key,), structural(model)))
