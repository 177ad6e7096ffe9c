"""Draw what a claim becomes: each resource below the one that made it."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence

import click

from crossgate.model import Document, Identity, Resource, Role

_GAP = 2
_LEAST = 10
"""Columns that a remark needs to be worth cutting."""


def draw(resources: Sequence[Resource], width: int = 0) -> str:
    """Return the tree of ``resources``, of which each stands after the one that made it.

    Left stand kind and name, right what tells about them: the line of the author's object, the Composition of an XR, template and
    apiVersion of the others. ``width`` is in columns; 0 takes the terminal's, or 80 where there is none.
    """
    width = width or shutil.get_terminal_size((80, 24)).columns
    below: dict[int, list[Resource]] = defaultdict(list)
    for resource in resources:
        below[id(_shown(resource.parent))].append(resource)
    known = {id(resource) for resource in resources}
    roots = [resource for resource in resources if resource.parent is None or id(resource.parent) not in known]
    lines = [line for root in roots for line in _lines(root, "", "", below, width)]
    return "\n".join(lines) + "\n" if lines else ""


def _shown(resource: Resource | None) -> Resource | None:
    """Return what stands for a resource in the tree: a composed resource that is an XR is one line, not two."""
    parent = resource.parent if resource is not None and resource.role is Role.XR else None
    return parent if resource is not None and parent is not None and parent.identity == resource.identity else resource


def _lines(resource: Resource, first: str, rest: str, below: dict[int, list[Resource]], width: int) -> Iterator[str]:
    children = [child for child in below[id(resource)] if _shown(child) is child]
    yield _line(first, resource, _about(resource, children), width)
    for position, child in enumerate(children):
        last = position == len(children) - 1
        yield from _lines(child, rest + ("└── " if last else "├── "), rest + ("    " if last else "│   "), below, width)


def _line(lead: str, resource: Resource, about: Sequence[str], width: int) -> str:
    """Put name and remark on one line; the remark gives way first, then the middle of the name."""
    identity = resource.identity
    name = _name(identity)
    room = width - len(lead) - len(identity.kind) - 1
    left = room - len(name) - _GAP
    remark = next((text for text in about if len(text) <= left), f"{about[-1][: left - 1]}…" if left >= _LEAST else "")
    if len(name) > room:
        keep = max(room - 1, 8)
        name = f"{name[: keep - keep // 2]}…{name[-(keep // 2) :]}"
    space = " " * (room - len(name) - len(remark)) if remark else ""
    shown = click.style(name, bold=resource.parent is None)
    return f"{click.style(lead, dim=True)}{click.style(identity.kind, fg='cyan')} {shown}{space}{click.style(remark, dim=True)}"


def _name(identity: Identity) -> str:
    name = identity.name or "(no name)"
    return f"{identity.namespace}/{name}" if identity.namespace else name


def _about(resource: Resource, children: Sequence[Resource]) -> list[str]:
    """Return what to say about a resource, the fullest first."""
    if resource.parent is None:
        place = resource.document.place()
        where = f"{place.file}:{place.line}" if place.line else place.file
        return [where, where.rpartition("/")[2], f"line {place.line}"]
    names = list(dict.fromkeys(_composition(child.composition) for child in children if child.composition))
    if names:
        return [f"Composition {', '.join(names)}", ", ".join(names)]
    group, _, version = resource.identity.api_version.rpartition("/")
    short = f"{group.partition('.')[0]}…/{version}" if "." in group else version
    # a generated name says nothing about its template, a written one mostly does
    generated = resource.template and resource.template not in resource.identity.name
    template = [f"{resource.template} · {resource.identity.api_version}", f"{resource.template} · {short}"] if generated else []
    return [*template, resource.identity.api_version, short, version]


def _composition(document: Document) -> str:
    return Identity.of(document.body).name
