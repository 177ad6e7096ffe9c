"""The static check of a Composition: everything that can be known to be wrong before any claim exists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from crossgate.model import Document, Finding, Judgement
from crossgate.schema import Schemas
from crossgate.static import bases, details, inputs, kinds, mismatch, names, order, selectors, sources, targets, templates, unset
from crossgate.static.fault import Fault
from crossgate.static.reading import read
from crossgate.static.subject import Subject, prepare
from crossgate.trace import finding_in

CHECKS: tuple[Callable[[Subject], Iterator[Fault]], ...] = (
    inputs.check,
    kinds.check,
    templates.check,
    sources.check,
    selectors.check,
    targets.check,
    mismatch.check,
    bases.check,
    details.check,
    order.check,
    unset.check,
    names.check,
)
"""Each looks for one family of faults; their order is the order of the findings of one line."""


def check_composition(composition: Document, schemas: Schemas, functions: Mapping[str, str] | None = None) -> Judgement:
    """Judge a Composition against the XRD that it serves and the CRDs of what it composes, without any claim.

    Args:
        composition: the Composition (``apiextensions.crossplane.io``), Pipeline mode or the removed native mode.
        schemas: the schemas of its XR (an XRD among them) and of the kinds that it composes.
        functions: the function behind a ``functionRef`` name that does not tell.

    Returns:
        Findings at the line of the patch, transform or base field (rules: docs/composition-checks.md), and what could not be
        judged: an XR without XRD, a composed kind without schema, a step whose function crossgate cannot run.
    """
    subject = prepare(read(composition, functions), schemas)
    found = dict.fromkeys(fault for check in CHECKS for fault in check(subject))
    return Judgement(
        findings=tuple(_finding(subject.composition.document, fault) for fault in found),
        could_not_check=tuple(dict.fromkeys(kinds.unknown(subject))),
    )


def _finding(document: Document, fault: Fault) -> Finding:
    return finding_in(
        document,
        fault.at,
        rule=fault.rule,
        reason=fault.reason,
        severity=fault.severity,
        message=fault.message,
        remediation=fault.remediation,
    )
