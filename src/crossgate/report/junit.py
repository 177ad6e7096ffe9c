"""The report as JUnit XML: one suite a file, one case an object that is clean, one case a finding."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree as ET

from crossgate.model import Finding, Place, Report, Waived

_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (production 2, Char) cannot hold, even escaped; and carriage returns, which a reader takes for line ends."""


def to_junit(report: Report) -> str:
    """Write a report as JUnit XML text.

    Findings at or over ``fail_on`` are failures, lesser ones and those known from the base pass with their text in
    ``system-out``, waived ones are skipped with the waiver's reason; what could not be checked is an error. An empty run has one suite
    without tests.
    """
    suites: dict[str, list[ET.Element]] = defaultdict(list)
    waived = [each.finding for each in report.waived]
    faulty = {(finding.place.file, finding.resource) for finding in (*report.findings, *report.known, *waived)}
    for subject in report.subjects:
        if (subject.place.file, subject.resource) not in faulty:
            suites[subject.place.file].append(_case(str(subject.resource), subject.place.file))
    for finding in report.findings:
        suites[finding.place.file].append(_finding(finding, failing=finding.severity.rank <= report.fail_on.rank))
    for finding in report.known:
        suites[finding.place.file].append(_finding(finding, failing=False))
    for each in report.waived:
        suites[each.finding.place.file].append(_waived(each))
    for item in report.could_not_check:
        file = Place.parse(item.where).file
        case = _case(f"could not check: {item.what}", file)
        _said(case, "error", item.what, "could-not-check", f"{item.what}\nat {item.where}\n{item.hint}")
        suites[file].append(case)

    root = ET.Element("testsuites", name="crossgate")
    for file, cases in sorted(suites.items()) or [("crossgate", [])]:
        root.append(_suite(file, _distinct(cases)))
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(file: str, cases: list[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", name=_text(file) or "crossgate", tests=str(len(cases)))
    for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(sum(case.find(tag) is not None for case in cases)))
    suite.extend(cases)
    return suite


def _case(name: str, file: str) -> ET.Element:
    return ET.Element("testcase", name=_text(name), classname=_text(file) or "crossgate")


def _finding(finding: Finding, *, failing: bool) -> ET.Element:
    case = _case(f"{finding.rule}: {finding.resource} {finding.path}".rstrip(), finding.place.file)
    lines = [finding.message, f"at {finding.place}" if finding.place.file else "", " → ".join(finding.origin), finding.remediation]
    body = "\n".join(line for line in lines if line)
    if failing:
        _said(case, "failure", finding.message, finding.reason or finding.rule, body)
    else:
        ET.SubElement(case, "system-out").text = _text(f"{finding.severity}: {body}")
    return case


def _waived(waived: Waived) -> ET.Element:
    case = _finding(waived.finding, failing=False)
    by = f"waived by {waived.owner} until {waived.expires}: {waived.reason}"
    case.insert(0, ET.Element("skipped", message=_text(by)))
    return case


def _said(case: ET.Element, tag: str, message: str, kind: str, body: str) -> None:
    ET.SubElement(case, tag, message=_text(message), type=kind).text = _text(body)


def _distinct(cases: list[ET.Element]) -> list[ET.Element]:
    """Number cases of one name: two findings of one rule in one object would else be shown as one."""
    seen: dict[str, int] = defaultdict(int)
    for case in cases:
        name = case.get("name", "")
        seen[name] += 1
        if seen[name] > 1:
            case.set("name", f"{name} ({seen[name]})")
    return cases


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
