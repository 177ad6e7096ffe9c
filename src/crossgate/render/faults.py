"""What goes wrong inside a step, before the engine adds where it happened.

    Fault                a fatal result: the text that the real function would give
    ├── NotFound         a field path that does not exist (yet): an Optional patch is skipped
    ├── Crash            an input on which the real function crashes while it runs
    ├── TooLarge         a text outgrows what an object can hold: rendering stops before memory runs out
    └── InputFault       an input that the function refuses, with the place inside the input

They never leave the renderer: ``engine`` turns them into ``RenderError``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from crossgate.paths import Path


MOST_TEXT = 12 * 1024 * 1024
"""Characters that a rendering may put into one text on the way: eight times what etcd takes for an object with all of its fields."""


class Fault(Exception):  # noqa: N818 - a fatal result of a step; the error made of it is RenderError
    """A fatal result.

    ``hint`` is the way out, ``place`` the faulty part within the step's input and ``label`` what stands
    there, in words: the template, the patch and its field paths.
    """

    def __init__(self, what: str, *, hint: str = "", place: Path = (), label: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.place = place
        self.label = label


class NotFound(Fault):
    """A field path leads nowhere: no such field, no such element, or null on the way.

    Most are skipped by an Optional patch, so the text is only made when somebody reads it.
    """

    def __init__(self, say: Callable[[], str]) -> None:
        Exception.__init__(self)
        self._say = say
        self.hint = ""
        self.place = ()
        self.label = ""

    @property
    def what(self) -> str:  # type: ignore[override]  # an attribute that is made when it is read
        """Return the text."""
        return self._say()

    def __str__(self) -> str:
        return self.what


class Crash(Fault):
    """The real function crashes here: always fatal, even where its own errors are only warnings."""


class TooLarge(Fault):
    """A text outgrows what an object can hold. The real function might go on; here nothing was judged."""


def checked_size(size: int) -> None:
    """Raise TooLarge when a text of ``size`` characters is more than a rendering may make."""
    if size > MOST_TEXT:
        what = f"the text grows over {MOST_TEXT // 1024 // 1024} MiB; etcd takes 1.5 MiB for a whole object"
        raise TooLarge(what, hint="shorten the source, or take out the transforms that repeat it")


class InputFault(Fault):
    """The step's input is refused before anything runs; ``place`` says where in the input."""
