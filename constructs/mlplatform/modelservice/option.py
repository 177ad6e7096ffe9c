"""Parts that a claim may ask for: a cache, a rate limit, keys of callers, a copy, a disruption budget.

A patch has no condition, and function-patch-and-transform makes every template. A patch with the policy Required holds its resource back
while the field is missing, but then the function reports the composite resource as not ready, for ever when the claim never asks; and
it does not take the resource away again when the field goes, for then the resource exists (fn.go of the function, ``skip``). A paused or
observed resource would stand there broken and would not be deleted either.

So an option is a nested composite resource, an XModelServiceOption, that is always there, and the *Composition that it refers to* says
what it is made of. The base refers to ``NOTHING``, a Composition without resources, whose composite is ready at once. A patch on the
field that asks for the option replaces that reference, if the field is there. When a claim gains the section, Crossplane renders the
option anew through the other Composition (it follows ``compositionRef`` at every reconcile); when a claim loses it, what is no longer
desired is deleted. Nothing is withheld, so a service without options becomes ready.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mlplatform.core import Api, Composition, Folder, Model, Ref, Template

from .spec import MAX_CALLERS, CallerName, ModelServiceCache

COMPOSITION = "spec.compositionRef.name"
"""Field of an option that says what it is made of."""

NOTHING = "modelservice-nothing.platform.acme.com"


class ModelServiceOptionSpec(Model):
    """What an option needs to know of its service; which fields there are depends on the option."""

    callers: Annotated[list[CallerName], Field(max_length=MAX_CALLERS)] | None = None
    """Teams that get a key."""
    requests_per_minute: int | None = None
    """Requests of one caller in a minute."""
    artifact_source: str | None = None
    """Where the model is copied from."""
    model_data_path: str | None = None
    """Key that it is copied to."""
    cache: ModelServiceCache | None = None
    secret_store: str | None = None
    """ClusterSecretStore that keys come from."""


class ModelServiceOptionStatus(Model):
    """What there is of the option."""

    message: str | None = None
    """How far it is, in plain words."""
    role_arn: str | None = None
    """Role that a copy acts as."""
    copied_at: str | None = None
    """Time at which the model had been copied."""
    address: str | None = None
    """Host of the cache."""


MODEL_SERVICE_OPTION = Api(
    group="platform.acme.com",
    kind="XModelServiceOption",
    claim_kind="",
    spec_model=ModelServiceOptionSpec,
    status_model=ModelServiceOptionStatus,
    categories=("ml",),
    columns=lambda api: {"Message": api.status.message},
    default_composition=NOTHING,
)


def option(composition: Composition, name: str, message: Ref) -> Template:
    """Add an option that is nothing until a patch on ``COMPOSITION`` says otherwise; what it tells goes to ``message``."""
    template = composition.add(
        name,
        {
            "apiVersion": MODEL_SERVICE_OPTION.api_version,
            "kind": MODEL_SERVICE_OPTION.kind,
            "spec": {"compositionRef": {"name": NOTHING}},
        },
    ).named(f"%s-%s-{name}")
    return template.report("status.message", message)


def option_composition(folder: Folder, name: str, *, provider: str = "kubernetes", **more: object) -> Composition:
    """Add a Composition that an option can refer to."""
    claim = MODEL_SERVICE_OPTION.metadata.labels["crossplane.io/claim-name"]
    return Composition(folder, name, MODEL_SERVICE_OPTION, provider=provider, named_by=claim, **more)  # type: ignore[arg-type]


def nothing(folder: Folder) -> Composition:
    """Make nothing: the option was not asked for."""
    return option_composition(folder, NOTHING)
