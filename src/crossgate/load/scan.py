"""Split a YAML text into tokens exactly as go-yaml v2 does (a port of libyaml 0.1 with its own deviations).

Where go-yaml v2 differs from YAML 1.2 and from today's libyaml, this module follows go-yaml: in flow context every
``:`` is a value indicator (``[::/0]`` is an error) and a plain scalar ends at ``?``; a comment needs no space before
it; a simple key may be 1,024 characters long; tabs may separate tokens but not indent them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from crossgate.load import properties, scalars

BREAKS = "\r\n\x85\u2028\u2029"
END = "\0"
_BLANKZ = frozenset(" \t" + BREAKS + END)
_NOT_PLAIN = frozenset("-?:,[]{}#&*!|>'\"%@`")
_COMMENT = re.compile(f"#[^{BREAKS}{END}]*")
_BLANKS = re.compile("[ \t]*")
_SPACES = re.compile(" *")
_MAX_DEPTH = 10_000
_MAX_KEY = 1024


class T:
    """The kinds of tokens. Plain integers: an enumeration's members are hashed by a Python function, which costs a tenth of all time."""

    STREAM_END = 0
    VERSION = 1
    TAG_DIRECTIVE = 2
    DOCUMENT_START = 3
    DOCUMENT_END = 4
    BLOCK_SEQUENCE = 5
    BLOCK_MAPPING = 6
    BLOCK_END = 7
    FLOW_SEQUENCE = 8
    FLOW_SEQUENCE_END = 9
    FLOW_MAPPING = 10
    FLOW_MAPPING_END = 11
    ENTRY = 12
    FLOW_ENTRY = 13
    KEY = 14
    VALUE = 15
    ALIAS = 16
    ANCHOR = 17
    TAG = 18
    SCALAR = 19


class Token(NamedTuple):
    """One token. ``at`` is the offset of its first character; ``plain`` marks an unquoted scalar."""

    kind: int
    at: int
    value: str = ""
    suffix: str = ""
    plain: bool = False


class ScanError(Exception):
    """The text is not YAML as go-yaml v2 reads it; ``at`` is the offset of the fault."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.what = what
        self.at = at


class _Key:
    """A place where a simple key (``key:`` without ``?``) may have started."""

    __slots__ = ("at", "column", "line", "number", "possible", "required")

    def __init__(self) -> None:
        self.possible = self.required = False
        self.number = self.at = self.line = self.column = 0


class Scanner:
    """The tokens of one text, one after the other: ``peek`` looks at the next, ``skip`` takes it away."""

    def __init__(self, text: str) -> None:
        self.text = text + END * 8
        self.at = 0
        self.line = 0
        self.line_start = 0
        self.flow = 0
        self.indent = -1
        self.key_allowed = True
        self.last = 0
        self._indents: list[int] = []
        self._tokens: list[Token] = []
        self._head = 0
        self._taken = 0
        self._keys = [_Key()]
        self._keys_by_token: dict[int, int] = {}
        self._ready = False

    def peek(self) -> Token:
        """Return the next token without taking it.

        Raises:
            ScanError: what follows is not YAML.
        """
        if not self._ready:
            self._fetch_more()
        return self._tokens[self._head]

    def skip(self) -> None:
        """Take the next token away (only after ``peek``)."""
        self._ready = False
        self.last = self._tokens[self._head].at
        self._taken += 1
        self._head += 1
        if self._head > 256:
            del self._tokens[: self._head]
            self._head = 0

    def fail(self, what: str) -> NoReturn:
        """Raise a ScanError at the current character."""
        raise ScanError(what, self.at)

    @property
    def column(self) -> int:
        """The current column, from 0."""
        return self.at - self.line_start

    def take_break(self) -> None:
        """Step over one line break (CR LF counts as one)."""
        self.at += 2 if self.text.startswith("\r\n", self.at) else 1
        self.line += 1
        self.line_start = self.at

    def at_document_indicator(self) -> bool:
        """Tell whether a line starts here with ``---`` or ``...``."""
        return (
            self.at == self.line_start
            and self.text[self.at] in "-."
            and self.text[self.at : self.at + 3] in ("---", "...")
            and self.text[self.at + 3] in _BLANKZ
        )

    # Filling the queue.

    def _fetch_more(self) -> None:
        """Fetch until the first token of the queue cannot become a simple key any more."""
        while True:
            if self._head != len(self._tokens):
                index = self._keys_by_token.get(self._taken)
                if index is None or not self._is_valid(self._keys[index]):
                    break
            self._fetch()
        self._ready = True

    def _fetch(self) -> None:
        self._to_next_token()
        self._unroll(self.at - self.line_start)
        text, at = self.text, self.at
        char = text[at]
        if char == END:
            self._fetch_stream_end()
            return
        following = text[at + 1]
        if at == self.line_start:
            if char == "%":
                self._fetch_directive()
                return
            if char in "-." and self.at_document_indicator():
                self._reset()
                self.at += 3
                self._tokens.append(Token(T.DOCUMENT_START if char == "-" else T.DOCUMENT_END, at))
                return
        if char in "-?:":
            is_indicator = following in _BLANKZ or (self.flow > 0 and char != "-")
        else:
            is_indicator = char in _INDICATORS and not (self.flow and char in "|>")
        if is_indicator:
            _INDICATORS[char](self)
        elif (
            (char not in _BLANKZ and char not in _NOT_PLAIN)
            or (char == "-" and following not in " \t")
            or (not self.flow and char in "?:" and following not in _BLANKZ)
        ):
            self._save_key()
            self.key_allowed = False
            self._tokens.append(Token(T.SCALAR, at, scalars.plain(self), plain=True))
        else:
            self.fail(f"no value can start with {char!r}" if char not in " \t" else "a tab cannot indent")

    def _to_next_token(self) -> None:
        """Step over white space, comments and line breaks."""
        text = self.text
        while True:
            blanks = _BLANKS if self.flow or not self.key_allowed else _SPACES
            at = blanks.match(text, self.at).end()  # type: ignore[union-attr]  # both patterns match the empty string
            if text[at] == "#":
                at = _COMMENT.match(text, at).end()  # type: ignore[union-attr]  # it starts with the #
            self.at = at
            if text[at] not in BREAKS:
                return
            self.take_break()
            if not self.flow:
                self.key_allowed = True

    # Simple keys and indentation.

    def _is_valid(self, key: _Key) -> bool:
        if not key.possible:
            return False
        if key.line < self.line or key.at + _MAX_KEY < self.at:
            if key.required:
                raise ScanError("a ':' is missing after this key", key.at)
            key.possible = False
            return False
        return True

    def _save_key(self) -> None:
        if not self.key_allowed:
            return
        required = not self.flow and self.indent == self.column
        self._remove_key()
        key = self._keys[-1]
        key.possible, key.required = True, required
        key.number = self._taken + len(self._tokens) - self._head
        key.at, key.line, key.column = self.at, self.line, self.column
        self._keys_by_token[key.number] = len(self._keys) - 1

    def _remove_key(self) -> None:
        key = self._keys[-1]
        if key.possible:
            if key.required:
                raise ScanError("a ':' is missing after this key", key.at)
            key.possible = False
            self._keys_by_token.pop(key.number, None)

    def _roll(self, column: int, number: int, kind: int, at: int) -> None:
        """Open a block collection when ``column`` is deeper than the current one; ``number`` is the token to put it before (-1: none)."""
        if self.flow or self.indent >= column:
            return
        self._indents.append(self.indent)
        self.indent = column
        if len(self._indents) > _MAX_DEPTH:
            self.fail(f"collections are nested more than {_MAX_DEPTH} deep")
        self._insert(number, Token(kind, at))

    def _insert(self, number: int, token: Token) -> None:
        """Put a token before the one with that number, or at the end when that one was taken already (as behind ``{}``)."""
        if number < self._taken:
            self._tokens.append(token)
        else:
            self._tokens.insert(self._head + number - self._taken, token)

    def _unroll(self, column: int) -> None:
        if self.flow:
            return
        while self.indent > column:
            self._tokens.append(Token(T.BLOCK_END, self.at))
            self.indent = self._indents.pop()

    def _reset(self) -> None:
        """Close every block: the document or the stream ends here."""
        self._unroll(-1)
        self._remove_key()
        self.key_allowed = False

    # One method a kind of token.

    def _fetch_stream_end(self) -> None:
        if self.at != self.line_start:
            self.line_start = self.at
            self.line += 1
        self._reset()
        self._tokens.append(Token(T.STREAM_END, self.at))

    def _fetch_flow_start(self) -> None:
        kind = T.FLOW_SEQUENCE if self.text[self.at] == "[" else T.FLOW_MAPPING
        self._save_key()
        key = _Key()
        key.number = self._taken + len(self._tokens) - self._head
        self._keys.append(key)
        self.flow += 1
        if self.flow > _MAX_DEPTH:
            self.fail(f"collections are nested more than {_MAX_DEPTH} deep")
        self.key_allowed = True
        self._tokens.append(Token(kind, self.at))
        self.at += 1

    def _fetch_flow_end(self) -> None:
        kind = T.FLOW_SEQUENCE_END if self.text[self.at] == "]" else T.FLOW_MAPPING_END
        self._remove_key()
        if self.flow:
            self.flow -= 1
            self._keys_by_token.pop(self._keys.pop().number, None)
        self.key_allowed = False
        self._tokens.append(Token(kind, self.at))
        self.at += 1

    def _fetch_flow_entry(self) -> None:
        self._remove_key()
        self.key_allowed = True
        self._tokens.append(Token(T.FLOW_ENTRY, self.at))
        self.at += 1

    def _fetch_entry(self) -> None:
        if not self.flow:
            if not self.key_allowed:
                self.fail("a list item ('- ') cannot start here")
            self._roll(self.column, -1, T.BLOCK_SEQUENCE, self.at)
        self._remove_key()
        self.key_allowed = True
        self._tokens.append(Token(T.ENTRY, self.at))
        self.at += 1

    def _fetch_key(self) -> None:
        if not self.flow:
            if not self.key_allowed:
                self.fail("a key ('? ') cannot start here")
            self._roll(self.column, -1, T.BLOCK_MAPPING, self.at)
        self._remove_key()
        self.key_allowed = not self.flow
        self._tokens.append(Token(T.KEY, self.at))
        self.at += 1

    def _fetch_value(self) -> None:
        key = self._keys[-1]
        if self._is_valid(key):
            self._insert(key.number, Token(T.KEY, key.at))
            self._roll(key.column, key.number, T.BLOCK_MAPPING, key.at)
            key.possible = False
            self._keys_by_token.pop(key.number, None)
            self.key_allowed = False
        else:
            if not self.flow:
                if not self.key_allowed:
                    self.fail("a ': ' cannot stand here; quote the text if it holds one")
                self._roll(self.column, -1, T.BLOCK_MAPPING, self.at)
            self.key_allowed = not self.flow
        self._tokens.append(Token(T.VALUE, self.at))
        self.at += 1

    def _fetch_block(self) -> None:
        self._remove_key()
        self.key_allowed = True
        start = self.at
        self._tokens.append(Token(T.SCALAR, start, scalars.block(self, literal=self.text[start] == "|")))

    def _fetch_quoted(self) -> None:
        self._save_key()
        self.key_allowed = False
        start = self.at
        self._tokens.append(Token(T.SCALAR, start, scalars.quoted(self, self.text[start])))

    def _fetch_anchor(self) -> None:
        self._save_key()
        self.key_allowed = False
        start = self.at
        name = properties.anchor(self)
        self._tokens.append(Token(T.ALIAS if self.text[start] == "*" else T.ANCHOR, start, name))

    def _fetch_tag(self) -> None:
        self._save_key()
        self.key_allowed = False
        start = self.at
        handle, suffix = properties.tag(self)
        self._tokens.append(Token(T.TAG, start, handle, suffix))

    def _fetch_directive(self) -> None:
        self._reset()
        start = self.at
        name, value, suffix = properties.directive(self)
        self._tokens.append(Token(T.VERSION if name == "YAML" else T.TAG_DIRECTIVE, start, value, suffix))


_INDICATORS: dict[str, Callable[[Scanner], None]] = {
    **dict.fromkeys("[{", Scanner._fetch_flow_start),
    **dict.fromkeys("]}", Scanner._fetch_flow_end),
    ",": Scanner._fetch_flow_entry,
    "-": Scanner._fetch_entry,
    "?": Scanner._fetch_key,
    ":": Scanner._fetch_value,
    **dict.fromkeys("*&", Scanner._fetch_anchor),
    "!": Scanner._fetch_tag,
    **dict.fromkeys("|>", Scanner._fetch_block),
    **dict.fromkeys("'\"", Scanner._fetch_quoted),
}
