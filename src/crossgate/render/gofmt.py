"""Go's ``fmt.Sprintf`` for the values that a transform can meet.

Those are null, bool, int64 (``int``), float64 (``float``), string, []interface {} (``list``) and
map[string]interface {} (``dict``). Flags, width, precision, argument indexes and every error text
(``%!d(float64=3)``, ``%!s(MISSING)``, ``%!(EXTRA …)``) are Go's: users see these texts in their cluster.
Source of the rules: the package documentation of fmt and its behaviour under Go 1.25.
"""

from __future__ import annotations

import re
from typing import Any

from crossgate.render.faults import Fault
from crossgate.render.gofloat import format_float
from crossgate.render.gojson import NilArray, NilObject, raw

_LARGEST = 1_000_000
"""Go ignores widths and precisions beyond this."""

_TYPES: dict[type, str] = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
    NilArray: "[]interface {}",
    NilObject: "map[string]interface {}",
}
_SHORT = re.compile("%[sv]")
_QUOTED = {7: "\\a", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t", 11: "\\v", 92: "\\\\"}
_BACKQUOTE_FORBIDDEN = frozenset("`\ufeff\x7f")


def type_name(value: Any) -> str:
    """Return what ``%T`` prints for a value."""
    return "<nil>" if value is None else _TYPES[value.__class__]


def sprintf(form: str, arguments: list[Any]) -> str:
    """Return ``fmt.Sprintf(form, arguments...)``.

    Raises Fault for ``%p`` of a list or object: it prints a memory address, other on every run.
    """
    if form == "%s" and len(arguments) == 1 and arguments[0].__class__ is str:
        return str(arguments[0])
    return _Printer(arguments).run(form)


class Format:
    """A format string to be used often: only literal text and plain ``%s`` and ``%v`` take the short way."""

    __slots__ = ("_count", "_form", "_plain", "_texts")

    def __init__(self, form: str) -> None:
        self._form = form
        self._plain = _SHORT.sub("", form).count("%") == 0
        verbs = _SHORT.findall(form)
        self._count = len(verbs)
        self._texts = _SHORT.sub("\0", form).split("\0") if self._plain and "\0" not in form else []

    def __call__(self, arguments: list[Any]) -> str:
        """Return ``fmt.Sprintf`` of the arguments."""
        if self._texts and len(arguments) == self._count:
            parts = [self._texts[0]]
            for argument, text in zip(arguments, self._texts[1:], strict=True):
                if argument.__class__ is not str:
                    break
                parts += (argument, text)
            else:
                return "".join(parts)
        return sprintf(self._form, arguments)


def text_of(value: Any) -> str:
    """Return ``fmt.Sprintf("%v", value)``."""
    if value.__class__ is str:
        return str(value)
    printer = _Printer([value])
    printer.value(value, "v", top=True)
    return "".join(printer.parts)


class _Printer:
    """One call of Sprintf: the output so far, and the flags of the verb at hand."""

    __slots__ = (
        "arguments",
        "good",
        "minus",
        "parts",
        "plus",
        "plus_v",
        "precision",
        "reordered",
        "sharp",
        "sharp_v",
        "space",
        "width",
        "zero",
    )

    def __init__(self, arguments: list[Any]) -> None:
        self.arguments = arguments
        self.parts: list[str] = []
        self.reordered = False
        self.good = True
        self.clear()

    def clear(self) -> None:
        self.sharp = self.zero = self.plus = self.minus = self.space = self.plus_v = self.sharp_v = False
        self.width: int | None = None
        self.precision: int | None = None

    # The format string.

    def run(self, form: str) -> str:
        write = self.parts.append
        position, end, index = 0, len(form), 0
        while position < end:
            percent = form.find("%", position)
            if percent < 0:
                write(form[position:])
                break
            if percent > position:
                write(form[position:percent])
            position, index, more = self.verb(form, percent + 1, index)
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

    # The values.

    def argument(self, value: Any, verb: str) -> None:
        if verb in "vw":
            self.sharp_v, self.sharp = self.sharp, False
            self.plus_v, self.plus = self.plus, False
        self.value(value, verb, top=True)

    def value(self, value: Any, verb: str, *, top: bool = False) -> None:
        kind = value.__class__
        if value is None:
            self.null(verb, top)
        elif top and verb == "T":
            self.pad(self.cut(type_name(value)))
        elif top and verb == "p":
            self.pointer(value)
        elif kind is str:
            self.string(value, verb)
        elif kind is bool:
            if verb in "tv":
                self.pad("true" if value else "false")
            else:
                self.bad(value, verb)
        elif kind is float:
            self.float(value, verb)
        elif kind is int:
            self.integer(value, verb)
        elif verb == "w":
            self.bad(value, verb)
        else:
            self.collection(value, verb)

    def null(self, verb: str, top: bool) -> None:
        if not top:
            self.parts.append("interface {}(nil)" if self.sharp_v else "<nil>")
        elif verb in "Tv":
            self.pad("<nil>")
        else:
            self.parts.append(f"%!{verb}(<nil>)")

    def pointer(self, value: Any) -> None:
        if isinstance(value, list | dict):
            raise Fault("%p prints a memory address, which differs on every run", hint="use %v")
        self.bad(value, "p")

    def bad(self, value: Any, verb: str) -> None:
        self.parts.append(f"%!{verb}({type_name(value)}=")
        self.value(value, "v", top=True)
        self.parts.append(")")

    def collection(self, value: Any, verb: str) -> None:
        between, write = (", " if self.sharp_v else " "), self.parts.append
        mapping = isinstance(value, dict)
        if self.sharp_v:
            write(type_name(value))
            if value.__class__ is NilObject or value.__class__ is NilArray:
                write("(nil)")
                return
            write("{")
        else:
            write("map[" if mapping else "[")
        for position, item in enumerate(sorted(value, key=raw) if mapping else value):
            if position:
                write(between)
            self.value(item, verb)
            if mapping:
                write(":")
                self.value(value[item], verb)
        write("}" if self.sharp_v else "]")

    def string(self, value: str, verb: str) -> None:
        if verb == "q" or (verb == "v" and self.sharp_v):
            self.pad(self.quoted(self.cut(value)))
        elif verb in "sv":
            self.pad(self.cut(value))
        elif verb in "xX":
            self.hexadecimal(raw(value), verb)
        else:
            self.bad(value, verb)

    def quoted(self, value: str) -> str:
        if self.sharp and not any((c < " " and c != "\t") or c in _BACKQUOTE_FORBIDDEN or "\udc80" <= c <= "\udcff" for c in value):
            return f"`{value}`"
        return quote(value, '"', only_ascii=self.plus)

    def hexadecimal(self, value: bytes, verb: str) -> None:
        length = len(value) if self.precision is None else min(self.precision, len(value))
        prefix = f"0{verb}" if self.sharp else ""
        if length == 0:
            self.pad("")
            return
        pairs = [f"{byte:02x}" if verb == "x" else f"{byte:02X}" for byte in value[:length]]
        self.pad(" ".join(prefix + pair for pair in pairs) if self.space else prefix + "".join(pairs))

    def float(self, value: float, verb: str) -> None:
        if verb not in "vbgGxXfFeE":
            self.bad(value, verb)
            return
        shape = {"v": "g", "F": "f"}.get(verb, verb)
        precision = self.precision if self.precision is not None else (6 if verb in "fFeE" else -1)
        written = format_float(value, shape, precision)
        if written[0] not in "+-":
            written = "+" + written
        if self.space and written[0] == "+" and not self.plus:
            written = " " + written[1:]
        if written[1] in "IN":
            if written[1] == "N" and not self.space and not self.plus:
                written = written[1:]
            self.pad(written, zero=False)
            return
        if self.sharp and shape != "b":
            written = self.pointed(written, shape, precision)
        if self.plus or written[0] != "+":
            if self.zero and not self.minus and self.width is not None and self.width > len(written):
                self.parts.append(written[0] + written[1:].rjust(self.width - 1, "0"))
                return
            self.pad(written)
            return
        self.pad(written[1:])

    @staticmethod
    def pointed(written: str, shape: str, precision: int) -> str:
        """Add the decimal point and the trailing zeros that ``#`` asks for."""
        digits = (6 if precision == -1 else precision) if shape in "gGx" else 0
        cut = next((at for at, c in enumerate(written) if c in "pP" or (c in "eE" and shape not in "xX")), len(written))
        number, tail = written[:cut], written[cut:]
        seen = False
        for character in number[1:]:
            if character == ".":
                continue
            seen = seen or character != "0"
            digits -= seen
        if "." not in number:
            if len(number) == 2 and number[1] == "0":
                digits -= 1
            number += "."
        return number + "0" * max(digits, 0) + tail

    def integer(self, value: int, verb: str) -> None:
        base = {"v": 10, "d": 10, "b": 2, "o": 8, "O": 8, "x": 16, "X": 16}.get(verb)
        if base is not None:
            self.based(value, base, verb)
        elif verb == "c":
            self.pad(_character(value))
        elif verb == "q":
            self.pad(quote(_character(value), "'", only_ascii=self.plus))
        elif verb == "U":
            self.unicode(value)
        else:
            self.bad(value, verb)

    def based(self, value: int, base: int, verb: str) -> None:
        if self.precision == 0 and value == 0:
            self.parts.append(" " * (self.width or 0))
            return
        digits = format(abs(value), {10: "d", 2: "b", 8: "o", 16: "X" if verb == "X" else "x"}[base])
        if self.precision is not None:
            digits = digits.rjust(self.precision, "0")
        elif self.zero and not self.minus and self.width is not None:
            digits = digits.rjust(self.width - (value < 0 or self.plus or self.space), "0")
        if self.sharp:
            digits = {2: "0b", 8: "" if digits[0] == "0" else "0", 16: f"0{verb}"}.get(base, "") + digits
        if verb == "O":
            digits = "0o" + digits
        sign = "-" if value < 0 else "+" if self.plus else " " if self.space else ""
        self.pad(sign + digits, zero=False)

    def unicode(self, value: int) -> None:
        code = value % 2**64
        written = f"U+{code:0{max(self.precision or 0, 4)}X}"
        if self.sharp and code <= 0x10FFFF and _printable(code):
            written += f" '{chr(code)}'"
        self.pad(written, zero=False)

    # Width and precision.

    def cut(self, value: str) -> str:
        return value if self.precision is None else value[: self.precision]

    def pad(self, value: str, *, zero: bool = True) -> None:
        if self.width is None or self.width <= len(value):
            self.parts.append(value)
        elif self.minus:
            self.parts.append(value.ljust(self.width))
        else:
            self.parts.append(value.rjust(self.width, "0" if zero and self.zero else " "))


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


def _character(value: int) -> str:
    code = value % 2**64
    return "\ufffd" if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code)


def _printable(code: int) -> bool:
    return not 0xD800 <= code <= 0xDFFF and chr(code).isprintable()


def quote(value: str, mark: str, *, only_ascii: bool = False) -> str:
    """Return a Go string or rune literal (``strconv.Quote`` and its kin)."""
    parts = [mark]
    for character in value:
        code = ord(character)
        if character == mark:
            parts.append("\\" + mark)
        elif code in _QUOTED:
            parts.append(_QUOTED[code])
        elif 0xDC80 <= code <= 0xDCFF:
            parts.append(f"\\x{code - 0xDC00:02x}")
        elif (code < 0x80 or not only_ascii) and character.isprintable():
            parts.append(character)
        elif code < 0x20 or code == 0x7F:
            parts.append(f"\\x{code:02x}")
        else:
            parts.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return "".join(parts) + mark
