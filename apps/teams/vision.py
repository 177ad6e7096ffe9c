"""The team that reads images; it writes its claims in Python."""

from __future__ import annotations

from mlplatform.core import Claim, Folder
from mlplatform.gpucluster import GPU_CLUSTER, GPUClusterParameters, GPUClusterSpec
from mlplatform.team import Quota, Team

TEAM = Team(
    "vision",
    group="ml-vision",
    owner="vision-leads",
    cost_center="cc-4712",
    monthly_budget=18_000,
    quota=Quota(cpu="64", memory="256Gi", gpus=8),
)


def claims(folder: Folder) -> None:
    """Add the team's claims."""
    Claim(
        folder,
        GPU_CLUSTER,
        "segmentation",
        namespace=TEAM.namespace,
        labels=TEAM.labels,
        spec=GPUClusterSpec(
            parameters=GPUClusterParameters(name="segmentation", region="europe-west4", gpu_type="a100", max_nodes=4),
        ),
        select={"provider": "gcp", "tier": "standard"},
        details_to="segmentation-cluster",
    )
