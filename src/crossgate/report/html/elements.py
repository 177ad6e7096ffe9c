"""Build HTML of which only the words can come from elsewhere: what is not made here is text, and every sign of it shows."""

from __future__ import annotations

import html

from crossgate.report.visible import shown, visible

LONGEST = 4_000
"""Signs of one value; what is longer is cut in the middle."""

_EMPTY = frozenset(("input", "meta", "link", "br"))


class Markup(str):
    """Text that is HTML already. Only ``element`` and ``joined`` make it."""

    __slots__ = ()


def element(name: str, /, *content: str, **attributes: str | int | bool | None) -> Markup:
    """Return an element. Content that is not ``Markup`` is escaped; attributes are named with ``_`` for ``-``, ``class_`` is ``class``.

    An attribute that is ``True`` stands without a value, one that is ``False`` or ``None`` not at all.
    """
    said = "".join(
        f" {key.strip('_').replace('_', '-')}" + ("" if value is True else f'="{_escaped(str(value))}"')
        for key, value in attributes.items()
        if value is not False and value is not None
    )
    inner = "".join(map(_content, content))
    return Markup(f"<{name}{said}>" if name in _EMPTY else f"<{name}{said}>{inner}</{name}>")


def joined(parts: list[Markup]) -> Markup:
    """Return one piece of HTML."""
    return Markup("".join(parts))


def _content(content: str) -> str:
    return content if isinstance(content, Markup) else html.escape(shown(content, LONGEST), quote=True)


def _escaped(text: str) -> str:
    return html.escape(visible(text), quote=True)
