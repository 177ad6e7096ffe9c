"""ValidatingAdmissionPolicies: the rules that have a twin in CEL, each with its binding.

The API server enforces them itself, without a webhook. Only what agrees with the Rego on the rule's own test documents is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from crossgate.model import WAIVER, Severity
from crossgate.policy.bundle import Bundle
from crossgate.policy.data import lists_of
from crossgate.policy.export.agreement import Comparison
from crossgate.policy.export.model import Exemption, Export, Options, Refusal, waivers_of
from crossgate.policy.export.reasons import ESTATE, PROGRAMS, git_only
from crossgate.policy.export.twins import Twin, twin_of
from crossgate.policy.rules import Rule, Scope

_LONGEST = 253
"""Characters of the name of an object that is no DNS label."""
ACTIONS = {Severity.ERROR: ["Deny"], Severity.WARNING: ["Warn", "Audit"], Severity.INFO: ["Audit"]}
NO_TWIN = "it has no twin in CEL (a file <rule>.cel beside it)"
_SUBRESOURCES = {("", "Pod"): ["pods/ephemeralcontainers"]}
"""Where an object of a kind is changed besides its own resource: the server hands the policy the whole object there too."""

_LIVE = {"name": "is-not-being-deleted", "expression": "!has(object.metadata.deletionTimestamp)"}
_WRITTEN = {
    "name": "is-made-by-no-controller",
    # whoever applies by hand could claim to be one
    "expression": (
        f"!(request.userInfo.username.startsWith('{PROGRAMS}') && (has(object.metadata.ownerReferences) && "
        "object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller) || has(object.metadata.labels) && "
        "('crossplane.io/composite' in object.metadata.labels || 'crossplane.io/claim-name' in object.metadata.labels)))"
    ),
}


def export_vap(bundle: Bundle, rules: Iterable[Rule], options: Options | None = None) -> Export:
    """Write a ValidatingAdmissionPolicy and its binding for every rule that has a twin.

    Args:
        bundle: the policies with their tests, on whose documents each twin is compared with its Rego.
        rules: those of its rules that decide.
        options: how the bindings act.

    Returns:
        One file for each rule; rules without a twin, or with one that disagrees, with the reason.

    Raises:
        PolicyError: the policies do not compile, or a twin is not in form.
    """
    options = options or Options()
    lists = lists_of(bundle)
    comparison = Comparison(bundle)
    files: dict[str, list[dict[str, Any]]] = {}
    exported: dict[str, str] = {}
    refused: list[Refusal] = []
    waived: list[Exemption] = []
    not_waived: list[Refusal] = []
    for rule in rules:
        twin = twin_of(bundle, rule, lists)
        why = git_only(bundle, rule) or _why_not(rule, twin, comparison)
        if twin is None or why:
            refused.append(Refusal(rule.id, why))
            continue
        name = "crossgate-" + re.sub("[^a-z0-9]+", "-", rule.id.lower()).strip("-")
        file = f"{name.removeprefix('crossgate-')}.yaml"
        if file in files or len(name) > _LONGEST:
            refused.append(Refusal(rule.id, f"its name {name} would be that of another rule too, or has more than {_LONGEST} characters"))
            continue
        # a policy is left as a whole for an object: what is waived for one place in it would be waived for all
        exempt = tuple(each for each in options.exempt_from(rule.id) if not each.path)
        waived += exempt
        not_waived += [
            Refusal(each.id, "its scope names a path, and a policy lets an object pass as a whole")
            for each in options.exempt_from(rule.id)
            if each.path
        ]
        files[file] = [_policy(rule, twin, name, exempt), _binding(rule, name, options)]
        exported[rule.id] = twin.left_out
    return Export(files, exported, tuple(refused), tuple(waived), tuple(not_waived))


def _why_not(rule: Rule, twin: Twin | None, comparison: Comparison) -> str:
    if twin is not None:
        return comparison.disagreement(rule, twin)
    return f"{ESTATE}, and {NO_TWIN}" if rule.scope is not Scope.DOCUMENT else NO_TWIN


def plural(kind: str) -> str:
    """Return the resource of a kind, as ``meta.UnsafeGuessKindToResource`` of apimachinery guesses it."""
    name = kind.lower()
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _policy(rule: Rule, twin: Twin, name: str, exempt: tuple[Exemption, ...]) -> dict[str, Any]:
    groups: dict[str, list[str]] = {}
    for group, kind in twin.kinds:
        groups.setdefault(group, []).extend([plural(kind), *_SUBRESOURCES.get((group, kind), ())])
    by_resources: dict[tuple[str, ...], list[str]] = {}
    for group, resources in groups.items():
        by_resources.setdefault(tuple(sorted(resources)), []).append(group)
    faults = " +\n".join(f"({fault})" for fault in twin.faults)
    tail = f". {rule.remediation}" if rule.remediation else ""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {
            "name": name,
            "annotations": {
                "argocd.argoproj.io/sync-wave": "0",
                "crossgate/rule": rule.id,
                **({"crossgate/leaves-out": twin.left_out} if twin.left_out else {}),
                **waivers_of(exempt),
            },
        },
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": sorted(names), "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"], "resources": list(resources)}
                    for resources, names in sorted(by_resources.items(), key=lambda item: item[1])
                ]
            },
            "matchConditions": [_LIVE, *([_WRITTEN] if rule.written else []), *([_not_waived(exempt)] if exempt else [])],
            "variables": [*({"name": name, "expression": text} for name, text in twin.variables), {"name": "faults", "expression": faults}],
            "validations": [
                {
                    "expression": "size(variables.faults) == 0",
                    "message": f"{rule.id}: {rule.title}{tail}",
                    "messageExpression": f"{_literal(f'{rule.id}: ')} + variables.faults.join('; ') + {_literal(tail)}",
                    "reason": "Forbidden",
                }
            ],
        },
    }


def _not_waived(exempt: tuple[Exemption, ...]) -> dict[str, str]:
    """Write the condition that an object is none of those that are let pass. CEL knows no day: another export drops what has expired."""
    name = (
        "object.kind + ' ' + (has(object.metadata.namespace) ? object.metadata.namespace + '/' : '') + "
        "(has(object.metadata.name) ? object.metadata.name : '(no name)')"
    )
    either = [
        f"({name}).matches({_literal(each.resource)})" + (f" && {_points(each.annotated)}" if each.annotated else "") for each in exempt
    ]
    return {"name": "is-not-waived", "expression": f"!({' || '.join(either)})"}


def _points(waiver: str) -> str:
    """Write the condition that an object points to a waiver by its annotation."""
    return (
        f"has(object.metadata.annotations) && '{WAIVER}' in object.metadata.annotations && "
        f"object.metadata.annotations['{WAIVER}'].split(',').exists(name, name.trim() == '{waiver}')"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r") + "'"


def _binding(rule: Rule, name: str, options: Options) -> dict[str, Any]:
    spec: dict[str, Any] = {"policyName": name, "validationActions": ["Audit"] if options.audit else ACTIONS[rule.severity]}
    if options.excluded:
        spec["matchResources"] = {
            "namespaceSelector": {
                "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(options.excluded)}]
            }
        }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name, "annotations": {"argocd.argoproj.io/sync-wave": "1", "crossgate/rule": rule.id}},
        "spec": spec,
    }
