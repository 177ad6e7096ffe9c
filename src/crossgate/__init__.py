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


def __getattr__(name: str) -> Any:
    """Import a stage when it is first used, so that each command only pays for what it runs."""
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - the whole point is to import late

        value = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
