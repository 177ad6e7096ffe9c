"""Policies that stand elsewhere: in a git repository or an OCI registry, used only as ``policies.lock.toml`` names them.

``lock`` asks their place what they are and writes it down, ``pull`` brings what is written down into the cache, and a check
reads the cache: it asks nobody, and uses nothing but the content whose digest is locked.
"""

from __future__ import annotations

from crossgate.policy.remote.fetch import lock, pull
from crossgate.policy.remote.lock import Locked, read_lock, write_lock
from crossgate.policy.remote.source import Source
from crossgate.policy.remote.store import Store, locked_folders

__all__ = ["Locked", "Source", "Store", "lock", "locked_folders", "pull", "read_lock", "write_lock"]
