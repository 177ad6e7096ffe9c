"""A model server: one model, one process, exact answers (see README.md)."""

from __future__ import annotations

__version__ = "0.1.0"
