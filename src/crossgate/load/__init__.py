"""Read manifests as the Kubernetes API server and Argo CD read them, and write them so that they are read back the same."""

from __future__ import annotations

from crossgate.load.files import load_paths
from crossgate.load.inventory import Inventory, inventory_of
from crossgate.load.reading import load_text

__all__ = ["Inventory", "inventory_of", "load_paths", "load_text"]
