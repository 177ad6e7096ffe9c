"""What the steps of a pipeline read and write: the request and the response of a function, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crossgate.model import Flow
from crossgate.paths import Path

ENVIRONMENT_KEY = "apiextensions.crossplane.io/environment"
"""The key of the environment in a pipeline's context."""

ENVIRONMENT = "(environment)"
"""First step of a Flow's source that stands in the environment and not in the XR."""


@dataclass(slots=True)
class Observed:
    """A composed resource that exists, in wire form, with its connection details."""

    body: dict[str, Any]
    connection: dict[str, bytes]


@dataclass(slots=True)
class Desired:
    """A composed resource that the pipeline wants, in object form, and where it comes from.

    ``ready`` is None as long as no function has an opinion. ``base`` is the path of the template's base
    in the Composition's document.
    """

    body: dict[str, Any]
    ready: bool | None = None
    step: str = ""
    base: Path = ()
    flows: list[Flow] = field(default_factory=list)


@dataclass(slots=True)
class State:
    """One run of a pipeline.

    ``xr`` is the XR as observed (wire form), ``wanted`` the XR that the functions want (only its status
    counts), ``context`` the pipeline's context; in the last two numbers may be in either form. ``observed`` and
    ``desired`` go by template name. ``required`` are the other resources of the cluster. ``large`` has an
    entry when a number beyond 53 bits is about.
    """

    xr: dict[str, Any]
    observed: dict[str, Observed]
    context: dict[str, Any]
    required: Sequence[Mapping[str, Any]]
    large: list[bool]
    desired: dict[str, Desired] = field(default_factory=dict)
    wanted: dict[str, Any] = field(default_factory=dict)
    connection: dict[str, bytes] = field(default_factory=dict)
    xr_ready: bool | None = None
    warnings: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


Step = Callable[[State], None]
"""A compiled step. It changes the state, or raises ``Fault`` for a fatal result."""

Function = Callable[[Any, str, Path], Step]
"""Compiles a step from its input (object form), its name and the input's path in the Composition's document.

Raises ``InputFault`` for an input that the function refuses.
"""
