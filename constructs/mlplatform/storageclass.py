"""Disks of the platform's cluster that charts ask for by name."""

from __future__ import annotations

from mlplatform.core import Folder, Manifest

SSD = "ssd"
"""Fast disks: of VectorDatabases."""


def storage_class(folder: Folder) -> None:
    """Write the class of fast disks of Google Cloud; a disk stays when its claim goes, and is made where its Pod runs."""
    body = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": SSD},
        "provisioner": "pd.csi.storage.gke.io",
        "parameters": {"type": "pd-ssd"},
        "reclaimPolicy": "Retain",
        "allowVolumeExpansion": True,
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    Manifest(folder, f"storageclass-{SSD}", body)
