"""Fields of the XR that function-environment-configs reads to select EnvironmentConfigs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path, follow
from crossgate.static import lost
from crossgate.static.assign import said
from crossgate.static.fault import Fault
from crossgate.static.links import parsed
from crossgate.static.reading import ENVIRONMENT_CONFIGS
from crossgate.static.subject import Subject
from crossgate.static.values import of_schema
from crossgate.static.walk import Found, Lost


def check(subject: Subject) -> Iterator[Fault]:
    """Yield labels whose value comes from a field that the XRD does not declare, or that is no text."""
    for step in subject.composition.steps:
        sources = follow(step.input, ("spec", "environmentConfigs")) if step.known == ENVIRONMENT_CONFIGS else None
        for index, source in enumerate(sources if isinstance(sources, list) else ()):
            labels = follow(source, ("selector", "matchLabels"))
            for number, label in enumerate(labels if isinstance(labels, list) else ()):
                text = label.get("valueFromFieldPath") if isinstance(label, dict) else None
                if isinstance(text, str) and label.get("type") != "Value":
                    place: Path = ("spec", "environmentConfigs", index, "selector", "matchLabels", number, "valueFromFieldPath")
                    yield from _label(subject, text, f"label {label.get('key')} of step {step.name}", (*step.input_at, *place))


def _label(subject: Subject, text: str, label: str, at: Path) -> Iterator[Fault]:
    path, error = parsed(text)
    if path is None:
        message = f"{label} reads {text!r}, which is no field path: {error}"
        yield Fault(at, "crossplane/invalid-path", "SYNTAX", Severity.ERROR, message, "write keys with dots between them")
        return
    found: Any = subject.xr.walk(path)
    if isinstance(found, Lost):
        yield Fault(
            at=at,
            rule="crossplane/unknown-source-field",
            reason="NOT_IN_XRD" if found.reason == "UNKNOWN_FIELD" else "WRONG_PARENT",
            severity=Severity.ERROR,
            message=f"{label} reads {text}, but {lost.said(subject.xr, path, found)}",
            remediation=lost.advice(subject.xr, path, found, declared_in="XRD"),
        )
    elif isinstance(found, Found):
        kinds = of_schema(found.schema).kinds
        if kinds and "string" not in kinds:
            message = f"{label} reads {text}, {said(kinds)}, but the value of a label is a string: rendering fails"
            yield Fault(at, "crossplane/type-mismatch", "WRONG_TYPE", Severity.ERROR, message, "read a string, or declare the field as one")
