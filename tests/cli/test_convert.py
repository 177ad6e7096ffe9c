"""``crossgate convert`` as its users call it."""

from __future__ import annotations

from typing import Any

import yaml

NATIVE = """\
# a comment
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: native}
spec:
  compositeTypeRef: {apiVersion: demo.example.org/v1alpha1, kind: XEdge}
  resources:
  - base: {apiVersion: v1, kind: A, data: {flag: "y", number: "1e3"}}
    patches:
    - fromFieldPath: spec.name
      toFieldPath: metadata.name
---
apiVersion: v1
kind: Namespace
metadata: {name: kept}
"""


def test_the_pipeline_form_goes_to_standard_output(project: Any, invoke: Any) -> None:
    project.write("native.yaml", NATIVE)
    done = invoke("convert", "native.yaml")
    assert done.returncode == 0
    assert done.stderr == "crossgate: 1 Composition converted\n"
    composition, namespace = yaml.safe_load_all(done.stdout)
    assert namespace["metadata"]["name"] == "kept"
    assert composition["spec"]["mode"] == "Pipeline"
    (step,) = composition["spec"]["pipeline"]
    assert step["input"]["resources"] == [
        {
            "name": "resource-0",
            "base": {"apiVersion": "v1", "kind": "A", "data": {"flag": "y", "number": "1e3"}},
            "patches": [{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.name", "toFieldPath": "metadata.name"}],
        }
    ]
    assert (project.root / "native.yaml").read_text() == NATIVE


def test_files_are_written_anew_only_where_something_is_converted(project: Any, invoke: Any) -> None:
    project.write("native.yaml", NATIVE)
    text = "# stays\n" + (project.root / "dist/composition.yaml").read_text()
    project.write("modern.yaml", text)
    done = invoke("convert", "native.yaml", "modern.yaml", "--write")
    assert (done.returncode, done.stdout) == (0, "")
    assert (project.root / "modern.yaml").read_text() == text
    assert "mode: Pipeline" in (project.root / "native.yaml").read_text()
    assert invoke("convert", "native.yaml").stderr == "crossgate: 0 Compositions converted\n"


def test_standard_input(project: Any, invoke: Any) -> None:
    assert "mode: Pipeline" in invoke("convert", "-", stdin=NATIVE).stdout
    assert invoke("convert", "-", "--write", stdin=NATIVE).returncode == 2


def test_bad_input(project: Any, invoke: Any) -> None:
    project.write("broken.yaml", "a: [\n")
    for arguments in (["missing.yaml"], ["broken.yaml"]):
        done = invoke("convert", *arguments)
        assert done.returncode in (2, 3)
        assert done.stdout == ""
        assert arguments[0] in done.stderr


def test_the_gate_names_the_command(project: Any, invoke: Any) -> None:
    project.write("dist/composition.yaml", NATIVE.partition("---")[0])
    project.write("claim.yaml", "apiVersion: demo.example.org/v1alpha1\nkind: Edge\nmetadata: {name: a, namespace: b}\nspec: {name: a}\n")
    done = invoke("check", "dist", "claim.yaml")
    assert done.returncode != 0
    assert "crossplane/native-patch-mode" in done.stdout
    assert "crossgate convert dist/composition.yaml" in done.stdout


def test_what_could_not_be_read_is_not_converted(project: Any, invoke: Any) -> None:
    """`resources: 5` went through and looked converted."""
    project.write("native.yaml", NATIVE.replace("toFieldPath: metadata.name", "toFieldPath: 5"))
    done = invoke("convert", "native.yaml")
    assert (done.returncode, done.stdout) == (3, "")
    assert "resources[0].patches[0].toFieldPath must be a string" in done.stderr
    assert "at native.yaml:11" in done.stderr
    project.write(
        "native.yaml", "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {name: c}\nspec: {resources: 5}\n"
    )
    assert "resources must be a list" in invoke("convert", "native.yaml").stderr


def test_a_file_that_is_not_there_is_misuse_and_one_that_cannot_be_read_is_not(project: Any, invoke: Any) -> None:
    """Exit codes: 2 says that the command must be changed, 3 that nothing was judged or done."""
    assert invoke("convert", "gone.yaml").returncode == 2
    assert invoke("convert", "dist").returncode == 3
