"""What a manifest pins is found wherever it stands, without rendering anything."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.release.pins import pins


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"spec": {"image": "registry.acme.com/server:1.4.2"}}, [("image", "registry.acme.com/server:1.4.2")]),
        (
            {"spec": {"template": {"spec": {"containers": [{"image": "a:1"}], "initContainers": [{"image": f"b@sha256:{'0' * 64}"}]}}}},
            [("image", "a:1"), ("image", f"b@sha256:{'0' * 64}")],
        ),
        ({"spec": {"forProvider": {"chart": {"name": "loki", "version": "2.9.11"}}}}, [("chart", "loki@2.9.11")]),
        ({"spec": {"source": {"chart": "loki", "targetRevision": "2.9.11"}}}, [("chart", "loki@2.9.11")]),
        ({"spec": {"source": {"repoURL": "x", "targetRevision": "v1"}}}, [("revision", "v1")]),
        ({"spec": {"modelDataPath": "m/v7", "modelSha256": "ab"}}, [("model", "m/v7"), ("model", "ab")]),
        ({"spec": {"compositionRevisionRef": {"name": "c-1"}}}, [("composition", "c-1")]),
        ({"spec": {"crossplane": {"compositionRevisionRef": {"name": "c-1"}, "compositionRef": {"name": "c"}}}}, [("composition", "c-1")]),
        ({"spec": {"forProvider": {"databaseVersion": "POSTGRES_14"}}}, [("engine", "POSTGRES_14")]),
        ({"spec": {"image": 3, "chart": {"name": "x"}, "note": "image: a:1"}, "status": {"image": "a:1"}}, []),
        ({"spec": {"image": {"repository": "a", "tag": "1"}}}, []),
        (None, []),
    ],
)
def test_pins(body: Any, expected: list[tuple[str, str]]) -> None:
    assert [(pin.what, pin.value) for pin in pins(body)] == expected


def test_a_pin_knows_its_field() -> None:
    [pin] = pins({"spec": {"containers": [{}, {"image": "a:1"}]}})
    assert pin.path == ("spec", "containers", 1, "image")
