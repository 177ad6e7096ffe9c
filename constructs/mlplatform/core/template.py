"""One resource of a Composition: its base, the patches on it, and what it reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crossgate.errors import SynthError
from crossgate.model import Place
from crossgate.render.fieldpath import parse

from . import transforms
from .origin import caller
from .patch import Patch, Transforms, combine, copy, report
from .refs import Ref

if TYPE_CHECKING:
    from .composition import Composition


class Template:
    """A resource that the Composition makes. Methods return the template, so that calls can be chained.

    Paths of the resource itself are text (``spec.forProvider.autoscaling.minNodeCount``); synth checks each against the schema of the
    resource's kind.
    """

    def __init__(self, composition: Composition, name: str, base: dict[str, Any], place: Place) -> None:
        self.composition = composition
        self.name = name
        self.base = base
        self.place = place
        self.patches: list[Patch] = []
        self.connections: list[tuple[dict[str, Any], Place]] = []
        self.readiness: list[dict[str, Any]] = []

    def put(self, value: Ref | int | float | str | bool, to: str) -> Template:
        """Write what the platform fixes into the base, or patch what the claim chooses."""
        if isinstance(value, Ref):
            return self.patch(value, to)
        *above, last = parse(to)
        at: Any = self.base
        for step in above:
            at = at[step] if isinstance(step, int) else at.setdefault(step, {})
        if not isinstance(at, dict):
            raise SynthError(f"{to} is not a field of an object", str(caller()), "write lists into the base")
        at[last] = value
        return self

    def patch(self, source: Ref, to: str, *steps: Transforms, required: bool = False, merge: str = "") -> Template:
        """Copy a field of the composite resource or the environment to ``to``, through transforms."""
        self.patches.append(copy(source, to, steps, required=required, merge=merge))
        return self

    def combine(
        self, format_: str, sources: Sequence[Ref], to: str, *steps: Transforms, required: bool = False, merge: str = ""
    ) -> Template:
        """Write several fields into a Go format (``"%s-%d"``) and the result to ``to``."""
        self.patches.append(combine(format_, sources, to, steps, required=required, merge=merge))
        return self

    def named(self, format_: str = "%s-%s", to: str = "metadata.name") -> Template:
        """Name the resource: the first ``%s`` is the claim's own word, the second what makes it unique among all claims."""
        identity = self.composition.identity
        return self.combine(format_, [identity.name, identity.hash], to)

    def report(self, field: str, to: Ref, *steps: Transforms) -> Template:
        """Copy a field of the resource, once it exists, into the composite resource's status."""
        self.patches.append(report(field, to, steps))
        return self

    def say(self, to: Ref, *, waiting: str, done: str, when: str = "status.atProvider.id") -> Template:
        """Tell in plain words how far the resource is: ``waiting`` once it was asked for, ``done`` once the field ``when`` is there."""
        self.report("metadata.name", to, transforms.always(waiting))
        return self.report(when, to, transforms.always(done))

    def connection(self, name: str, *, key: str = "", field: str = "", value: str = "") -> Template:
        """Publish a connection detail: a key of the resource's own secret, one of its fields, or a fixed value."""
        if key:
            detail = {"name": name, "type": "FromConnectionSecretKey", "fromConnectionSecretKey": key}
        elif field:
            detail = {"name": name, "type": "FromFieldPath", "fromFieldPath": field}
        else:
            detail = {"name": name, "type": "FromValue", "value": value}
        self.connections.append((detail, caller()))
        return self

    def ready_when(self, *checks: dict[str, Any]) -> Template:
        """Replace the default readiness check (condition Ready is True)."""
        self.readiness += checks
        return self

    def body(self) -> dict[str, Any]:
        """Return the template as it stands in the Composition."""
        body: dict[str, Any] = {"name": self.name, "base": self.base}
        if self.patches:
            body["patches"] = [patch.body for patch in self.patches]
        if self.connections:
            body["connectionDetails"] = [detail for detail, _ in self.connections]
        if self.readiness:
            body["readinessChecks"] = self.readiness
        return body
