"""Answers of the API server's own library (apiextensions-apiserver 0.36) to 2,500 generated resources.

``crds`` are small definitions made for this project, one a kind of rule (formats, numbers, combinators, lists, defaults, embedded
objects, CEL, scale); some resources are of the XRDs of validate.json. A case has the unknown fields, and the fields and kinds of the
other errors, that the library gave; ``bad`` says that it could not even decode the metadata.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document
from crossgate.schema import ProblemKind, Schemas, validation

HERE = Path(__file__).parent
RECORDED = json.loads(gzip.decompress((HERE / "apiserver.json.gz").read_bytes()))
EXTENSIONS = json.loads(gzip.decompress((HERE / "validate.json.gz").read_bytes()))["extensions"]


def _plain(path: str) -> str:
    """Write a path of either side with all keys dotted; only list indices stay in brackets."""
    dotted = re.sub(r"\[([^\]]*[^\d\]][^\]]*)\]", r".\1", path)
    return dotted.replace(".[", "[").removeprefix(".")


@pytest.mark.parametrize("walked", [0, 8], ids=["fast yes first", "exact rules first"])
def test_the_verdict_and_the_fields_are_those_of_the_server(walked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "WALKED", walked)
    schemas = Schemas({}).including(Document(body, "") for body in [*RECORDED["crds"], *EXTENSIONS])
    wrong: list[tuple[dict[str, Any], Any]] = []
    for case in RECORDED["cases"]:
        problems = schemas.validate(case["resource"])
        refused = bool(case["bad"] or case["unknown"] or case["errors"])
        unknown = {_plain(problem.path) for problem in problems if problem.kind is ProblemKind.UNKNOWN_FIELD}
        others = {_plain(problem.path) for problem in problems if problem.kind is not ProblemKind.UNKNOWN_FIELD}
        named = {_plain(field) for field, _ in case["errors"] if field}
        same = refused == bool(problems)
        if not case["bad"]:
            same = same and unknown == {_plain(field) for field in case["unknown"]}
            same = same and (bool(case["unknown"]) or named <= others)
        if not same:
            wrong.append((case, problems))
    assert wrong == []
