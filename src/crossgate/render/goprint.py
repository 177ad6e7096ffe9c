"""How Go prints one value for one verb, with the flags, the width and the precision at hand.

``gofmt`` reads the format string and calls this. Which characters count as printable (``%q``, ``%#U``)
follows Python's version of Unicode, which may be a year off Go's.
"""

from __future__ import annotations

from typing import Any

from crossgate.render.faults import Fault
from crossgate.render.gofloat import format_float
from crossgate.render.gojson import NilArray, NilObject, raw

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
_QUOTED = {7: "\\a", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t", 11: "\\v", 92: "\\\\"}
_BACKQUOTE_FORBIDDEN = frozenset("`\ufeff\x7f")


def type_name(value: Any) -> str:
    """Return what ``%T`` prints for a value."""
    return "<nil>" if value is None else _TYPES[value.__class__]


class Printer:
    """The output so far, and the flags of the verb at hand."""

    __slots__ = ("minus", "parts", "plus", "plus_v", "precision", "sharp", "sharp_v", "space", "width", "zero")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.clear()

    def clear(self) -> None:
        """Forget the flags."""
        self.sharp = self.zero = self.plus = self.minus = self.space = self.plus_v = self.sharp_v = False
        self.width: int | None = None
        self.precision: int | None = None

    def value(self, value: Any, verb: str, *, top: bool = False) -> None:
        """Print a value; ``top`` says that it is an argument itself and not a part of one."""
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
        """Print null."""
        if not top:
            self.parts.append("interface {}(nil)" if self.sharp_v else "<nil>")
        elif verb in "Tv":
            self.pad("<nil>")
        else:
            self.parts.append(f"%!{verb}(<nil>)")

    def pointer(self, value: Any) -> None:
        """Print an address: only its refusal is the same on every run."""
        if isinstance(value, list | dict):
            raise Fault("%p prints a memory address, which differs on every run", hint="use %v")
        self.bad(value, "p")

    def bad(self, value: Any, verb: str) -> None:
        """Print Go's complaint about a verb that does not fit."""
        self.parts.append(f"%!{verb}({type_name(value)}=")
        self.value(value, "v", top=True)
        self.parts.append(")")

    def collection(self, value: Any, verb: str) -> None:
        """Print a list or an object with sorted keys."""
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
        """Print a string."""
        if verb == "q" or (verb == "v" and self.sharp_v):
            self.pad(self.quoted(self.cut(value)))
        elif verb in "sv":
            self.pad(self.cut(value))
        elif verb in "xX":
            self.hexadecimal(raw(value), verb)
        else:
            self.bad(value, verb)

    def quoted(self, value: str) -> str:
        """Return a string as a Go literal."""
        if self.sharp and not any((c < " " and c != "\t") or c in _BACKQUOTE_FORBIDDEN or "\udc80" <= c <= "\udcff" for c in value):
            return f"`{value}`"
        return quote(value, '"', only_ascii=self.plus)

    def hexadecimal(self, value: bytes, verb: str) -> None:
        """Print bytes in hexadecimal."""
        length = len(value) if self.precision is None else min(self.precision, len(value))
        prefix = f"0{verb}" if self.sharp else ""
        if length == 0:
            self.pad("")
            return
        pairs = [f"{byte:02x}" if verb == "x" else f"{byte:02X}" for byte in value[:length]]
        self.pad(" ".join(prefix + pair for pair in pairs) if self.space else prefix + "".join(pairs))

    def float(self, value: float, verb: str) -> None:
        """Print a float64."""
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
        """Print an int64."""
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
        """Print an integer in a base."""
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
        """Print a code point."""
        code = value % 2**64
        written = f"U+{code:0{max(self.precision or 0, 4)}X}"
        if self.sharp and code <= 0x10FFFF and _printable(code):
            written += f" '{chr(code)}'"
        self.pad(written, zero=False)

    # Width and precision.

    def cut(self, value: str) -> str:
        """Cut a string to the precision."""
        return value if self.precision is None else value[: self.precision]

    def pad(self, value: str, *, zero: bool = True) -> None:
        """Write a string at the width."""
        if self.width is None or self.width <= len(value):
            self.parts.append(value)
        elif self.minus:
            self.parts.append(value.ljust(self.width))
        else:
            self.parts.append(value.rjust(self.width, "0" if zero and self.zero else " "))


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
