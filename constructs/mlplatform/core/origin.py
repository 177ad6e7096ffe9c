"""Find the line of the author's Python that is being executed: where findings about its output will point."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from crossgate.model import Place

_CORE = Path(__file__).parent


def caller() -> Place:
    """Return the innermost line that belongs to the project and not to this framework.

    The project is the working folder: that is where cdk8s runs an app. The file is relative to it, with slashes. Outside any project
    file the place is empty.
    """
    return next(iter(callers()), Place(""))


def callers() -> list[Place]:
    """Return all of the author's lines that led here, innermost first."""
    places = []
    frame = sys._getframe(1)
    while frame is not None:
        file = project_file(frame.f_code.co_filename, str(Path.cwd()))
        if file:
            places.append(Place(file, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]  # None ends the loop
    return places


@cache
def project_file(filename: str, root: str) -> str:
    """Return a source file's path within the project, or "" when it is the framework's, a library's or outside."""
    if filename.startswith("<"):
        return ""  # code that was never a file, like the __init__ of a dataclass
    path = Path(filename).absolute()
    if path.is_relative_to(_CORE) or "site-packages" in path.parts or not path.is_relative_to(root):
        return ""
    return path.relative_to(root).as_posix()
