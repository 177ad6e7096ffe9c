"""The public Python API is a promise: names, signatures, and that help() reads like documentation."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import crossgate


def test_all_is_sorted_and_complete() -> None:
    assert crossgate.__all__ == sorted(crossgate.__all__)
    for name in crossgate.__all__:
        assert getattr(crossgate, name) is not None
    assert dir(crossgate) == crossgate.__all__


def test_everything_public_says_what_it_is() -> None:
    for name in crossgate.__all__:
        assert (getattr(crossgate, name).__doc__ or "").strip(), name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nope"):
        crossgate.nope  # noqa: B018 - reading the attribute is the test


def test_signatures_are_those_of_the_design() -> None:
    assert list(inspect.signature(crossgate.load_text).parameters) == ["text", "name"]
    render = inspect.signature(crossgate.render).parameters
    assert list(render)[:6] == ["xr", "composition", "observed", "required", "context", "functions"]
    assert all(render[name].kind is inspect.Parameter.KEYWORD_ONLY for name in ("observed", "required", "context", "functions"))
    check = inspect.signature(crossgate.check).parameters
    assert next(iter(check)) == "paths"
    assert check["config"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("first", ["import crossgate.check", "from crossgate.render.estate import expand", "crossgate.load_text('a: 1')"])
def test_functions_are_not_hidden_by_modules_of_the_same_name(first: str) -> None:
    """Python binds a submodule on its package; `crossgate.render` must stay the function whatever was imported before."""
    script = f"import crossgate\n{first}\nassert crossgate.render.__name__ == 'render' and crossgate.check.__name__ == 'check'\n"
    script += "assert not isinstance(crossgate.render, type(crossgate)) and not isinstance(crossgate.check, type(crossgate))\n"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_problems_have_a_dotted_path_and_a_plain_kind() -> None:
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "Thing", "plural": "things"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "spec": {
                                    "type": "object",
                                    "properties": {"n": {"type": "array", "items": {"type": "integer"}}},
                                    "x-kubernetes-validations": [{"rule": "size(self.n) < 3", "message": "at most two"}],
                                }
                            },
                        }
                    },
                }
            ],
        },
    }
    (document,) = crossgate.load_text(__import__("json").dumps(definition))
    schemas = crossgate.Schemas.load([]).including([document])
    frame = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "t", "namespace": "n"}}

    def said(resource: dict[str, object]) -> list[tuple[str, str]]:
        return [(problem.path, str(problem.kind)) for problem in schemas.validate(resource)]

    assert said({**frame, "spec": {"n": [1]}}) == []
    assert said({**frame, "spec": {"n": [1, "x"]}}) == [("spec.n[1]", "schema")]
    assert said({**frame, "spec": {"m": 1, "n": []}}) == [("spec.m", "unknownField")]
    assert said({**frame, "spec": {"n": [1, 2, 3]}}) == [("spec", "cel")]
    assert [kind for _, kind in said({**frame, "kind": "Other"})] == ["missingSchema"]


def test_importing_costs_nothing_but_its_errors_and_values() -> None:
    """`import crossgate` in somebody's program must not import a YAML reader, let alone start Node."""
    script = "import crossgate, sys; print(sorted(m for m in sys.modules if m.startswith('crossgate.') or m in ('yaml', 'cdk8s')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['crossgate.errors', 'crossgate.model', 'crossgate.paths']"


def test_help_reads_like_documentation() -> None:
    done = subprocess.run([sys.executable, "-c", "import crossgate; help(crossgate)"], capture_output=True, text=True, check=True)
    for part in ("rendering.composed", "class Report", "render(xr", "load_text(text", "exit_code"):
        assert part in done.stdout, part
