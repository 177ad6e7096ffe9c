from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.errors import LoadError, UsageError
from crossgate.testing import Assertion, Case, Project, Settings, cases, run


def case(folder: Path, **files: str) -> Case:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return Case(folder, folder.name)


CLAIM = "apiVersion: a/v1\nkind: A\n"


def test_cases_are_the_folders_with_an_input_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b/two", "b/one", "a", "none"):
        case(tmp_path / name, **({"xr" if name == "a" else "claim": CLAIM} if name != "none" else {}))
    assert [found.name for found in cases(tmp_path)] == ["a", "b/one", "b/two"]
    assert [found.name for found in cases([tmp_path / "a", str(tmp_path / "b")])] == ["a", "one", "two"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        cases(tmp_path / "nope")


@pytest.mark.parametrize("files", [{"claim": CLAIM, "xr": CLAIM}, {"claim": f"{CLAIM}---\n{CLAIM}"}, {"claim": ""}])
def test_a_case_has_one_input(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(LoadError, match="one claim or XR"):
        _ = case(tmp_path, **files).input


def test_settings(tmp_path: Path) -> None:
    text = "description: why\nmatch: subset\nerror: 'no'\nassertions:\n- size(composed) == 1\n- {cel: 'true', message: always}\n"
    assert case(tmp_path, case=text).settings == Settings(
        "why", "subset", (Assertion("size(composed) == 1"), Assertion("true", "always")), "no"
    )
    assert case(tmp_path / "empty").settings == Settings()


@pytest.mark.parametrize(
    "text",
    ["[]", "matches: exact", "match: partly", "assertions: text", "assertions: [3]", "error: 3", "error: no", "a: b\n---\nc: d", "a: ["],
)
def test_malformed_settings_say_what_can_be_written(tmp_path: Path, text: str) -> None:
    with pytest.raises(LoadError):
        _ = case(tmp_path, case=text).settings


def test_a_context_is_a_mapping(tmp_path: Path) -> None:
    assert case(tmp_path, context="apiextensions.crossplane.io/environment: {a: 1}").context == {
        "apiextensions.crossplane.io/environment": {"a": 1}
    }
    with pytest.raises(LoadError, match="mapping"):
        _ = case(tmp_path, context="[1]").context


def test_a_folder_whose_input_is_misspelt_is_not_left_out(tmp_path: Path) -> None:
    """A suite that passes because a case is not run is worse than none."""
    case(tmp_path / "good", claim=CLAIM)
    case(tmp_path / "good" / "parts", more=CLAIM)
    case(tmp_path / "lost", claims=CLAIM, expected="")
    assert [found.name for found in cases(tmp_path)] == ["good", "lost"]
    outcome = run(cases(tmp_path)[1], Project())
    assert outcome.could_not_check is not None
    assert outcome.could_not_check.what == "the case has no input"
