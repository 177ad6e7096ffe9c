"""Just enough of Rego's syntax to know what a file holds before an engine reads it.

An engine says whether a policy compiles; it does not say which rules decide, which built-ins are called or
where. A look at the text without its strings and comments does, in half a millisecond a file (the engine's syntax
tree is a hundred times the size of the source).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

DECIDES = re.compile(r"(?:deny|violation|warn)(?:_[a-zA-Z0-9]+)*\Z")
"""Rule names that decide, as conftest knows them: ``deny``, ``deny_x``, ``violation``, ``violation_x``, ``warn``, ``warn_x``."""

_TEXT = re.compile(r'`[^`]*`|"(?:[^"\\\n]|\\.)*"|#[^\n]*')
_PART = r'(?:\.[A-Za-z_]\w*|\["[^"]*"\])'
_PACKAGE = re.compile(rf"^[ \t]*package[ \t]+([A-Za-z_]\w*{_PART}*)", re.MULTILINE)
_IMPORT = re.compile(rf"^[ \t]*import[ \t]+([A-Za-z_]\w*{_PART}*)(?:[ \t]+as[ \t]+(\w+))?", re.MULTILINE)
_REFERENCE = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?:(\.\w+)(?![\w(])|(?=[.\[]))")
_CALL = re.compile(rf"(?<![\w.])([A-Za-z_]\w*{_PART}*)\(")
_OPENS_LINE = re.compile(r"[ \t]*(?:default[ \t]+)?([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)(\()?")
_KEYWORDS = frozenset(("as", "else", "every", "false", "if", "import", "in", "not", "null", "package", "some", "true", "with"))
KEYWORDS = _KEYWORDS | {"contains", "default"}
"""Words that name no rule."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function: its dotted name and the line it stands on."""

    name: str
    line: int


_TERM = r"""(?:"[^"\n]*"|[\w.\[\]]+)"""
_MEMBER = re.compile(rf"(?:^|[{{;|]|\bif\b|\bnot\b)[ \t]*{_TERM}[ \t]*,[ \t]*{_TERM}[ \t]+in\b")
"""Within one line."""
_HEAD = re.compile(r"^[\w.]+\[[^\]\n]+\](?:\.\w+|\[[^\]\n]*\])+[ \t]+contains\b", re.MULTILINE)
_GLOB = re.compile(r"""glob(?<![\w.]glob)\.match\s*\(\s*["`][^"`\n]*(?:\{,|,,|,\})""")
_SCALAR = re.compile(r"[\"\w-]")
"""How the literal of one text or number begins."""
_MISREAD = (
    ("not", re.compile(r"not(?<!\wnot)\s*\{"), "a negated body (not { … })"),
    ("not", re.compile(r"not(?<!\wnot)\s+\w+\s*=(?!=)"), "unification in a negation (not x = …); write not x == …"),
    ("contains", _HEAD, "a set below a rule with a variable in its head (p[x].q contains …)"),
    ("uuid.parse", re.compile(r"(?<![\w.])uuid\.parse\s*\("), "uuid.parse of malformed texts"),
    ("yaml.is_valid", re.compile(r"(?<![\w.])yaml\.is_valid\s*\("), "yaml.is_valid of texts with a fault after a document"),
    ("walk(", re.compile(r"=\s*walk\("), "walk as a value (x := walk(…)); write walk(…, [path, value])"),
)
"""Constructs that the embedded engine takes for something else without a word, with a word to look for first.

A search for an expression that begins with a literal text is fast: what must not stand before it is looked at after it.
"""


@dataclass(frozen=True, slots=True)
class Outline:
    """What a Rego file holds: its package, what it imports, the rules that it opens and the functions it calls.

    ``rules`` maps each rule's name to the line of its first body, ``functions`` are the rules with arguments,
    ``imported`` are the names that imports bind, ``misread`` constructs that only OPA understands.
    ``code`` is the text with blanks for what strings and comments say.
    """

    package: tuple[str, ...]
    package_line: int
    rules: dict[str, int]
    functions: frozenset[str]
    imported: frozenset[str]
    calls: tuple[Call, ...]
    misread: tuple[Call, ...] = ()
    code: str = field(default="", repr=False)

    @property
    def deciding(self) -> dict[str, int]:
        """Return the rules whose results are findings; a function is none, whatever its name."""
        return {name: line for name, line in self.rules.items() if DECIDES.match(name) and name not in self.functions}


def outline(text: str) -> Outline:
    """Read the outline of a Rego file. Text that is no Rego gives an outline without package or rules."""
    code = _code(text)
    found = _PACKAGE.search(code)
    rules, functions, heads = _rules(code)
    return Outline(
        package=_parts(text[found.start(1) : found.end(1)]) if found else (),
        package_line=code.count("\n", 0, found.start(1)) + 1 if found else 0,
        rules=rules,
        functions=functions,
        imported=frozenset(match[2] or _parts(text[match.start(1) : match.end(1)])[-1] for match in _IMPORT.finditer(code)),
        calls=tuple(_calls(text, code, heads)),
        misread=tuple(_misread(text, code)),
        code=code,
    )


def _misread(text: str, code: str) -> Iterator[Call]:
    for word, expression, what in _MISREAD:
        if word in code:
            for match in expression.finditer(code):
                yield Call(what, code.count("\n", 0, match.start()) + 1)
    for number, line in enumerate(code.split("\n"), 1):
        if "," in line and "in" in line:  # few lines of a policy, and the expression is slow
            for _ in _MEMBER.finditer(line):
                yield Call("membership with a key (k, v in x) in a set; write x[k] == v", number)
    for match in _GLOB.finditer(text):
        if code.startswith("glob", match.start()):
            yield Call("an empty alternative in a glob ({a,})", code.count("\n", 0, match.start()) + 1)


def without_aliases(text: str, code: str, constants: Mapping[str, str]) -> str:
    """Return the text with imported packages written out where they are used (``lib.x`` as ``data.a.lib.x``).

    The embedded engine takes an alias for the whole package, and works out all its rules to answer for one of
    them. ``constants`` are references and the literals that stand for them: for each reference into data the engine
    goes through all modules. A collection becomes a rule of the module itself, at its end. Lines stay where they are.
    ``code`` is that of the outline.
    """
    aliases = {}
    for match in _IMPORT.finditer(code):
        if match[1].startswith("data.") and "[" not in match[1]:
            aliases[match[2] or match[1].rpartition(".")[2]] = match[1]
    if not aliases:
        return text
    written: list[str] = []
    collections: dict[str, str] = {}
    end = 0
    for match in _REFERENCE.finditer(code):
        if match[1] not in aliases:
            continue
        reference = aliases[match[1]] + (match[2] or "")
        literal = constants.get(reference)
        if literal is None or (_SCALAR.match(literal) and code[match.end() : match.end() + 1] in (".", "[")):
            instead = reference
        elif _SCALAR.match(literal):
            instead = literal
        else:
            instead = reference.replace(".", "_")
            collections[instead] = literal
        written += [text[end : match.start()], instead]
        end = match.end()
    return "".join([*written, text[end:], *(f"\n{name} := {literal}\n" for name, literal in collections.items())])


def _code(text: str) -> str:
    """Return the text with blanks for what strings and comments say; every other character stays at its place."""
    return _TEXT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == "#":
        return " " * len(text)
    lines = text[1:-1].split("\n")
    return '"' + "\n".join(" " * len(line) for line in lines) + '"'


def _rules(code: str) -> tuple[dict[str, int], frozenset[str], frozenset[int]]:
    """Return the rules with the lines of their first bodies, those with arguments, and where the heads of these open."""
    rules: dict[str, int] = {}
    functions: set[str] = set()
    heads: set[int] = set()
    depth = at = 0
    for number, line in enumerate(code.split("\n"), 1):
        if depth == 0 and (match := _OPENS_LINE.match(line)) and match[1] not in _KEYWORDS:
            rules.setdefault(match[1], number)
            if match[3]:
                functions.add(match[1] + match[2])
                heads.add(at + match.start(1))
        if not line.isspace():
            depth += line.count("{") + line.count("(") + line.count("[") - line.count("}") - line.count(")") - line.count("]")
            depth = max(depth, 0)
        at += len(line) + 1
    return rules, frozenset(functions), frozenset(heads)


def _calls(text: str, code: str, heads: frozenset[int]) -> Iterator[Call]:
    line, counted = 1, 0
    for match in _CALL.finditer(code):
        if match[1] in _KEYWORDS or match.start(1) in heads:
            continue
        line += code.count("\n", counted, match.start(1))
        counted = match.start(1)
        yield Call(".".join(_parts(text[match.start(1) : match.end(1)])), line)


def _parts(reference: str) -> tuple[str, ...]:
    """Return the parts of a dotted reference, of which some may be quoted in brackets."""
    if "[" not in reference:
        return tuple(reference.split("."))
    return tuple(_unquoted(part[0]) if part[0] else part[1] for part in re.findall(r'\[("(?:[^"\\]|\\.)*")\]|(\w+)', reference))


def _unquoted(quoted: str) -> str:
    """Return what a string of Rego says; its escapes are those of JSON."""
    try:
        return str(json.loads(quoted))
    except ValueError:  # the engine refuses it
        return quoted[1:-1]
