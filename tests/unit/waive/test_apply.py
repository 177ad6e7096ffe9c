from __future__ import annotations

from datetime import date

import pytest

from crossgate.model import WAIVER, Document, Finding, Identity, Place, Resource, Role, Severity
from crossgate.waive import Waiver, annotated, settle

TODAY = date(2027, 1, 1)
SERVICE = Identity("v1", "Service", "kong", "gateway")


def finding(rule="network/open-cidr", resource=SERVICE, path="spec.type", file="dist/a.yaml", origin=()):
    return Finding(rule, "OPEN", Severity.ERROR, "m", Place(file, 3), resource, path, origin=origin)


def waiver(expires=date(2027, 1, 1), rule="network/open-cidr", **scope):
    return Waiver(rule, "a good reason", "platform-team", expires, Place("policies/waivers.yaml", 2), **scope)


def settled(findings, waivers, resources=(), complete=True):
    return settle(findings, waivers, annotated(resources), today=TODAY, complete=complete)


@pytest.mark.parametrize(
    "scope",
    [
        {"resource": "Service kong/gateway"},
        {"resource": "Service kong/*"},
        {"file": "dist/*"},
        {"path": "spec.type"},
        {"path": "spec"},
        {"path": "sp*pe"},
        {"resource": "Service *", "file": "dist/a.yaml", "path": "spec.type"},
    ],
)
def test_a_finding_in_scope_is_waived_and_shown_with_who_answers_for_it(scope):
    result = settled([finding()], [waiver(**scope)])
    assert result.findings == ()
    assert [(one.finding.rule, one.reason, one.owner, one.expires) for one in result.waived] == [
        ("network/open-cidr", "a good reason", "platform-team", "2027-01-01")
    ]


@pytest.mark.parametrize(
    "scope",
    [
        {"resource": "Service kong/gate"},
        {"resource": "Service gateway"},
        {"resource": "Service kong.gateway"},
        {"file": "dist"},
        {"file": "*.yml"},
        {"path": "spec.typ"},
        {"path": "metadata"},
        {"resource": "Service kong/gateway", "path": "metadata"},
        {"file": "dist/*", "rule": "network/public-endpoint"},
    ],
)
def test_a_finding_out_of_scope_counts(scope):
    assert settled([finding()], [waiver(**scope)], complete=False).findings == (finding(),)


def test_a_claim_in_scope_speaks_for_what_it_becomes():
    composed = finding(
        resource=Identity("v1", "Bucket", "", "x-123"), origin=("ModelService a/b", "XModelService b-1x", "Bucket x-123 (template t)")
    )
    assert settled([composed], [waiver(resource="ModelService a/b")]).findings == ()
    assert settled([composed], [waiver(resource="Bucket x-*")]).findings == ()
    assert settled([composed], [waiver(resource="ModelService a/c")], complete=False).findings == (composed,)


def test_a_list_index_goes_on_after_a_path():
    assert settled([finding(path="spec.ranges[0]")], [waiver(path="spec.ranges")]).findings == ()
    assert settled([finding(path="spec.rangesX")], [waiver(path="spec.ranges")], complete=False).findings != ()


def test_an_expired_waiver_counts_as_absent_and_is_shown():
    result = settled([finding()], [waiver(expires=date(2026, 12, 31), path="spec.type")])
    assert [one.reason for one in result.findings] == ["OPEN", "WAIVER_EXPIRED"]
    assert str(result.findings[1].place) == "policies/waivers.yaml:2"
    assert result.waived == ()


def test_another_waiver_that_is_valid_counts_beside_an_expired_one():
    result = settled([finding()], [waiver(expires=date(2026, 12, 31), path="spec.type"), waiver(file="dist/*")])
    assert len(result.waived) == 1
    assert not any(one.reason == "WAIVER_EXPIRED" for one in result.findings)


def test_a_waiver_that_nothing_needs_is_warned_about_when_all_was_checked():
    unused = waiver(path="metadata")
    assert [one.reason for one in settled([], [unused]).findings] == ["WAIVER_UNUSED"]
    assert settled([], [unused], complete=False).findings == ()


def resource(name="gateway", waivers="", parent=None, kind="Service"):
    body = {"apiVersion": "v1", "kind": kind, "metadata": {"namespace": "kong", "name": name, "annotations": {WAIVER: waivers}}}
    return Resource(
        body,
        Role.DOCUMENT if parent is None else Role.COMPOSED,
        Document(body, "a.yaml", 1, lambda _path: Place("a.yaml", 1)),
        parent=parent,
    )


def test_an_annotation_points_to_a_waiver_that_asks_for_it():
    pointed = waiver(id="door", annotated=True)
    assert settled([finding()], [pointed], [resource(waivers="other, door")]).waived
    assert settled([finding()], [pointed], [resource()], complete=False).findings == (finding(),)


def test_an_annotation_of_the_claim_holds_for_what_it_becomes():
    claim = resource("claim", "door", kind="Claim")
    assert settled([finding()], [waiver(id="door", annotated=True)], [claim, resource(parent=claim)]).waived


def test_an_annotation_alone_waives_nothing_and_is_warned_about():
    result = settled([finding()], [], [resource(waivers="made-up")])
    assert [one.reason for one in result.findings] == ["OPEN", "WAIVER_UNKNOWN"]


def test_an_annotation_does_not_widen_a_waiver_that_does_not_ask_for_it():
    result = settled([finding()], [waiver(id="door", path="metadata")], [resource(waivers="door")], complete=False)
    assert result.findings == (finding(),)
