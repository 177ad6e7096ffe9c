"""Rendering: what Crossplane makes of an XR and a Composition, in process and exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crossgate.render.engine import Compiled, compile_composition
from crossgate.render.rendering import ComposedResource, Rendering
from crossgate.render.state import ENVIRONMENT, ENVIRONMENT_KEY, Function

__all__ = [
    "ENVIRONMENT",
    "ENVIRONMENT_KEY",
    "Compiled",
    "ComposedResource",
    "Function",
    "Rendering",
    "compile_composition",
    "render",
]


def render(
    xr: Mapping[str, Any],
    composition: Mapping[str, Any],
    *,
    observed: Sequence[Mapping[str, Any]] = (),
    required: Sequence[Mapping[str, Any]] = (),
    context: Mapping[str, Any] | None = None,
    functions: Mapping[str, str | Function] | None = None,
    legacy: bool = False,
) -> Rendering:
    """Render an XR through a Composition, as one reconciliation by Crossplane would.

    ``observed`` are composed resources that exist, each with its ``crossplane.io/composition-resource-name``
    annotation; ``required`` are other resources of the cluster (EnvironmentConfigs, connection Secrets);
    ``context`` is the pipeline's context at its start (the environment has the key
    ``apiextensions.crossplane.io/environment``); ``functions`` says which function a ``functionRef`` name
    means where name and input do not. ``legacy`` is for XRs of an XRD with scope LegacyCluster, that is
    v1 with claims: they keep Crossplane's fields directly under ``spec`` and publish connection details
    themselves.

    The arguments are never changed, and the result shares nothing with them. To render many XRs with one
    Composition, compile it once with ``compile_composition``.

    Raises RenderError for a fatal result, UnknownFunctionError for a function that crossgate cannot run.
    """
    return compile_composition(composition, functions).render(xr, observed=observed, required=required, context=context, legacy=legacy)
