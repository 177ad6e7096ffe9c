"""Tests of Compositions, for ``crossgate test`` and for pytest.

    from crossgate.testing import cases, check

    @pytest.mark.parametrize("case", cases("tests/cases"), ids=str)
    def test_compositions(case):
        check(case)

A case is a folder with ``claim.yaml`` or ``xr.yaml``. What must become of it stands in ``expected.yaml`` (the XR and the composed
resources, or some of them) and in ``case.yaml`` (``match: exact`` or ``subset``, ``assertions`` in CEL, or the ``error`` that must
come). An assertion sees ``input``, ``xr``, ``composed`` (a list), ``resources`` (template name to composed resource), ``everything``
(nested XRs rendered down and manifests unwrapped), ``context`` and ``warnings``.

``observed.yaml``, ``required.yaml``, ``context.yaml``, ``composition.yaml`` and ``xrd.yaml`` may stand beside it; APIs and
Compositions are found in the project's ``dist/`` otherwise.

``render_claim`` and ``findings`` take manifests that stand in the test itself:

    assert "network/open-cidr" in {finding.rule for finding in findings(CLAIM)}
"""

from __future__ import annotations

from crossgate.testing.case import Assertion, Case, Settings, cases
from crossgate.testing.compare import Difference, compare
from crossgate.testing.inline import findings, render_claim
from crossgate.testing.run import Outcome, Project, rendered, run

__all__ = [
    "Assertion",
    "Case",
    "Difference",
    "Outcome",
    "Project",
    "Settings",
    "cases",
    "check",
    "compare",
    "findings",
    "render_claim",
    "rendered",
    "run",
]


def check(case: Case, project: Project | None = None) -> None:
    """Run ``case`` and raise ``AssertionError`` with every failure when it does not pass."""
    outcome = run(case, project)
    if outcome.could_not_check:
        unknown = outcome.could_not_check
        raise AssertionError("\n".join(("could not check:", unknown.what, unknown.where, unknown.hint)))
    if outcome.failures:
        raise AssertionError("\n".join(outcome.failures))
