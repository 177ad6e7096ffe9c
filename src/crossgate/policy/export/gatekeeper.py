"""Gatekeeper: a ConstraintTemplate and a Constraint for each rule, with the same Rego.

The rule's module is a library of the template, unchanged but for its package; the entry hands it the object under review as
``input``, so that a rule sees at admission what it saw in the pull request. Needs Gatekeeper 3.19 or later (Rego v1 in templates).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from crossgate.model import WAIVER, Severity
from crossgate.policy.bundle import Bundle
from crossgate.policy.embedded import load_engine
from crossgate.policy.export.model import CannotExportError, Exemption, Export, Options, Refusal, waivers_of
from crossgate.policy.export.modules import libraries
from crossgate.policy.export.reasons import ESTATE, PROGRAMS, git_only
from crossgate.policy.rules import Rule, Scope, reference

ACTIONS = {Severity.ERROR: "deny", Severity.WARNING: "warn", Severity.INFO: "dryrun"}
HOLDER = "Object"
"""The kind that holds a manifest of another (provider-kubernetes). A List is no object of the API: the server sees its items."""
_TEXT = {"type": "string"}
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "waivers": {
            "type": "array",
            "description": "What is let pass: until is the last day; resource and path are regular expressions.",
            "items": {
                "type": "object",
                "required": ["id", "until", "resource"],
                "properties": {"id": _TEXT, "until": _TEXT, "resource": _TEXT, "path": _TEXT, "annotated": _TEXT},
            },
        }
    },
}
_WAIVED = rf"""waived(result) if {{
	some waiver in object.get(input, ["parameters", "waivers"], [])
	sprintf("%04d-%02d-%02d", time.date(time.now_ns())) <= waiver.until
	fits(waiver, "resource", names(result))
	fits(waiver, "path", places(result))
	points(waiver)
}}

fits(waiver, field, _) if not waiver[field]

fits(waiver, field, texts) if {{
	some text in texts
	regex.match(waiver[field], text)
}}

points(waiver) if not waiver.annotated

points(waiver) if {{
	some given in split(input.review.object.metadata.annotations["{WAIVER}"], ",")
	trim_space(given) == waiver.annotated
}}

manifest := ["spec", "forProvider", "manifest"]

names(result) := {{named(input.review.object)}} | {{name |
	array.slice(path(result), 0, 3) == manifest
	name := named(object.get(input.review.object, manifest, null))
}}

places(result) := {{written(path(result))}} | {{inner |
	array.slice(path(result), 0, 3) == manifest
	inner := written(array.slice(path(result), 3, count(path(result))))
}}

named(object_) := sprintf("%s %s%s", [object_.kind, namespace(object_), object.get(object_, ["metadata", "name"], "(no name)")])

namespace(object_) := sprintf("%s/", [object_.metadata.namespace]) if object_.metadata.namespace != ""

namespace(object_) := "" if object.get(object_, ["metadata", "namespace"], "") == ""

written(path_) := trim_prefix(concat("", [part(step_) | some step_ in path_]), ".")

part(step_) := sprintf("[%v]", [step_]) if not goes_on(step_)

part(step_) := concat("", [".", step_]) if goes_on(step_)

goes_on(step_) if regex.match(`^[^.\[\]]+$`, step_)"""
"""What the entry asks of each result, once for the object and once for the manifest that an Object holds."""
_MOST_BYTES, _MOST_NOTED = 1 << 20, 256 << 10
_LONGEST = 63
"""Characters of a kind's name: it is a DNS label in the CRD that Gatekeeper makes of a template."""


def export_gatekeeper(bundle: Bundle, rules: Iterable[Rule], options: Options | None = None) -> Export:
    """Write a ConstraintTemplate and a Constraint for every rule that can be one.

    Args:
        bundle: the policies.
        rules: those of its rules that decide.
        options: how the Constraints act.

    Returns:
        One file for each template and each Constraint; rules that are none with the reason.

    Raises:
        PolicyError: the policies do not compile, call a built-in that does not exist or a way out (``http.send``).
    """
    options = options or Options()
    engine = load_engine(bundle)
    engine.set_input_json("{}")
    files: dict[str, list[dict[str, Any]]] = {}
    exported: dict[str, str] = {}
    refused: list[Refusal] = []
    taken: dict[str, str] = {}
    for rule in rules:
        try:
            kind = _kind_name(rule, taken)
            template = _template(bundle, rule, kind)
            kinds = _kinds(engine, bundle, rule)
            _refuse_large(template)
        except CannotExportError as error:
            refused.append(Refusal(rule.id, str(error)))
            continue
        taken[kind] = rule.id
        name = re.sub("[^a-z0-9]+", "-", rule.id.lower()).strip("-")
        files[f"templates/{name}.yaml"] = [template]
        files[f"constraints/{name}.yaml"] = [_constraint(rule, kind, name, kinds, options)]
        exported[rule.id] = (
            "severities of single reasons become that of the rule" if any("severity" in r for r in rule.reasons.values()) else ""
        )
    return Export(files, exported, tuple(refused), tuple(each for each in options.exempt if each.rule in exported))


def _kind_name(rule: Rule, taken: dict[str, str]) -> str:
    words = re.findall("[A-Za-z0-9]+", rule.id)
    kind = "Crossgate" + "".join(word[0].upper() + word[1:] for word in words)
    if len(kind) > _LONGEST:
        raise CannotExportError(f"the kind {kind} has more than {_LONGEST} characters")
    if kind.lower() in {other.lower() for other in taken}:
        raise CannotExportError(f"its kind {kind} would be that of rule {taken.get(kind, 'another')} too")
    return kind


def _template(bundle: Bundle, rule: Rule, kind: str) -> dict[str, Any]:
    if rule.scope is not Scope.DOCUMENT:
        raise CannotExportError(ESTATE)
    if reason := git_only(bundle, rule):
        raise CannotExportError(reason)
    if not rule.own:
        _check_foreign(bundle, rule)
    return {
        "apiVersion": "templates.gatekeeper.sh/v1",
        "kind": "ConstraintTemplate",
        "metadata": {
            "name": kind.lower(),
            "annotations": {
                "argocd.argoproj.io/sync-wave": "0",
                "crossgate/rule": rule.id,
                "metadata.gatekeeper.sh/title": rule.title or rule.id,
                "description": rule.description or rule.title or rule.id,
            },
        },
        "spec": {
            "crd": {"spec": {"names": {"kind": kind}, "validation": {"openAPIV3Schema": _PARAMETERS}}},
            "targets": [
                {
                    "target": "admission.k8s.gatekeeper.sh",
                    "code": [
                        {"engine": "Rego", "source": {"version": "v1", "rego": _entry(rule), "libs": libraries(bundle, rule)}},
                    ],
                }
            ],
        },
    }


def _refuse_large(template: dict[str, Any]) -> None:
    """Refuse what the cluster would not keep: etcd takes 1.5 MiB of a request, the API server 256 KiB of annotations."""
    noted = sum(len(key) + len(text.encode()) for key, text in template["metadata"]["annotations"].items())
    if len(json.dumps(template, ensure_ascii=False).encode()) > _MOST_BYTES or noted > _MOST_NOTED:
        raise CannotExportError(f"its template has more than {_MOST_BYTES >> 20} MiB, or {_MOST_NOTED >> 10} KiB of description")


def _check_foreign(bundle: Bundle, rule: Rule) -> None:
    module = next(module for module in bundle.modules if module.name == rule.file)
    if not re.search(rf"^[ \t]*{rule.name}[ \t]+contains\b", module.outline.code, re.MULTILINE):
        raise CannotExportError(f"its result is no set: write it as {rule.name} contains …")
    if any("exception" in other.outline.rules for other in bundle.modules if other.outline.package == rule.package):
        raise CannotExportError("its package has exceptions, which Gatekeeper does not know; exclude by the Constraint's match instead")


def _entry(rule: Rule) -> str:
    """Write the template's own Rego: it asks the rule about the object under review and tells what it says."""
    # a rule about what stands in Git is not asked about what Crossplane and other controllers make of it
    written = "\n\tnot made(input.review.object)" if rule.written else ""
    lines = [
        "package crossgate_entry",
        "violation contains {\n"
        '\t"msg": sprintf("%s (%s). %s", [message(result), what, remediation(result)]),\n'
        '\t"details": {"rule": rule, "reason": reason(result), "path": path(result)},\n'
        "} if {\n"
        '\tobject.get(input.review, "operation", "") != "DELETE"\n'
        f"\tnot input.review.object.metadata.deletionTimestamp{written}\n"
        # "some … in … with" loses its "with" on Gatekeeper's way through its own writer of Rego
        f"\tresults := {reference('data', 'lib', *rule.package, rule.name)} with input as input.review.object\n"
        "\tsome result in results\n"
        "\tnot waived(result)\n"
        '\twhat := trim_suffix(sprintf("%s at %s", [rule, dotted(path(result))]), " at ")\n'
        "}",
        f"rule := {json.dumps(rule.id)}",
    ]
    remediations = {rule.reason: rule.remediation} | {
        code: given.get("remediation", rule.remediation) for code, given in rule.reasons.items()
    }
    reason = json.dumps(rule.reason)
    lines += [
        # what is no result "could not be checked" in a pull request: here it refuses, and says what it is
        "message(result) := result if is_string(result)",
        "message(result) := result.msg if tells(result)",
        'message(result) := sprintf("%v", [result]) if {\n\tnot is_string(result)\n\tnot tells(result)\n}',
        # of their own: OPA works out what a negation is about before it negates, and what is undefined then ends the rule
        "tells(result) if is_string(result.msg)",
        "path(result) := result.path if placed(result)",
        "path(result) := [] if not placed(result)",
        "placed(result) if is_array(result.path)",
        f"remediations := {json.dumps(remediations, ensure_ascii=False)}",
        "remediation(result) := object.get(remediations, reason(result), remediations[" + reason + "])",
    ]
    if rule.own:
        lines += [
            f'reason(result) := object.get(result, "reason", {reason}) if is_object(result)',
            f"reason(result) := {reason} if not is_object(result)",
        ]
    else:
        lines.append(f"reason(_) := {reason}")
    lines += [
        'dotted(path) := trim_prefix(concat("", [step(part) | some part in path]), ".")',
        'step(part) := sprintf("[%v]", [part]) if not plain(part)',
        'step(part) := concat("", [".", part]) if plain(part)',
        "plain(part) if {\n\tis_string(part)\n\tregex.match(`^[A-Za-z_][A-Za-z0-9_-]*$`, part)\n}",
    ]
    lines.append(_WAIVED)
    if rule.written:
        lines += [
            # whoever applies by hand could claim this; an audit does not say who it was
            "made(object_) if {\n\tby_a_program\n\tsome owner in object_.metadata.ownerReferences\n\towner.controller == true\n}",
            'made(object_) if {\n\tby_a_program\n\tobject_.metadata.labels["crossplane.io/composite"]\n}',
            'made(object_) if {\n\tby_a_program\n\tobject_.metadata.labels["crossplane.io/claim-name"]\n}',
            f'by_a_program if startswith(object.get(input.review, ["userInfo", "username"], "{PROGRAMS}"), "{PROGRAMS}")',
        ]
    return "\n\n".join(lines) + "\n"


def _kinds(engine: Any, bundle: Bundle, rule: Rule) -> list[str]:
    """Return the kinds that a rule names as ``kinds``, with the one that holds them; none means every kind."""
    declared = {name for module in bundle.modules if module.outline.package == rule.package for name in module.outline.rules}
    if not rule.own or "kinds" not in declared or "fields_of_any_kind" in declared:
        return []
    named: list[str] = json.loads(engine.eval_rule_as_json(reference("data", *rule.package, "kinds")))
    return sorted({*named, HOLDER})


def _constraint(rule: Rule, kind: str, name: str, kinds: list[str], options: Options) -> dict[str, Any]:
    match: dict[str, Any] = {"kinds": [{"apiGroups": ["*"], "kinds": kinds or ["*"]}]}
    exempt = options.exempt_from(rule.id)
    if options.excluded:
        match["excludedNamespaces"] = list(options.excluded)
    return {
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": kind,
        "metadata": {
            "name": name,
            "annotations": {
                "argocd.argoproj.io/sync-wave": "1",
                "argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true",
                "crossgate/rule": rule.id,
                **waivers_of(exempt),
            },
        },
        "spec": {
            "enforcementAction": "dryrun" if options.audit else ACTIONS[rule.severity],
            "match": match,
            **({"parameters": {"waivers": [_waiver(each) for each in exempt]}} if exempt else {}),
        },
    }


def _waiver(exemption: Exemption) -> dict[str, str]:
    given = {
        "id": exemption.id,
        "until": exemption.until,
        "resource": exemption.resource,
        "path": exemption.path,
        "annotated": exemption.annotated,
    }
    return {name: text for name, text in given.items() if text}
