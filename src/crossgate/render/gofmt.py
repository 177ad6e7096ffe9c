"""Go's ``fmt.Sprintf`` for the values that a transform can meet.

Those are null, bool, int64 (``int``), float64 (``float``), string, []interface {} (``list``) and
map[string]interface {} (``dict``). Flags, width, precision, argument indexes and every error text
(``%!d(float64=3)``, ``%!s(MISSING)``, ``%!(EXTRA …)``) are Go's: users see these texts in their cluster.
Source of the rules: the package documentation of fmt and its behaviour under Go 1.25.
"""

from __future__ import annotations

import re
from typing import Any

from crossgate.render.faults import checked_size
from crossgate.render.goprint import Printer, type_name

_LARGEST = 1_000_000
"""Go ignores widths and precisions beyond this."""

_SHORT = re.compile("%[sv]")


def sprintf(form: str, arguments: list[Any]) -> str:
    """Return ``fmt.Sprintf(form, arguments...)``.

    Raises Fault for ``%p`` of a list or object: it prints a memory address, other on every run.
    """
    if form == "%s" and len(arguments) == 1 and arguments[0].__class__ is str:
        return str(arguments[0])
    return _Form(arguments).run(form)


class Format:
    """A format string to be used often: only literal text and plain ``%s`` and ``%v`` take the short way."""

    __slots__ = ("_count", "_form", "_short")

    def __init__(self, form: str) -> None:
        self._form = form
        literal = _SHORT.sub("", form)
        self._count = len(_SHORT.findall(form))
        self._short = _SHORT.sub("%s", form) if "%" not in literal else ""
        """As Python formats, which does the same with texts."""

    def __call__(self, arguments: list[Any]) -> str:
        """Return ``fmt.Sprintf`` of the arguments."""
        if self._short and len(arguments) == self._count:
            for argument in arguments:
                if argument.__class__ is not str:
                    break
            else:
                text = self._short % tuple(arguments)
                checked_size(len(text))
                return text
        return sprintf(self._form, arguments)


def text_of(value: Any) -> str:
    """Return ``fmt.Sprintf("%v", value)``."""
    if value.__class__ is str:
        return str(value)
    printer = Printer()
    printer.value(value, "v", top=True)
    return "".join(printer.parts)


class _Form(Printer):
    """One call of Sprintf."""

    __slots__ = ("arguments", "good", "reordered")

    def __init__(self, arguments: list[Any]) -> None:
        super().__init__()
        self.arguments = arguments
        self.reordered = False
        self.good = True

    def run(self, form: str) -> str:
        write = self.parts.append
        position, end, index = 0, len(form), 0
        size = end
        while position < end:
            percent = form.find("%", position)
            if percent < 0:
                write(form[position:])
                break
            if percent > position:
                write(form[position:percent])
            known = len(self.parts)
            position, index, more = self.verb(form, percent + 1, index)
            size += sum(map(len, self.parts[known:]))
            checked_size(size)
            if not more:
                break
        if not self.reordered and index < len(self.arguments):
            self.left_over(self.arguments[index:])
        return "".join(self.parts)

    def verb(self, form: str, at: int, index: int) -> tuple[int, int, bool]:
        """Print one verb; return where the form goes on, the next argument, and whether to go on at all."""
        write, end, count = self.parts.append, len(form), len(self.arguments)
        self.good = True
        self.clear()
        while at < end and form[at] in "#0+- ":
            self.flag(form[at])
            at += 1
        if at < end and "a" <= form[at] <= "z" and index < count:
            self.argument(self.arguments[index], form[at])
            return at + 1, index + 1, True
        index, at, indexed = self.number(form, at, index)
        if at < end and form[at] == "*":
            at += 1
            self.width, index = self.star(index)
            if self.width is None:
                write("%!(BADWIDTH)")
            elif self.width < 0:
                self.width, self.minus, self.zero = -self.width, True, False
            indexed = False
        else:
            self.width, at = _digits(form, at, end)
            self.good = self.good and not (indexed and self.width is not None)
        if at + 1 < end and form[at] == ".":
            index, at, indexed = self.precise(form, at + 1, index, indexed)
        if not indexed:
            index, at, indexed = self.number(form, at, index)
        if at >= end:
            write("%!(NOVERB)")
            return end, index, False
        verb = form[at]
        if verb == "%":
            write("%")
        elif not self.good:
            write(f"%!{verb}(BADINDEX)")
        elif index >= count:
            write(f"%!{verb}(MISSING)")
        else:
            self.argument(self.arguments[index], verb)
            index += 1
        return at + 1, index, True

    def flag(self, flag: str) -> None:
        if flag == "#":
            self.sharp = True
        elif flag == "0":
            self.zero = True
        elif flag == "+":
            self.plus = True
        elif flag == "-":
            self.minus = True
        else:
            self.space = True

    def precise(self, form: str, at: int, index: int, indexed: bool) -> tuple[int, int, bool]:
        """Read a precision after its dot."""
        if indexed:
            self.good = False
        index, at, indexed = self.number(form, at, index)
        if at < len(form) and form[at] == "*":
            self.precision, index = self.star(index)
            if self.precision is not None and self.precision < 0:
                self.precision = None
            if self.precision is None:
                self.parts.append("%!(BADPREC)")
            return index, at + 1, False
        found, at = _digits(form, at, len(form))
        self.precision = found or 0
        return index, at, indexed

    def number(self, form: str, at: int, index: int) -> tuple[int, int, bool]:
        """Read an explicit argument index such as ``[2]``."""
        if at >= len(form) or form[at] != "[":
            return index, at, False
        self.reordered = True
        close = form.find("]", at + 1)
        if len(form) - at < 3 or close < 0:
            self.good = False
            return index, at + 1, False
        found, stop = _digits(form, at + 1, close)
        sound = found is not None and stop == close
        if sound and 1 <= (found or 0) <= len(self.arguments):
            return (found or 0) - 1, close + 1, True
        self.good = False
        return index, close + 1, sound

    def star(self, index: int) -> tuple[int | None, int]:
        """Take a width or precision from the arguments: only an integer will do."""
        if index >= len(self.arguments):
            return None, index
        found = self.arguments[index]
        if found.__class__ is not int or not -_LARGEST <= found <= _LARGEST:
            return None, index + 1
        return found, index + 1

    def left_over(self, arguments: list[Any]) -> None:
        self.clear()
        self.parts.append("%!(EXTRA ")
        for position, argument in enumerate(arguments):
            if position:
                self.parts.append(", ")
            if argument is None:
                self.parts.append("<nil>")
            else:
                self.parts.append(f"{type_name(argument)}=")
                self.value(argument, "v", top=True)
        self.parts.append(")")

    def argument(self, value: Any, verb: str) -> None:
        if verb in "vw":
            self.sharp_v, self.sharp = self.sharp, False
            self.plus_v, self.plus = self.plus, False
        self.value(value, verb, top=True)


def _digits(form: str, at: int, end: int) -> tuple[int | None, int]:
    """Read a number; one that is too large ends the whole form, as in Go."""
    found, start = 0, at
    if at >= end:
        return None, end
    while at < end and "0" <= form[at] <= "9":
        if found > _LARGEST:
            return None, end
        found = found * 10 + int(form[at])
        at += 1
    return (found if at > start else None), at
