"""Warn of rules that can be silent without anybody's having meant it: by their message, or by data that nobody defines.

In Rego an expression without a value ends its rule: a message that prints a field which some objects lack, or
``sprintf`` without an array, and the rule never fires for them. OPA says nothing; so does the author's test,
which has the field. Rules of this project are tested for it, so only foreign ones are looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import regorus  # type: ignore[import-untyped] # the wheel has no stubs

from crossgate.model import NOBODY, Finding, Place, Severity
from crossgate.policy.bundle import Bundle, Module
from crossgate.policy.rules import OWN
from crossgate.policy.syntax import DECIDES, outline

Reference = tuple[str, ...]

_DATA = re.compile(r"(?<![\w.\]])data((?:\.[A-Za-z_]\w*)+)")

_ALWAYS_THERE: tuple[Reference, ...] = (("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"))


def advise(bundle: Bundle, *, rego_v0: bool = False) -> tuple[Bundle, tuple[Finding, ...]]:
    """Return the bundle as OPA would read it, and warnings about its messages and about data that it asks for and does not have.

    OPA takes ``sprintf`` of something that is no array as undefined; the embedded engine stops there. So that both
    agree, such an operand is guarded. What the embedded engine cannot read is left as it is: it judges nothing there.
    """
    modules: list[Module] = []
    findings = list(_of_nothing(bundle))
    for module in bundle.modules:
        if module.outline.package[:1] == (OWN,) or "sprintf" not in module.text:
            modules.append(module)
            continue
        guards: list[tuple[int, int]] = []
        for rule in _rules(module, rego_v0):
            findings += _review(module, rule, guards)
        modules.append(_guarded(module, guards))
    return replace(bundle, modules=tuple(modules)), tuple(findings)


def _of_nothing(bundle: Bundle) -> Iterator[Finding]:
    """Warn of references into ``data`` where neither a package nor a data file has anything: what depends on them never fires."""
    rules: dict[Reference, set[str]] = {}
    for module in bundle.modules:
        rules.setdefault(module.outline.package, set()).update(module.outline.rules)
    defined: dict[str, bool] = {}
    for module in bundle.modules:
        told = set()
        for match in _DATA.finditer(module.outline.code):
            if match[1] not in defined:
                path = tuple(match[1].split(".")[1:])
                defined[match[1]] = _in_packages(path, rules) or _in_data(path, bundle.data)
            if defined[match[1]] or match[1] in told:
                continue
            told.add(match[1])
            name, line = f"data{match[1]}", module.outline.code.count("\n", 0, match.start()) + 1
            yield Finding(
                rule="policy/undefined-data",
                reason="UNDEFINED_DATA",
                severity=Severity.WARNING,
                message=f"nothing defines {name}: a rule that needs it says nothing",
                place=Place(module.name, line),
                resource=NOBODY,
                remediation="mend the name, or add the policies or the data file that it stands in",
                fingerprint=f"policy/undefined-data:{'/'.join(module.outline.package)}:{name}",
            )


def _in_packages(path: Reference, rules: dict[Reference, set[str]]) -> bool:
    return any(
        path == package[: len(path)] or (path[: len(package)] == package and path[len(package)] in names)
        for package, names in rules.items()
    )


def _in_data(path: Reference, data: Any) -> bool:
    for key in path:
        if not isinstance(data, dict):
            return True  # what stands deeper is its business
        if key not in data:
            return False
        data = data[key]
    return True


def _rules(module: Module, rego_v0: bool) -> Any:
    engine = regorus.Engine()
    engine.set_rego_v0(rego_v0)
    try:
        engine.add_policy(module.name, module.text)
        return json.loads(engine.get_ast_as_json())[0]["ast"]["rules"]
    except Exception:  # Rego that only OPA reads
        return []


def _review(module: Module, rule: dict[str, Any], guards: list[tuple[int, int]]) -> Iterator[Finding]:
    spec = rule.get("Spec")
    if spec is None:
        return
    name = _name_of(spec["head"])
    for call in _calls_of_sprintf(spec):
        operand = call["params"][1]
        kind = next(iter(operand))
        if kind in ("RefDot", "RefBrack", "Number", "String", "RawString", "True", "False", "Null", "Object"):
            span = operand[kind]["span"]
            guards.append((span["start"], span["end"]))
            yield _warning(module, call["span"]["line"], name, "SPRINTF_WITHOUT_ARRAY", "sprintf: the second argument must be an array")
    if not DECIDES.match(name):
        return
    for body in spec["bodies"] or [{}]:
        needed = set(_references(body.get("query"), skip_messages=True))
        for call in (*_calls_of_sprintf(body), *_calls_of_sprintf(spec["head"])):
            for reference in _references(call["params"][1], skip_messages=False):
                if reference and reference not in _ALWAYS_THERE and not any(other[: len(reference)] == reference for other in needed):
                    yield _warning(
                        module,
                        call["span"]["line"],
                        name,
                        "MESSAGE_CAN_VANISH",
                        f"the rule cannot fire when {'.'.join(reference)} is absent",
                    )


def _name_of(head: dict[str, Any]) -> str:
    value = next(iter(head.values()))
    reference = value.get("refr") or {}
    while "Var" not in reference and reference:
        reference = next(iter(reference.values())).get("refr") or {}
    return str(reference["Var"]["value"]) if reference else ""


def _calls_of_sprintf(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        call = node.get("Call")
        if isinstance(call, dict) and call["fcn"].get("Var", {}).get("value") == "sprintf" and len(call["params"]) == 2:
            yield call
        for value in node.values():
            yield from _calls_of_sprintf(value)
    elif isinstance(node, list):
        for value in node:
            yield from _calls_of_sprintf(value)


def _references(node: Any, *, skip_messages: bool) -> Iterator[Reference]:
    """Return the fields of ``input`` that must exist for ``node`` to have a value.

    Negations and operands of ``object.get`` need not exist; what is printed counts only when messages do.
    """
    if isinstance(node, list):
        for value in node:
            yield from _references(value, skip_messages=skip_messages)
    if not isinstance(node, dict):
        return
    reference = _reference(node)
    if reference is not None:
        yield reference
        return
    if "NotExpr" in node:
        return
    call = node.get("Call")
    if isinstance(call, dict):
        name = _dotted(call["fcn"])
        if name == "object.get" or (name == "sprintf" and skip_messages):
            return
    for value in node.values():
        yield from _references(value, skip_messages=skip_messages)


def _reference(node: dict[str, Any]) -> Reference | None:
    """Return the path below ``input`` of a reference of plain keys, or None."""
    if "RefDot" in node:
        inner, key = node["RefDot"], node["RefDot"]["field"][-1]
    elif "RefBrack" in node:
        inner = node["RefBrack"]
        key = inner["index"].get("String", {}).get("value")
    else:
        return () if node.get("Var", {}).get("value") == "input" else None
    above = _reference(inner["refr"])
    return None if above is None or not isinstance(key, str) else (*above, key)


def _dotted(node: dict[str, Any]) -> str:
    if "RefDot" in node:
        return f"{_dotted(node['RefDot']['refr'])}.{node['RefDot']['field'][-1]}"
    return str(node.get("Var", {}).get("value", ""))


def _guarded(module: Module, guards: list[tuple[int, int]]) -> Module:
    text = module.text.encode()
    for start, end in sorted(guards, reverse=True):
        text = text[:start] + b"[x | x := (" + text[start:end] + b"); is_array(x)][0]" + text[end:]
    written = text.decode()
    return replace(module, text=written, outline=outline(written))


def _warning(module: Module, line: int, rule: str, reason: str, message: str) -> Finding:
    name = f"{'/'.join(module.outline.package)}/{rule}"
    return Finding(
        rule="policy/silent-message",
        reason=reason,
        severity=Severity.WARNING,
        message=f"{name}: {message}",
        place=Place(module.name, line),
        resource=NOBODY,
        remediation="write the operands as an array, and read fields that may be absent with object.get(input, [...], default)",
        fingerprint=f"policy/silent-message:{name}:{reason}:{message}",
    )
