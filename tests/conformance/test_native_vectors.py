"""What Crossplane's own converters made of 40 native Compositions.

They are v1.20's ``beta convert pipeline-composition`` and ``composition-environment``. The Compositions were drawn at random
from everything that native mode knew; null fields of the answers are left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.render.native import is_native, to_pipeline

VECTORS = json.loads((Path(__file__).parent / "native.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VECTORS, ids=map(str, range(len(VECTORS))))
def test_conversion(case: dict[str, Any]) -> None:
    assert is_native(case["native"])
    assert to_pipeline(case["native"]) == case["pipeline"]
