"""MLPlatform: a place for trainings, the same on each cloud: a cluster, GPU nodes, and a bucket that keeps what they make.

One claim works on each; only ``compositionSelector.matchLabels.provider`` says on which.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mlplatform import gpuplatform
from mlplatform.blocks.nodepool import Size
from mlplatform.core import Api, Composition, Environment, Folder, Model, Rule
from mlplatform.environments import AWS, AZURE, GCP
from mlplatform.gpuplatform import CONNECTION_KEYS, RUNBOOK, GpuPlatformStatus, GpuType


class MLPlatformParameters(Model):
    """What a team chooses."""

    rules = (
        Rule("self.name == oldSelf.name", "name cannot be changed: the platform would be made anew, without what runs on it"),
        Rule(
            "has(self.region) == has(oldSelf.region) && (!has(self.region) || self.region == oldSelf.region)",
            "region cannot be changed: the platform would be made anew, without what runs on it",
        ),
    )

    name: Annotated[str, Field(min_length=1, max_length=30, pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the platform; what it makes in the cloud begins with it."""
    gpu_type: GpuType = "v100"
    """GPU of each node: t4 for inference and small trainings, v100 and a100 for larger ones."""
    region: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=40)] | None = None
    """Region of any of the clouds: on another cloud it stands for the nearest one. Without it, the region of the installation."""


class MLPlatformSpec(Model):
    """A place for trainings, the same on each cloud: a cluster, GPU nodes, and a bucket that keeps what they make."""

    parameters: MLPlatformParameters


ML_PLATFORM = Api(
    group="ml.hinterbuild.com",
    kind="MLPlatform",
    claim_kind="MLPlatformClaim",
    spec_model=MLPlatformSpec,
    status_model=GpuPlatformStatus,
    short_names=("mlp",),
    categories=("platform", "ml"),
    connection_keys=CONNECTION_KEYS,
    columns=lambda api: {
        "GPU": api.spec.parameters.gpu_type,
        "Region": api.status.region,
        "Endpoint": api.status.endpoint,
        "Bucket": api.status.bucket_url,
    },
    default_composition="ml-platform-gcp",
    stateful=True,
    runbook=RUNBOOK,
)


def ml_platform_gcp(folder: Folder) -> Composition:
    """Make it on Google Cloud; see ``gpuplatform.gcp``."""
    composition = _composition(folder, "gcp", GCP)
    gpuplatform.gcp(composition, WANTED)
    return composition


def ml_platform_aws(folder: Folder) -> Composition:
    """Make it on AWS; see ``gpuplatform.aws``."""
    composition = _composition(folder, "aws", AWS)
    gpuplatform.aws(composition, WANTED)
    return composition


def ml_platform_azure(folder: Folder) -> Composition:
    """Make it on Azure; see ``gpuplatform.azure``."""
    composition = _composition(folder, "azure", AZURE)
    gpuplatform.azure(composition, WANTED)
    return composition


_PARAMETERS = ML_PLATFORM.spec.parameters
WANTED = gpuplatform.Wanted(
    name=_PARAMETERS.name,
    region=_PARAMETERS.region,
    gpu_type=_PARAMETERS.gpu_type,
    size=Size(least=1, first=2, most=10),
    status=ML_PLATFORM.status,
)


def _composition(folder: Folder, provider: str, environment: Environment[Any]) -> Composition:
    return Composition(
        folder,
        f"ml-platform-{provider}",
        ML_PLATFORM,
        provider=provider,
        named_by=ML_PLATFORM.spec.parameters.name,
        environment=environment,
    )


APIS = (ML_PLATFORM,)
COMPOSITIONS = (ml_platform_gcp, ml_platform_aws, ml_platform_azure)
