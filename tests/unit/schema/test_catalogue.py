"""Which schemas are found, and what is said about kinds without one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import SchemaError
from crossgate.model import Document
from crossgate.schema import ProblemKind, Schemas


def _crd(*versions: dict[str, Any], kind: str = "Disk", group: str = "store.example.org", scope: str = "Cluster") -> dict[str, Any]:
    schema = {
        "openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    }
    named = [{"served": True, "schema": schema, **version} for version in versions]
    spec = {"group": group, "scope": scope, "names": {"kind": kind, "plural": f"{kind.lower()}s"}, "versions": named}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "x"}, "spec": spec}


def _schemas(*bodies: dict[str, Any]) -> Schemas:
    return Schemas({}).including(Document(body, f"{index}.yaml", 1) for index, body in enumerate(bodies))


def _object(version: str = "v1", kind: str = "Disk", **more: Any) -> dict[str, Any]:
    return {"apiVersion": f"store.example.org/{version}", "kind": kind, "metadata": {"name": "d"}, **more}


@pytest.fixture(scope="module")
def committed(root: Path) -> Schemas:
    return Schemas.load([root / "schemas"])


def test_a_version_that_is_not_served_names_those_that_are(committed: Schemas) -> None:
    bucket = {"apiVersion": "storage.gcp.upbound.io/v1beta1", "kind": "Bucket", "metadata": {"name": "b"}}
    (problem,) = committed.validate(bucket)
    assert (problem.kind, problem.path) == (ProblemKind.MISSING_SCHEMA, "apiVersion")
    group = "storage.gcp.upbound.io"
    assert problem.message == f"provider-gcp 2026-08 serves Bucket as {group}/v1beta3 and {group}/v1beta2, not {group}/v1beta1"
    assert problem.hint == f"write apiVersion: {group}/v1beta3"


def test_a_served_false_version_is_known_but_not_offered() -> None:
    schemas = _schemas(_crd({"name": "v1alpha1", "served": False}, {"name": "v1"}, {"name": "v1beta1"}))
    (problem,) = schemas.validate(_object("v1alpha1"))
    assert (
        problem.message == "the cluster serves Disk as store.example.org/v1 and store.example.org/v1beta1, not store.example.org/v1alpha1"
    )
    assert schemas.structural("store.example.org/v1alpha1", "Disk") is None


def test_a_misspelt_kind_gets_the_nearest_of_its_group() -> None:
    (problem,) = _schemas(_crd({"name": "v1"})).validate(_object(kind="Dsik"))
    assert problem.message == "no schema for store.example.org/v1 Dsik; did you mean Disk?"


def test_a_kind_of_an_unknown_group_says_how_to_get_a_schema() -> None:
    (problem,) = _schemas().validate(_object())
    assert problem.blocks
    assert "crossgate schema import" in problem.hint


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ("text", "", "expected an object"),
        ([], "", "expected an object"),
        ({"kind": "Disk"}, "apiVersion", "missing 'apiVersion' key"),
        ({"apiVersion": "v1"}, "kind", "missing 'kind' key"),
        ({"apiVersion": "v1", "kind": 5}, "kind", "expected a string"),
        ({"apiVersion": "a/b/c", "kind": "Disk"}, "apiVersion", "more than one slash"),
        ({"apiVersion": "../..", "kind": "x"}, "apiVersion", "no schema"),
    ],
)
def test_what_is_no_object_at_all(body: Any, path: str, words: str, committed: Schemas) -> None:
    (problem,) = committed.validate(body)
    assert problem.path == path
    assert words in problem.message


def test_what_is_given_later_wins() -> None:
    old, new = _crd({"name": "v1"}), _crd({"name": "v1"})
    new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["type"] = "string"
    schemas = _schemas(old)
    assert schemas.validate(_object(spec={"size": 1})) == []
    later = schemas.including([Document(new, "new.yaml")])
    assert [problem.path for problem in later.validate(_object(spec={"size": 1}))] == ["spec.size"]
    assert schemas.validate(_object(spec={"size": 1})) == [], "the first set is unchanged"


def test_including_nothing_new_is_the_same_set() -> None:
    schemas = _schemas(_crd({"name": "v1"}))
    assert schemas.including([Document({"kind": "ConfigMap"}, "x"), Document(None, "x"), Document([], "x")]) is schemas


def test_a_definition_that_cannot_be_used_is_kept_as_could_not_check() -> None:
    broken = {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition", "metadata": {"name": "x"}, "spec": {}}
    schemas = _schemas(broken, _crd({"name": "v1"}))
    assert schemas.validate(_object()) == [], "the others are still used"
    (unknown,) = schemas.unusable
    assert "cannot be used" in unknown.what
    assert unknown.where.startswith("0.yaml")
    assert schemas.judge([]).could_not_check == (unknown,)


def test_the_structural_schema_has_the_frame_of_every_object() -> None:
    schema = _schemas(_crd({"name": "v1"})).structural("store.example.org/v1", "Disk")
    assert schema is not None
    assert schema["properties"]["spec"]["properties"]["size"] == {"type": "integer"}
    assert schema["properties"]["kind"] == {"type": "string"}
    assert schema["properties"]["metadata"]["properties"]["labels"]["additionalProperties"] == {"type": "string"}


def test_the_digest_changes_with_what_is_known(root: Path, committed: Schemas) -> None:
    same = Schemas.load([root / "schemas"])
    assert committed.digest == same.digest
    assert committed.digest.startswith("sha256:")
    assert committed.including([Document(_crd({"name": "v1"}), "x")]).digest != committed.digest


def test_crds_and_xrds_are_read_from_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "crd.yaml").write_text(
        "# a comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\napiVersion: apiextensions.k8s.io/v1\n"
        "kind: CustomResourceDefinition\nmetadata: {name: x}\nspec:\n  group: a.example.org\n  scope: Namespaced\n"
        "  names: {kind: A, plural: as}\n  versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object}}}]\n"
    )
    (tmp_path / "notes.txt").write_text("not: [read")
    assert [kind.kind for kind in Schemas.load([tmp_path]).kinds()] == ["A"]
    assert [kind.scope for kind in Schemas.load([tmp_path / "deep" / "crd.yaml"]).kinds()] == ["Namespaced"]


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SchemaError) as raised:
        Schemas.load([tmp_path / "nothing"])
    assert raised.value.where == str(tmp_path / "nothing")


def test_a_folder_of_plain_json_schemas_is_read_by_file_name(tmp_path: Path) -> None:
    """As kubeconform takes them: for a kind of any group, or in CRD catalogues' layout for one group and version."""
    spec = {"type": "object", "additionalProperties": False, "properties": {"size": {"type": ["integer", "null"]}}}
    closed = json.dumps({"type": "object", "properties": {"spec": spec}})
    (tmp_path / "rule.json").write_text(closed)
    (tmp_path / "store.example.org").mkdir()
    (tmp_path / "store.example.org" / "disk_v1.json").write_text(closed)
    schemas = Schemas.load([tmp_path])
    rule = {"apiVersion": "any.example.org/v7", "kind": "Rule", "metadata": {"name": "r"}}
    assert schemas.validate({**rule, "spec": {"size": None}, "more": 1}) == []
    assert [problem.path for problem in schemas.validate({**rule, "spec": {"size": "1", "sise": 1}})] == ["spec.sise", "spec.size"]
    assert schemas.validate(_object(spec={"size": 1})) == []
    assert schemas.validate(_object("v2"))[0].kind is ProblemKind.MISSING_SCHEMA


def test_validation_of_one_resource_loads_neither_engine(root: Path) -> None:
    """A claim is checked in well under half a second: what costs 50 ms and more to import must wait until it is needed."""
    program = (
        "import sys; from crossgate.schema import Schemas; "
        f"schemas = Schemas.load([{str(root / 'schemas')!r}]); "
        "assert schemas.validate({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'x'}, 'data': {'a': 'b'}}) == []; "
        "print(sorted({'cel', 'cel.cel', 'jsonschema', 'jsonschema_rs', 'yaml', 're2', 'click', 'oras'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_rule_runs_without_the_engines_own_command_line(root: Path) -> None:
    """``import cel`` costs half a second of prompt_toolkit and typer; the extension module alone 30 ms."""
    program = (
        "import sys; from crossgate.schema.celengine import evaluate; "
        "assert evaluate('self > 1', {'self': 2}, old_self=False) is True; "
        "print(sorted({'typer', 'prompt_toolkit', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout == "[]\n"
