"""Types through transforms, and constants against what the target allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossgate.model import Judgement, Severity

Faults = Callable[..., list[str]]

FOR = "spec.forProvider."
OF = "spec.parameters."


def carry(source: str, target: str, *transforms: dict[str, Any], **more: Any) -> dict[str, Any]:
    patch = {"type": "FromCompositeFieldPath", "fromFieldPath": OF + source, "toFieldPath": FOR + target, **more}
    return {**patch, "transforms": list(transforms)} if transforms else patch


def map_(**pairs: Any) -> dict[str, Any]:
    return {"type": "map", "map": pairs}


def match(*patterns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "match", "match": {"patterns": list(patterns), **more}}


def literal(text: str, result: Any) -> dict[str, Any]:
    return {"type": "literal", "literal": text, "result": result}


def string(kind: str, **config: Any) -> dict[str, Any]:
    return {"type": "string", "string": {"type": kind, **config}}


def convert(into: str, form: str | None = None) -> dict[str, Any]:
    return {"type": "convert", "convert": {"toType": into, **({"format": form} if form else {})}}


def math(kind: str, value: int) -> dict[str, Any]:
    return {"type": "math", "math": {"type": kind, kind[0].lower() + kind[1:]: value}}


GOOD: list[tuple[dict[str, Any], str]] = [
    (carry("name", "location"), "a string into a string"),
    (carry("nodes", "disk.gigabytes"), "an integer into an integer: every number is a float64 on the way, and whole ones stay integers"),
    (carry("nodes", "weight"), "an integer into a number"),
    (carry("ratio", "weight"), "a number into a number"),
    (carry("public", "versioned"), "a boolean into a boolean"),
    (carry("nodes", "port"), "an integer into an integer or string"),
    (carry("name", "port"), "a string into an integer or string"),
    (carry("port", "port"), "an integer or string into the like"),
    (carry("port", "location"), "a source of two types is not judged by the other one"),
    (carry("zones", "zones"), "a list into a list"),
    (carry("labels", "labels"), "a map into a map"),
    (carry("free", "disk"), "nobody knows what an open field holds"),
    (carry("free.text", "nodeCount"), "nor what stands in it"),
    (carry("name", "extra.anything"), "an open target takes everything"),
    (carry("name", "code"), "a text that nobody limits may well match the target's pattern"),
    (carry("name", "class"), "or be one of its enum"),
    (carry("size", "class", map_(small="COLD", large="STANDARD")), "all results are in the enum"),
    (carry("size", "nodeCount", map_(small=1, large=5)), "a map may give numbers"),
    (carry("size", "disk", map_(small={"gigabytes": 10}, large={"gigabytes": 100, "kind": "ssd"})), "and objects"),
    (carry("size", "versioned", match(literal("large", True), fallbackValue=False)), "a match may give booleans"),
    (carry("owner", "labels.x", match(literal("a", "b"), fallbackTo="Input")), "the fallback is the string itself"),
    (carry("owner", "class", match(literal("a", "COLD"))), "without fallback null is written, which the API server drops"),
    (carry("nodes", "labels.n", convert("string")), "a number as text"),
    (carry("public", "labels.p", convert("string")), "a boolean as text"),
    (carry("name", "disk.gigabytes", convert("int64")), "text that holds a number"),
    (carry("name", "disk.gigabytes", convert("int")), "int is int64"),
    (carry("name", "disk.gigabytes", convert("float64", "quantity")), "a quantity is a float64, which is often whole"),
    (carry("name", "weight", convert("float64")), "text as a fraction"),
    (carry("name", "versioned", convert("bool")), "text as a boolean"),
    (carry("public", "nodeCount", convert("int64"), math("ClampMin", 1)), "a boolean as 0 or 1"),
    (carry("name", "labels", string("Format", fmt='{"x": "%s"}'), convert("object", "json")), "a computed key goes through JSON"),
    (carry("name", "zones", string("Format", fmt='["%s"]'), convert("array", "json")), "a list made of text"),
    (carry("name", "location", convert("string", "json")), "nothing to convert: the format does not matter"),
    (carry("zones", "location", string("Join", join={"separator": ","})), "a joined list is text"),
    (carry("name", "location", string("Regexp", regexp={"match": "^(a)(b)", "group": 2})), "the second group exists"),
    (carry("nodes", "nodeCount", math("ClampMax", 5)), "clamped to what the target allows"),
    (carry("nodes", "disk.gigabytes", math("Multiply", 10)), "times ten is whole"),
    (carry("ratio", "disk.gigabytes", convert("int64")), "cut to a whole number"),
    (carry("labels", "location", string("Convert", convert="ToJson")), "anything can be written as JSON"),
    (carry("size", "location", string("Convert", convert="ToUpper")), "upper case is still text"),
    (carry("name", "zones[0]"), "text into an element of a list of texts"),
]


@pytest.mark.parametrize(("patch", "reason"), GOOD, ids=[reason for _, reason in GOOD])
def test_what_fits_is_no_finding(faults: Faults, patch: dict[str, Any], reason: str) -> None:
    assert [fault for fault in faults([patch]) if "OPEN_SOURCE" not in fault] == [], reason


WRONG: list[tuple[dict[str, Any], str, str]] = [
    (carry("name", "nodeCount"), "type-mismatch WRONG_TYPE", "a string into an integer"),
    (carry("nodes", "location"), "type-mismatch WRONG_TYPE", "an integer into a string"),
    (carry("public", "location"), "type-mismatch WRONG_TYPE", "a boolean into a string"),
    (carry("ratio", "disk.gigabytes"), "type-mismatch MAY_BE_FRACTIONAL", "0.5 is no integer"),
    (carry("zones", "location"), "type-mismatch WRONG_TYPE", "a list into a string"),
    (carry("labels", "zones"), "type-mismatch WRONG_TYPE", "a map into a list"),
    (carry("name", "labels"), "type-mismatch WRONG_TYPE", "a string into a map"),
    (carry("name", "rules"), "type-mismatch WRONG_TYPE", "a string into a list of objects"),
    (carry("zones", "rules"), "type-mismatch WRONG_TYPE", "texts into a list of objects"),
    (carry("nodes", "labels.n"), "type-mismatch WRONG_TYPE", "labels are texts"),
    (carry("size", "versioned", map_(small="false", large="true")), "type-mismatch WRONG_TYPE", "the text true is no boolean"),
    (carry("size", "location", map_(small=1, large="2")), "type-mismatch WRONG_TYPE", "one of the results is a number"),
    (carry("nodes", "location", map_(**{"1": "a"})), "type-mismatch TRANSFORM_INPUT", "a map takes only strings, even for 1"),
    (carry("nodes", "location", match(literal("1", "a"))), "type-mismatch TRANSFORM_INPUT", "and so do patterns"),
    (carry("name", "nodeCount", math("Multiply", 2)), "type-mismatch TRANSFORM_INPUT", "math takes only numbers"),
    (carry("name", "location", string("Join", join={"separator": ","})), "type-mismatch TRANSFORM_INPUT", "only a list can be joined"),
    (carry("labels", "labels", convert("object")), "type-mismatch TRANSFORM_INPUT", "convert does not even take an object for an object"),
    (carry("name", "labels", convert("object")), "type-mismatch TRANSFORM_INPUT", "text becomes an object only with format json"),
    (carry("nodes", "labels", convert("object", "json")), "type-mismatch TRANSFORM_INPUT", "a number never does"),
    (
        carry("nodes", "weight", convert("float64", "quantity"), convert("int64", "quantity")),
        "type-mismatch TRANSFORM_INPUT",
        "nor is a float64 a quantity",
    ),
    (carry("size", "nodeCount", convert("int64")), "type-mismatch TRANSFORM_FAILS", "small and large are no numbers"),
    (
        carry("size", "nodeCount", string("Regexp", regexp={"match": "[0-9]+"}), convert("int64")),
        "type-mismatch TRANSFORM_FAILS",
        "no digits in small",
    ),
    (
        carry("name", "location", string("Regexp", regexp={"match": "ab", "group": 1})),
        "type-mismatch TRANSFORM_FAILS",
        "there is no group 1",
    ),
    (carry("nodes", "nodeCount", convert("string")), "type-mismatch WRONG_TYPE", "converted to the wrong type"),
    (carry("size", "class"), "value-not-allowed NOT_ALLOWED", "small is not in the enum"),
    (carry("size", "class", string("Convert", convert="ToUpper")), "value-not-allowed NOT_ALLOWED", "nor is SMALL"),
    (carry("size", "class", map_(small="COLD", large="HOT")), "value-not-allowed NOT_ALLOWED", "nor is HOT"),
    (carry("size", "code", map_(small="de", large="deu")), "value-not-allowed NOT_ALLOWED", "deu breaks the pattern"),
    (carry("size", "nodeCount", map_(small=1, large=9)), "value-not-allowed NOT_ALLOWED", "9 is over the maximum"),
    (carry("owner", "class", match(literal("a", "HOT"), fallbackValue="COLD")), "value-not-allowed NOT_ALLOWED", "a result of a match"),
    (carry("owner", "class", match(literal("a", "COLD"), fallbackValue="HOT")), "value-not-allowed NOT_ALLOWED", "the fallback"),
    (carry("tier", "class"), "value-not-allowed NOT_ALLOWED", "the pattern ^(basic|premium)$ lists all values too"),
    (carry("many", "nodeCount"), "value-not-allowed TOO_SMALL", "0 is allowed to be written"),
    (carry("nodes", "nodeCount", math("ClampMax", 7)), "value-not-allowed TOO_LARGE", "7 is over the maximum of 5"),
    (carry("nodes", "nodeCount", math("Multiply", 2)), "value-not-allowed TOO_LARGE", "twice ten too"),
    (carry("disk", "disk"), "value-not-allowed NOT_ALLOWED", "an object whose kind may be tape, where the target knows ssd and hdd"),
    (carry("disk", "networkRef"), "unknown-target-field NOT_IN_CRD", "an object with fields that the target does not declare"),
    (
        carry("size", "disk", map_(small={"gigabyte": 1}, large={"gigabytes": 1})),
        "unknown-target-field NOT_IN_CRD",
        "a result with a typo",
    ),
]


@pytest.mark.parametrize(("patch", "fault", "reason"), WRONG, ids=[reason for _, _, reason in WRONG])
def test_what_does_not_fit_is_found(faults: Faults, patch: dict[str, Any], fault: str, reason: str) -> None:
    assert fault in faults([patch]), reason


@pytest.mark.parametrize(("patch", "fault", "reason"), WRONG, ids=[reason for _, _, reason in WRONG])
def test_a_message_names_both_fields(judge: Callable[..., Judgement], patch: dict[str, Any], fault: str, reason: str) -> None:
    for finding in judge([patch]).findings:
        assert patch["fromFieldPath"] in finding.message
        assert patch["toFieldPath"] in finding.message
        assert finding.remediation


def test_a_typo_in_an_object_names_the_field_that_was_meant(judge: Callable[..., Judgement]) -> None:
    (finding,) = judge([carry("size", "disk", map_(small={"gigabyte": 1}, large={"gigabytes": 1}))]).findings
    assert finding.remediation == "did you mean spec.forProvider.disk.gigabytes?"


def test_bounds_and_fractions_are_warnings_because_good_values_exist(judge: Callable[..., Judgement]) -> None:
    for patch in (carry("ratio", "disk.gigabytes"), carry("many", "nodeCount")):
        assert {finding.severity for finding in judge([patch]).findings} == {Severity.WARNING}


def test_what_a_provider_declares_too_wide_is_not_held_against_the_patch(faults: Faults) -> None:
    """Providers made from Terraform declare every number as ``number``, counts too."""
    patch = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.atProvider.amount", "toFieldPath": "status.count"}
    assert faults([patch]) == []
    assert faults([{**patch, "fromFieldPath": "status.atProvider.url"}]) == ["type-mismatch WRONG_TYPE"]


class TestFormats:
    """The verbs of Go's fmt: every number of an XR is a float64, so %d writes an error text into the value."""

    @pytest.mark.parametrize(
        ("source", "fmt"),
        [
            ("name", "%s-x"),
            ("name", "%v"),
            ("name", "%5s|%[1]s"),
            ("name", "%q"),
            ("nodes", "%v"),
            ("nodes", "%.0f"),
            ("public", "%t"),
            ("zones", "%v"),
            ("port", "%s"),
            ("name", "100%%%s"),
        ],
    )
    def test_verbs_for_the_type_are_fine(self, faults: Faults, source: str, fmt: str) -> None:
        assert faults([carry(source, "location", string("Format", fmt=fmt))]) == []

    def test_an_int64_takes_d(self, faults: Faults) -> None:
        assert faults([carry("nodes", "location", convert("int64"), string("Format", fmt="n-%d"))]) == []

    @pytest.mark.parametrize(
        ("source", "fmt", "fault"),
        [
            ("nodes", "%d", "format-verb WRONG_VERB"),
            ("nodes", "%s", "format-verb WRONG_VERB"),
            ("public", "%s", "format-verb WRONG_VERB"),
            ("name", "%d", "format-verb WRONG_VERB"),
            ("name", "%s-%s", "format-verb TOO_MANY_VERBS"),
            ("name", "fixed", "format-verb TOO_FEW_VERBS"),
            ("name", "%s-%", "format-verb NO_VERB"),
            ("free.what", "%s-%s", "format-verb TOO_MANY_VERBS"),
        ],
    )
    def test_an_error_text_in_the_value_is_found(self, faults: Faults, source: str, fmt: str, fault: str) -> None:
        assert fault in faults([carry(source, "location", string("Format", fmt=fmt))])

    def test_the_message_shows_what_would_be_written(self, judge: Callable[..., Judgement]) -> None:
        (finding,) = judge([carry("nodes", "location", string("Format", fmt="n-%d"))]).findings
        assert "n-%!d(float64=3)" in finding.message

    @pytest.mark.parametrize(
        ("variables", "fmt", "expected"),
        [
            (["name", "region"], "%s-%s", []),
            (["name", "nodes"], "%s-%v", []),
            (["name", "nodes"], "%s-%s", ["format-verb WRONG_VERB"]),
            (["name", "region"], "%s", ["format-verb TOO_FEW_VERBS"]),
            (["name"], "%s-%s", ["format-verb TOO_MANY_VERBS"]),
        ],
    )
    def test_combines_are_formatted_alike(self, faults: Faults, variables: list[str], fmt: str, expected: list[str]) -> None:
        combine = {"strategy": "string", "variables": [{"fromFieldPath": OF + name} for name in variables], "string": {"fmt": fmt}}
        assert faults([{"type": "CombineFromComposite", "combine": combine, "toFieldPath": "spec.forProvider.location"}]) == expected

    def test_a_combine_is_text_whatever_its_variables_are(self, faults: Faults) -> None:
        combine = {"strategy": "string", "variables": [{"fromFieldPath": OF + "nodes"}], "string": {"fmt": "%v"}}
        patch = {"type": "CombineFromComposite", "combine": combine, "toFieldPath": "spec.forProvider.nodeCount"}
        assert faults([patch]) == ["type-mismatch WRONG_TYPE"]
        assert faults([{**patch, "transforms": [convert("int64")]}]) == []


class TestMaps:
    def test_a_key_that_the_enum_allows_and_the_map_lacks_is_found(self, judge: Callable[..., Judgement]) -> None:
        (finding,) = judge([carry("size", "location", map_(small="EU"))]).findings
        assert (finding.rule, finding.reason, finding.severity) == ("crossplane/map-not-exhaustive", "MISSING_KEY", Severity.ERROR)
        assert "'large'" in finding.message

    def test_the_alternatives_of_a_pattern_are_an_enum(self, faults: Faults) -> None:
        assert faults([carry("tier", "location", map_(basic="EU"))]) == ["map-not-exhaustive MISSING_KEY"]
        assert faults([carry("tier", "location", map_(basic="EU", premium="US"))]) == []

    def test_a_key_that_can_never_occur_is_found(self, judge: Callable[..., Judgement]) -> None:
        (finding,) = judge([carry("size", "location", map_(small="EU", large="EU", huge="US"))]).findings
        assert (finding.reason, finding.severity) == ("UNUSED_KEY", Severity.WARNING)
        assert finding.path.endswith("map.huge")

    def test_a_misspelt_key_names_the_one_that_was_meant(self, judge: Callable[..., Judgement]) -> None:
        findings = judge([carry("size", "location", map_(small="EU", largee="US"))]).findings
        assert [finding.reason for finding in findings] == ["MISSING_KEY", "UNUSED_KEY"]
        assert "did you mean 'large'?" in findings[1].message

    def test_a_map_over_any_text_is_advice(self, judge: Callable[..., Judgement]) -> None:
        """Claims with one of the keys work, so it is no fault; others fail the whole rendering, which an enum would prevent."""
        (finding,) = judge([carry("owner", "location", map_(a="EU"))]).findings
        assert (finding.reason, finding.severity) == ("OPEN_SOURCE", Severity.INFO)

    def test_a_map_of_what_an_earlier_transform_gives_is_judged_by_that(self, faults: Faults) -> None:
        upper = string("Convert", convert="ToUpper")
        assert faults([carry("size", "location", upper, map_(SMALL="EU", LARGE="US"))]) == []
        assert faults([carry("size", "location", upper, map_(SMALL="EU"))]) == ["map-not-exhaustive MISSING_KEY"]

    def test_a_boolean_is_mapped_through_its_text(self, faults: Faults) -> None:
        assert faults([carry("public", "location", convert("string"), map_(true="EU", false="US"))]) == []
        assert faults([carry("public", "location", convert("string"), map_(true="EU"))]) == ["map-not-exhaustive MISSING_KEY"]

    def test_a_pattern_that_can_never_match_is_found(self, faults: Faults) -> None:
        assert faults([carry("size", "location", match(literal("smalll", "EU"), fallbackValue="US"))]) == ["map-not-exhaustive UNUSED_KEY"]

    def test_a_null_cannot_be_mapped_to(self, faults: Faults) -> None:
        assert faults([carry("size", "location", map_(small=None, large="EU"))]) == ["type-mismatch TRANSFORM_FAILS"]
