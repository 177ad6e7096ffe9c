"""Every error that crossgate raises on purpose.

    CrossgateError            what went wrong, where, and the way out
    ├── UsageError            a command line or configuration that cannot be followed (exit 2)
    ├── LoadError             a manifest that cannot be read
    ├── RenderError           a claim or XR that cannot be rendered
    │   ├── UnknownFunctionError   a pipeline step whose function crossgate cannot run
    │   └── TooLargeError          a rendering that outgrows what an object can hold
    ├── SchemaError           a schema that cannot be read or used
    ├── PolicyError           a policy that cannot be loaded or evaluated
    └── SynthError            an app that cannot be synthesized

A fault in somebody's manifests is a Finding; these errors say that checking itself stopped. At the
edge of each stage they become a ``CouldNotCheck`` (exit 3) or, on the command line, three short lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crossgate.model import Document
    from crossgate.paths import Path


class CrossgateError(Exception):
    """A fault that stops the work at hand.

    ``what`` is one sentence, ``where`` names the place (``file:line:column``, a field path, a claim),
    ``hint`` says how to get out of it. ``where`` and ``hint`` may be empty.
    """

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(line for line in (self.what, self.where and f"  at {self.where}", self.hint and f"  {self.hint}") if line)


class UsageError(CrossgateError):
    """The command line or the configuration cannot be followed."""


class LoadError(CrossgateError):
    """A manifest cannot be read as the API server would read it. ``documents`` are those before the fault."""

    def __init__(self, what: str, where: str = "", hint: str = "", *, documents: Sequence[Document] = ()) -> None:
        super().__init__(what, where, hint)
        self.documents = tuple(documents)


class RenderError(CrossgateError):
    """A claim or XR cannot be rendered through its Composition. ``path`` is the place at fault in the Composition's document."""

    def __init__(self, what: str, where: str = "", hint: str = "", *, path: Path = ()) -> None:
        super().__init__(what, where, hint)
        self.path = path


class UnknownFunctionError(RenderError):
    """A pipeline step names a function that crossgate cannot run: "could not check", never a pass."""


class TooLargeError(RenderError):
    """A rendering outgrows by far what an object of a cluster can hold: "could not check", before memory runs out."""


class SchemaError(CrossgateError):
    """A schema cannot be read or used."""


class PolicyError(CrossgateError):
    """A policy cannot be loaded or evaluated."""


class SynthError(CrossgateError):
    """The cdk8s app cannot be synthesized."""
