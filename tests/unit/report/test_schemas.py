"""What is written as JSON is what its schema says: nothing is missing, nothing stands there that the schema does not describe."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from crossgate.check import check
from crossgate.cli.report import command
from crossgate.config import Config
from crossgate.model import Report
from crossgate.plan.model import Plan
from crossgate.report.json import to_json
from crossgate.report.plan.json import to_json as plan_to_json
from crossgate.report.schemas import NAMES, schema_text

ROOT = Path(__file__).parents[3]
CASES = sorted((ROOT / "tests/conformance/policy").iterdir())


def closed(schema: Any) -> Any:
    """Return a schema that takes no field which it does not describe; the published one lets readers meet newer fields."""
    schema = copy.deepcopy(schema)

    def close(node: Any) -> None:
        if isinstance(node, dict):
            if "properties" in node and "additionalProperties" not in node:
                node["additionalProperties"] = False
            for value in node.values():
                close(value)

    close(schema)
    return schema


def problems(name: str, text: str) -> list[str]:
    schema = closed(json.loads(schema_text(name)))
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(json.loads(text))]


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema_text(name)))


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_explained(name: str) -> None:
    """A promise that nobody can read is none; names of Kubernetes and of files explain themselves."""
    schema = json.loads(schema_text(name))
    plain = {
        "apiVersion",
        "kind",
        "namespace",
        "name",
        "file",
        "path",
        "label",
        "message",
        "rule",
        "reason",
        "owner",
        "version",
        "schemaVersion",
        *("create", "update", "replace", "delete"),
    }
    for part in (schema, *schema["$defs"].values()):
        for field, value in part["properties"].items():
            assert field in plain or {"description", "$ref"} & set(value), field


@pytest.mark.parametrize("name", NAMES)
def test_the_command_prints_it(name: str) -> None:
    assert CliRunner().invoke(command, ["schema", name]).output == schema_text(name)


def test_the_golden_report_is_what_the_schema_says() -> None:
    assert problems("report", (ROOT / "tests/golden/report.json").read_text(encoding="utf-8")) == []


def test_a_report_that_has_everything_is_what_the_schema_says(everything: Report) -> None:
    assert problems("report", to_json(everything)) == []


def test_a_plan_that_has_everything_is_what_the_schema_says(everything: Report) -> None:
    assert everything.plan is not None
    assert problems("plan", plan_to_json(everything.plan)) == []


def test_empty_ones_are_what_the_schemas_say() -> None:
    assert problems("report", to_json(Report(versions={"tool": "1"}))) == []
    assert problems("plan", plan_to_json(Plan("main"))) == []


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_real_reports_are_what_the_schema_says(folder: Path, tmp_path: Path) -> None:
    config = Config(tmp_path, tmp_path / "dist", (folder / "policy",), ())
    report = check(sorted(folder.glob("*.yaml")), config=config)
    assert report.findings or report.could_not_check
    assert problems("report", to_json(report)) == []


def test_our_own_manifests_give_such_a_report() -> None:
    report = check(config=Config.find(ROOT))
    assert report.versions["data"] != report.versions["policies"] != ""
    assert problems("report", to_json(report)) == []


def test_what_the_schema_does_not_describe_is_found() -> None:
    """The test above would let anything pass if schemas were not closed."""
    body = json.loads(to_json(Report(versions={"tool": "1"})))
    body["summary"]["more"] = 1
    del body["known"]
    assert sorted(problems("report", json.dumps(body))) == [
        "$.summary: Additional properties are not allowed ('more' was unexpected)",
        "$: 'known' is a required property",
    ]
