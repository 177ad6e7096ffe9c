"""Waivers at admission: what of them can be said of an object that the API server is handed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from crossgate.policy.export import Exemption, Refusal
from crossgate.waive.apply import expression
from crossgate.waive.waivers import Waiver


def exemptions(waivers: Iterable[Waiver], today: date) -> tuple[tuple[Exemption, ...], tuple[Refusal, ...]]:
    """Return what is let pass at admission too, and the waivers that are not, with the reason.

    A waiver that has expired lets nothing pass, here as in a check. One is left out rather than widened: admission sees no file, and an
    annotation alone would let anybody past Git exempt himself.
    """
    exempt: list[Exemption] = []
    left: list[Refusal] = []
    for waiver in waivers:
        name = waiver.id or waiver.resource or waiver.rule
        if waiver.expired(today):
            left.append(Refusal(name, f"it expired on {waiver.expires}"))
        elif waiver.file:
            left.append(Refusal(name, "its scope names a file, and admission sees none"))
        elif not waiver.resource:
            left.append(Refusal(name, "its scope names no resource, so that whoever applies past Git could exempt himself"))
        else:
            exempt.append(
                Exemption(
                    rule=waiver.rule,
                    id=name,
                    owner=waiver.owner,
                    until=waiver.expires.isoformat(),
                    resource=expression(waiver.resource),
                    path="|".join((expression(waiver.path), expression(f"{waiver.path}[.[]*"))) if waiver.path else "",
                    annotated=waiver.id if waiver.annotated else "",
                )
            )
    return tuple(exempt), tuple(left)
