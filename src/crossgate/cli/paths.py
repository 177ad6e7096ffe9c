"""Paths on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class _Given(click.Path):
    """A path that was given: an empty one, as of a variable that is not set, would otherwise be the working folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty; . is the working folder", param, ctx)
        return super().convert(value, param, ctx)


PATH = _Given(path_type=Path)
