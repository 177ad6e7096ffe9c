from __future__ import annotations

import re

import pytest

from crossgate.cli.tree import draw
from crossgate.model import Document, Resource, Role

STYLE = re.compile("\x1b\\[[0-9;]*m")


def resource(kind: str, name: str, parent: Resource | None = None, role: Role = Role.COMPOSED, template: str = "") -> Resource:
    body = {"apiVersion": "some.example.org/v1", "kind": kind, "metadata": {"name": name}}
    return Resource(body, role, Document(body, "folder/claims.yaml", 12), parent, template=template)


def lines(*resources: Resource, width: int = 80) -> list[str]:
    return STYLE.sub("", draw(resources, width)).splitlines()


CLAIM = resource("Claim", "a", role=Role.CLAIM)
XR = resource("XClaim", "a-x", CLAIM, Role.XR)


def test_each_stands_below_its_maker() -> None:
    one, two = resource("One", "o", XR), resource("Two", "t", XR)
    inside = resource("Inside", "i", one, Role.WRAPPED)
    found = lines(CLAIM, XR, one, inside, two)
    starts = ["Claim a  ", "└── XClaim a-x", "    ├── One o  ", "    │   └── Inside i  ", "    └── Two t  "]
    assert all(line.startswith(start) for line, start in zip(found, starts, strict=True)), found


def test_a_composed_resource_that_is_an_xr_is_one_line() -> None:
    nested = resource("XInner", "i", XR, template="inner")
    xr = resource("XInner", "i", nested, Role.XR)
    leaf = resource("Leaf", "l", xr)
    found = lines(CLAIM, XR, nested, xr, leaf)
    assert len(found) == 4
    assert found[3].startswith("        └── Leaf l")


def test_several_trees_stand_one_after_the_other() -> None:
    assert [line.split()[1] for line in lines(CLAIM, resource("Other", "b", role=Role.DOCUMENT))] == ["a", "b"]
    assert draw([], 80) == ""


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    leaf = resource("SomewhatLongKind", "n" * 70, resource("Object", "o" * 30, XR), Role.WRAPPED)
    for line in lines(CLAIM, XR, leaf.parent or XR, leaf, width=width):
        assert len(line) <= width


def test_the_template_is_shown_where_the_name_does_not_tell() -> None:
    found = lines(CLAIM, XR, resource("A", "x-1234", XR, template="bucket"), resource("B", "x-bucket", XR, template="bucket"))
    assert found[2].endswith("bucket · some.example.org/v1")
    assert "·" not in found[3]
