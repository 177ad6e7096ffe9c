"""The plan as JSON: the stable machine form (``schemaVersion`` changes when it does)."""

from __future__ import annotations

import json
from typing import Any

from crossgate.cost import Estimate
from crossgate.cost.document import sums
from crossgate.model import Identity
from crossgate.paths import MISSING
from crossgate.plan.model import ClaimChange, FieldChange, Mark, Plan, ResourceChange

SCHEMA_VERSION = "1"


def to_json(plan: Plan) -> str:
    """Write a plan as JSON text; ``before`` is left out for what is added, ``after`` for what is removed."""
    body = {
        "schemaVersion": SCHEMA_VERSION,
        "base": plan.base,
        "versions": dict(plan.versions),
        "summary": {**plan.counts, "dangers": len(list(plan.dangers)), "ignored": plan.ignored, "exitCode": plan.exit_code},
        "claims": [_claim(claim) for claim in plan.claims],
        "gate": [
            {"rule": each.rule, "reason": each.reason, "severity": str(each.severity), "message": each.message, "file": each.place.file}
            for each in plan.gate
        ],
        "costs": [{"team": each.team, **_costs(each.before, each.after)} for each in plan.costs],
        "notes": list(plan.notes),
        "couldNotCheck": [{"what": item.what, "where": item.where, "hint": item.hint} for item in plan.could_not_check],
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def _claim(claim: ClaimChange) -> dict[str, Any]:
    return {
        "action": str(claim.action),
        **_sides(claim.before, claim.after),
        "role": str(claim.role),
        "file": claim.place.file,
        "line": claim.place.line,
        "team": claim.team,
        "owners": list(claim.owners),
        "cost": _costs(claim.cost_before, claim.cost_after),
        "marks": [_mark(mark) for mark in claim.marks],
        "causes": list(claim.causes),
        "problems": list(claim.problems),
        "ignored": claim.ignored,
        "fields": [_field(change) for change in claim.fields],
        "resources": [_resource(resource) for resource in claim.resources],
    }


def _costs(before: Estimate | None, after: Estimate | None) -> dict[str, Any]:
    currency = next((side.currency for side in (after, before) if side is not None and side.currency), "")
    sides = {name: sums(side) for name, side in (("before", before), ("after", after)) if side is not None}
    return {"currency": currency, **sides} if sides else {}


def _resource(resource: ResourceChange) -> dict[str, Any]:
    return {
        "action": str(resource.action),
        **_sides(resource.before, resource.after),
        "role": str(resource.role),
        "template": resource.template,
        "composition": resource.composition,
        "marks": [_mark(mark) for mark in resource.marks],
        "fields": [_field(change) for change in resource.fields],
    }


def _field(change: FieldChange) -> dict[str, Any]:
    return {
        "action": str(change.action),
        "path": change.name,
        **({"before": change.before} if change.before is not MISSING else {}),
        **({"after": change.after} if change.after is not MISSING else {}),
        "sensitive": change.sensitive,
        "causes": list(change.causes),
        "marks": [_mark(mark) for mark in change.marks],
    }


def _mark(mark: Mark) -> dict[str, Any]:
    return {"danger": str(mark.danger), "grave": mark.danger.grave, "message": mark.message}


def _sides(before: Identity | None, after: Identity | None) -> dict[str, Any]:
    return {name: _identity(side) for name, side in (("before", before), ("after", after)) if side is not None}


def _identity(identity: Identity) -> dict[str, str]:
    return {"apiVersion": identity.api_version, "kind": identity.kind, "namespace": identity.namespace, "name": identity.name}
