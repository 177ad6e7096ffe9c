"""Answers of Kubernetes 1.36's own registries (strict decoding, defaulting, ``rest.BeforeCreate``) to 2,776 objects of its own kinds.

``bases`` are 30 good objects made for this project; an answer is the number of a base, a path in it and what was put there (``to``; an
empty object: the field was dropped), the fields that the server named, and whether it could not even decode the object.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from crossgate.paths import follow
from crossgate.schema import Schemas, validation

RECORDED = json.loads(gzip.decompress((Path(__file__).parent / "builtin.json.gz").read_bytes()))

NOT_PORTED = re.compile(
    r"(spec\.limits|spec\.hard|spec\.scaleTargetRef\.apiVersion|spec\.behavior\.|spec\.timeZone|spec\.completionMode|spec\.ports$)"
    r"|tolerations\[\d+\]\.operator|serviceAccountToken|valueFrom\.secretKeyRef\.name"
)
"""Fields with rules of the server that are not followed here: too loose on them is known, too strict is not allowed anywhere."""


def _object(base: int, path: list[Any] | None, change: dict[str, Any] | None) -> dict[str, Any]:
    body: dict[str, Any] = copy.deepcopy(RECORDED["bases"][base])
    if path is not None and change is not None:
        parent = follow(body, path[:-1])
        if "to" in change:
            parent[path[-1]] = change["to"]
        else:
            del parent[path[-1]]
    return body


@pytest.mark.parametrize("walked", [0, 10**6], ids=["fast yes", "exact rules"])
def test_objects_are_taken_and_refused_as_the_server_does(walked: int, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "WALKED", walked)
    schemas = Schemas.load([root / "schemas"])
    wrong: list[Any] = []
    for base, path, change, fields, undecodable in RECORDED["answers"]:
        body = _object(base, path, change)
        problems = schemas.validate(body)
        refused = undecodable or bool(fields)
        known = bool(fields) and all(NOT_PORTED.search(field) for field in fields)
        if bool(problems) != refused and not (known and not problems):
            wrong.append((body["kind"], path, change, fields, problems))
    assert wrong == []
