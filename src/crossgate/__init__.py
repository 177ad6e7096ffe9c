"""GitOps manifest generator and policy gate for platforms built on Crossplane and Argo CD.

crossgate reads manifests as the API server reads them, renders every claim through its Composition as
Crossplane does, validates what comes out against the providers' schemas and judges it with Rego. All of it
runs in this process: no Docker, no cluster, no network.

    import crossgate

    # Read manifests: YAML as the cluster reads it, every document with its line.
    claim, = crossgate.load_text(open("claim.yaml").read(), name="claim.yaml")

    # Render an XR through a Composition.
    rendering = crossgate.render(xr, composition)
    rendering.composed      # list of composed resources, as dicts
    rendering.xr            # the XR with its status

    # Validate a resource against CRDs, XRDs and compact schemas.
    schemas = crossgate.Schemas.load(["schemas"])
    schemas.validate(rendering.composed[0])     # list of Problems: .path .kind .message

    # The whole gate, as `crossgate check` runs it.
    report = crossgate.check(["dist"])
    report.findings, report.could_not_check, report.exit_code

Errors that stop the work are ``CrossgateError`` (``LoadError``, ``RenderError``, …), with ``what``, ``where``
and ``hint``; faults in manifests are ``Finding`` values in the report.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from crossgate.errors import (
    CrossgateError,
    LoadError,
    PolicyError,
    RenderError,
    SchemaError,
    SynthError,
    UnknownFunctionError,
    UsageError,
)
from crossgate.model import CouldNotCheck, Document, Finding, Identity, Place, Report, Severity

if TYPE_CHECKING:
    from crossgate.check import check
    from crossgate.config import Config
    from crossgate.load import load_text
    from crossgate.render import Rendering, render
    from crossgate.schema import Problem, Schemas

__version__ = "0.1.0"

__all__ = [
    "Config",
    "CouldNotCheck",
    "CrossgateError",
    "Document",
    "Finding",
    "Identity",
    "LoadError",
    "Place",
    "PolicyError",
    "Problem",
    "RenderError",
    "Rendering",
    "Report",
    "SchemaError",
    "Schemas",
    "Severity",
    "SynthError",
    "UnknownFunctionError",
    "UsageError",
    "check",
    "load_text",
    "render",
]

_LAZY = {
    "Config": "crossgate.config",
    "Problem": "crossgate.schema",
    "Rendering": "crossgate.render",
    "Schemas": "crossgate.schema",
    "check": "crossgate.check",
    "load_text": "crossgate.load",
    "render": "crossgate.render",
}


class _Package(ModuleType):
    """The package, with functions named ``check`` and ``render`` beside modules of the same names.

    The import system binds a submodule as an attribute of its package once it is imported; for a promised name
    that would replace the function by its module. Modules are still found by ``from crossgate.render import …``.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _LAZY or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """Import a stage when it is first used, so that each command only pays for what it runs."""
        if name not in _LAZY:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_LAZY[name]), name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted(__all__)


sys.modules[__name__].__class__ = _Package
