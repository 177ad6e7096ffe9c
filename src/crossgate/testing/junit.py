"""JUnit's XML for the outcomes of cases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from crossgate.testing.run import Outcome

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[tuple[Outcome, float]]) -> str:
    """Return one test suite; each outcome comes with the seconds that it took."""
    failures = sum(bool(outcome.failures) for outcome, _ in outcomes)
    errors = sum(outcome.could_not_check is not None for outcome, _ in outcomes)
    seconds = sum(spent for _, spent in outcomes)
    counts = f'tests="{len(outcomes)}" failures="{failures}" errors="{errors}" skipped="0" time="{seconds:.3f}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="crossgate test" {counts}>']
    lines.append(f'  <testsuite name="crossgate test" {counts}>')
    for outcome, spent in outcomes:
        start = f'    <testcase classname={_attribute(str(outcome.case.folder))} name={_attribute(outcome.case.name)} time="{spent:.3f}"'
        body = _body(outcome)
        lines += [f"{start}>", *body, "    </testcase>"] if body else [f"{start}/>"]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _body(outcome: Outcome) -> list[str]:
    if outcome.could_not_check:
        unknown = outcome.could_not_check
        text = "\n".join(part for part in (unknown.what, unknown.where, unknown.hint) if part)
        return [f"      <error message={_attribute(unknown.what)}>{_text(text)}</error>"]
    if outcome.failures:
        first = outcome.failures[0].splitlines()[0]
        return [f"      <failure message={_attribute(first)}>{_text(chr(10).join(outcome.failures))}</failure>"]
    return []


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("�", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("�", text))
