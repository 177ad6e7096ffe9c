"""How often Python looks for rings of objects that nobody holds any more."""

from __future__ import annotations

import atexit
import gc

_RARELY = 50_000
"""New objects between two collections: hardly any ring is made, and looking for some took a quarter of a warm run's time."""


def collect_rarely() -> None:
    """Let this process look for rings now and then only, and not when it ends: the system takes everything at once."""
    gc.set_threshold(_RARELY)
    atexit.register(gc.freeze)
