"""What function-patch-and-transform checks in its input before anything runs.

The order and the conditions are its own: the first fault found is the one reported. Combine patches
return early, so their transforms and policies are only judged when they run.
"""

from __future__ import annotations

from typing import Any

from crossgate.paths import Path, format_path
from crossgate.render.faults import Fault, InputFault
from crossgate.render.merge import POLICIES
from crossgate.render.regexps import compile_regexp

FIELD_PATH_PATCHES = ("FromCompositeFieldPath", "ToCompositeFieldPath", "FromEnvironmentFieldPath", "ToEnvironmentFieldPath")
COMBINE_PATCHES = ("CombineFromComposite", "CombineToComposite", "CombineFromEnvironment", "CombineToEnvironment")
_ENVIRONMENT_PATCHES = (*FIELD_PATH_PATCHES, "CombineFromComposite", "CombineToComposite")
_CHECKS = ("NonEmpty", "MatchString", "MatchInteger", "MatchTrue", "MatchFalse", "MatchCondition", "None")
_DETAILS = {"FromValue": "value", "FromConnectionSecretKey": "fromConnectionSecretKey", "FromFieldPath": "fromFieldPath"}
_TYPES = ("string", "bool", "int", "int64", "float64", "object", "array")
_MATH = {"Multiply": "multiply", "ClampMin": "clampMin", "ClampMax": "clampMax"}
_STRING = {
    "Format": "fmt",
    "Convert": "convert",
    "TrimPrefix": "trim",
    "TrimSuffix": "trim",
    "Regexp": "regexp",
    "Join": "join",
    "Replace": "replace",
}

Input = dict[str, Any]


def _required(at: Path, why: str) -> InputFault:
    return InputFault(f"invalid Function input: {format_path(at)}: Required value: {why}", place=at)


def _invalid(at: Path, value: Any, why: str, hint: str = "") -> InputFault:
    return InputFault(f'invalid Function input: {format_path(at)}: Invalid value: "{value}": {why}', hint=hint, place=at)


def _one_of(names: Any) -> str:
    return f"one of {', '.join(names)}"


def resources(given: Input) -> None:
    """Check a whole input; raises InputFault."""
    for index, patch_set in enumerate(given.get("patchSets", ())):
        at: Path = ("patchSets", index)
        if not patch_set.get("name"):
            raise _required((*at, "name"), "name is required")
        for position, patch in enumerate(patch_set.get("patches", ())):
            _patch(patch, (*at, "patches", position), sets=False)
    environment = given.get("environment", {}).get("patches", ())
    if not given.get("resources") and not environment:
        raise _required(("resources",), "resources or environment patches are required")
    for index, template in enumerate(given.get("resources", ())):
        _template(template, ("resources", index))
    for index, patch in enumerate(environment):
        at = ("environment", "patches", index)
        if kind(patch) not in _ENVIRONMENT_PATCHES:
            raise _invalid((*at, "type"), kind(patch), "invalid environment patch type", _one_of(_ENVIRONMENT_PATCHES))
        _patch(patch, at, sets=False)


def kind(patch: Input) -> str:
    """Return a patch's type."""
    return patch.get("type") or "FromCompositeFieldPath"


def _template(template: Input, at: Path) -> None:
    if not template.get("name"):
        raise _required((*at, "name"), "name is required")
    for index, patch in enumerate(template.get("patches", ())):
        _patch(patch, (*at, "patches", index), sets=True)
    for index, detail in enumerate(template.get("connectionDetails", ())):
        _detail(detail, (*at, "connectionDetails", index))
    for index, check in enumerate(template.get("readinessChecks", ())):
        _readiness(check, (*at, "readinessChecks", index))


def _detail(detail: Input, at: Path) -> None:
    found = detail.get("type")
    if not found:
        raise _required((*at, "type"), "connection detail type is required")
    if found not in _DETAILS:
        raise _invalid((*at, "type"), found, "unknown connection detail type", _one_of(_DETAILS))
    if not detail.get("name"):
        raise _required((*at, "name"), "name is required")
    if _DETAILS[found] not in detail:
        raise _required((*at, _DETAILS[found]), f"connection detail of type {found} requires it")


def _readiness(check: Input, at: Path) -> None:
    found = check.get("type", "")
    if found not in _CHECKS:
        raise _invalid((*at, "type"), found, "unknown readiness check type", _one_of(_CHECKS))
    if found == "None":
        return
    if found in ("MatchString", "MatchInteger"):
        name = found[0].lower() + found[1:]
        if name not in check:
            raise _required((*at, name), f"cannot be nil for type {found}")
    if found == "MatchCondition":
        condition = check.get("matchCondition")
        if condition is None:
            return
        for name in ("type", "status"):
            if not condition.get(name):
                raise _required((*at, "matchCondition", name), "cannot be empty for type MatchCondition")
        return
    if "fieldPath" not in check:
        raise _required((*at, "fieldPath"), "cannot be empty")


def _patch(patch: Input, at: Path, *, sets: bool) -> None:
    found = kind(patch)
    if found in FIELD_PATH_PATCHES:
        if not patch.get("fromFieldPath"):
            raise _required((*at, "fromFieldPath"), f"fromFieldPath must be set for patch type {found}")
    elif found == "PatchSet":
        if not sets:
            raise _invalid((*at, "type"), found, "patches of type PatchSet only stand in a resource's patches")
        if not patch.get("patchSetName"):
            raise _required((*at, "patchSetName"), f"patchSetName must be set for patch type {found}")
    elif found in COMBINE_PATCHES:
        if "combine" not in patch:
            raise _required((*at, "combine"), f"combine must be set for patch type {found}")
        if not patch.get("toFieldPath"):
            raise _required((*at, "toFieldPath"), f"toFieldPath must be set for patch type {found}")
        _combine(patch["combine"], (*at, "combine"))
        return
    else:
        raise _invalid((*at, "type"), found, "unknown patch type", _one_of((*FIELD_PATH_PATCHES, "PatchSet", *COMBINE_PATCHES)))
    for index, transform in enumerate(patch.get("transforms", ())):
        _transform(transform, (*at, "transforms", index))
    policy = patch.get("policy", {})
    if (to := policy.get("toFieldPath", "Replace")) not in ("Replace", *POLICIES):
        raise _invalid((*at, "policy", "toFieldPath"), to, "unknown toFieldPathPolicy", _one_of(("Replace", *POLICIES)))
    if (source := policy.get("fromFieldPath", "Optional")) not in ("Optional", "Required"):
        raise _invalid((*at, "policy", "fromFieldPath"), source, "unknown fromFieldPathPolicy", "one of Optional, Required")


def _combine(combine: Input, at: Path) -> None:
    strategy = combine.get("strategy", "")
    if not strategy:
        raise _required((*at, "strategy"), "a combine strategy must be provided")
    if strategy != "string":
        raise _invalid((*at, "strategy"), strategy, "unknown strategy type", "the only strategy is string")
    if "string" not in combine:
        raise _required((*at, "string"), "string must be set for combine strategy string")
    if not combine.get("variables"):
        raise _required((*at, "variables"), "at least one variable must be provided")
    for index, variable in enumerate(combine["variables"]):
        if not variable.get("fromFieldPath"):
            raise _required((*at, "variables", index, "fromFieldPath"), "fromFieldPath must be set for each combine variable")


def _transform(transform: Input, at: Path) -> None:
    found = transform.get("type", "")
    judge = _JUDGES.get(found)
    if judge is None:
        raise _invalid((*at, "type"), found, "unknown transform type", _one_of(_JUDGES))
    if found not in transform:
        raise _required((*at, found), f"given transform type {found} requires configuration")
    judge(transform[found], (*at, found))


def math(given: Input, at: Path) -> None:
    """Check a math transform (the function checks it again when it runs)."""
    found = given.get("type", "")
    if not found:
        raise _required((*at, "type"), "math transform type is required")
    if found not in _MATH:
        raise _invalid((*at, "type"), found, "unknown math transform type", _one_of(_MATH))
    if _MATH[found] not in given:
        raise _required((*at, _MATH[found]), f"must specify a value if a {found} math transform is specified")


def _map(given: Input, at: Path) -> None:
    if not given:
        raise _required((*at, "pairs"), "at least one pair must be specified if a map transform is specified")


def _match(given: Input, at: Path) -> None:
    if not given.get("patterns"):
        raise _required((*at, "patterns"), "at least one pattern must be specified if a match transform is specified")
    for index, pattern in enumerate(given["patterns"]):
        here = (*at, "patterns", index)
        found = pattern.get("type", "")
        if found in ("literal", ""):
            if "literal" not in pattern:
                raise _required((*here, "literal"), "literal pattern type requires a literal")
        elif found == "regexp":
            if "regexp" not in pattern:
                raise _required((*here, "regexp"), "regexp pattern type requires a regexp")
            _regexp(pattern["regexp"], (*here, "regexp"))
        else:
            raise _invalid((*here, "type"), found, "unknown pattern type", "one of literal, regexp")


def _regexp(pattern: str, at: Path) -> None:
    try:
        compile_regexp(pattern)
    except Fault as error:
        raise _invalid(at, pattern, f"invalid regexp: {error.what}", "Go's regular expressions are those of RE2") from None


def _string(given: Input, at: Path) -> None:
    found = given.get("type", "")
    if not found:
        raise _required((*at, "type"), "string transform type is required")
    if found not in _STRING:
        raise _invalid((*at, "type"), found, "unknown string transform type", _one_of(_STRING))
    name = _STRING[found]
    if name not in given:
        raise _required((*at, name), f"{found} transform requires {name}")
    if found == "Regexp":
        if not given["regexp"].get("match"):
            raise _required((*at, "regexp", "match"), "regexp transform requires a match")
        _regexp(given["regexp"]["match"], (*at, "regexp", "match"))
    if found == "Replace" and not given["replace"].get("search"):
        raise _required((*at, "replace", "search"), "replace transform requires a search")


def convert(given: Input, at: Path) -> None:
    """Check a convert transform (the function checks it again when it runs)."""
    if (form := given.get("format", "none")) not in ("none", "quantity", "json"):
        raise _invalid((*at, "format"), form, "invalid format", "one of none, quantity, json")
    if (wanted := given.get("toType", "")) not in _TYPES:
        raise _invalid((*at, "toType"), wanted, "invalid type", _one_of(_TYPES))


_JUDGES = {"map": _map, "match": _match, "math": math, "string": _string, "convert": convert}
