"""The teams: every module of this folder has a ``TEAM`` and a function ``claims`` that adds what the team claims in Python."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

TEAMS = tuple(import_module(f"{__name__}.{found.name}") for found in sorted(iter_modules(__path__), key=lambda found: found.name))
