"""Each format as it looks today, for a report and a plan that have everything; `make goldens` writes them again."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from crossgate.model import Report
from crossgate.report import FORMATS, write
from crossgate.report.plan import FORMATS as PLAN_FORMATS
from crossgate.report.plan import write as write_plan

ENDINGS = {"text": "txt", "json": "json", "sarif": "sarif", "junit": "xml", "github": "github", "markdown": "md", "html": "html"}


def kept(text: str) -> str:
    """Leave out the page's style and script, which are files of their own, and break its one line where its parts start."""
    text = re.sub(r"(<style>|<script>).*?(</style>|</script>)|'sha256-[^']*'|&#x27;sha256-.*?&#x27;", r"\1\2", text, flags=re.DOTALL)
    return re.sub(r"(?=<(?:section|li|details|summary|div|header|nav|form|footer|tr|p|dl|main|script)\b)", "\n", text)


@pytest.mark.parametrize("name", FORMATS)
def test_report(everything: Report, golden: Callable[[str, str], None], name: str) -> None:
    text = write(everything, name)
    golden(f"everything/report.{ENDINGS[name]}", kept(text) if name == "html" else text)


@pytest.mark.parametrize("name", PLAN_FORMATS)
def test_plan(everything: Report, golden: Callable[[str, str], None], name: str) -> None:
    assert everything.plan is not None
    text = write_plan(everything.plan, name)
    golden(f"everything/plan.{ENDINGS[name]}", kept(text) if name == "html" else text)


def test_every_format_has_an_ending() -> None:
    assert set(ENDINGS) == {*FORMATS, *PLAN_FORMATS}
