"""The table of an API's fields says what its schema says."""

from __future__ import annotations

from mlplatform.core.documentation import fields_table
from mlplatform.gpucluster import GPU_CLUSTER


def test_every_field_has_a_row_with_default_and_rule() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in fields_table(GPU_CLUSTER).splitlines()]
    by_name = {row[0]: row for row in rows}
    assert by_name["`spec.parameters.gpuType`"][1:4] == ["string", "`t4`", "one of `t4`, `v100`, `a100`"]
    assert by_name["`spec.parameters.minNodes`"][1:4] == ["integer", "`0`", "0 to 1000"]
    assert by_name["`spec.parameters.name`"][2] == "required"
    assert "minNodes must not be greater than maxNodes" in by_name["`spec.parameters`"][3]
    assert all(row[4] for row in rows[2:]), "every field is described"
