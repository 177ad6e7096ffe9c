"""Regions of the three clouds that are near each other, so that one claim works on each."""

from __future__ import annotations

from typing import Literal

from mlplatform.core import transforms as t

Cloud = Literal["gcp", "aws", "azure"]

_ORDER: tuple[Cloud, ...] = ("gcp", "aws", "azure")

NEAR: tuple[tuple[str, str, str], ...] = (
    ("us-central1", "us-east-2", "centralus"),
    ("us-east4", "us-east-1", "eastus"),
    ("us-east1", "us-east-1", "eastus2"),
    ("us-west1", "us-west-2", "westus2"),
    ("northamerica-northeast1", "ca-central-1", "canadacentral"),
    ("southamerica-east1", "sa-east-1", "brazilsouth"),
    ("europe-west3", "eu-central-1", "germanywestcentral"),
    ("europe-west4", "eu-central-1", "westeurope"),
    ("europe-west1", "eu-west-1", "northeurope"),
    ("europe-west2", "eu-west-2", "uksouth"),
    ("europe-west9", "eu-west-3", "francecentral"),
    ("europe-north1", "eu-north-1", "swedencentral"),
    ("asia-northeast1", "ap-northeast-1", "japaneast"),
    ("asia-southeast1", "ap-southeast-1", "southeastasia"),
    ("asia-south1", "ap-south-1", "centralindia"),
    ("australia-southeast1", "ap-southeast-2", "australiaeast"),
)
"""Each line is one place: its region in Google Cloud, AWS and Azure. Where a name stands twice, its first line counts."""


def nearest(cloud: Cloud) -> t.Transform:
    """Replace another cloud's region by the nearest one of ``cloud``; a region that is in no line stays as it is."""
    here = _ORDER.index(cloud)
    own = {line[here] for line in NEAR}
    found: dict[str, str] = {}
    for line in NEAR:
        for name in line:
            if name not in own:
                found.setdefault(name, line[here])
    return t.match([(f"^{name}$", region) for name, region in found.items()])
