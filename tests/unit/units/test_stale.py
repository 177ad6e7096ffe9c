"""A verdict of an earlier run is told only as long as all that it depends on is the same: warm runs say what a run without a cache says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.load import inventory_of
from crossgate.report import write
from crossgate.units.cache import KEY, OFF

SCHEMAS = Path(__file__).parents[3] / "schemas"
XRD = """\
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xstores.example.org}
spec:
  group: example.org
  names: {kind: XStore, plural: xstores}
  claimNames: {kind: Store, plural: stores}
  versions:
    - name: v1
      served: true
      referenceable: true
      schema: {openAPIV3Schema: {type: object}}
"""
COMPOSITION = """\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: store}
spec:
  compositeTypeRef: {apiVersion: example.org/v1, kind: XStore}
  mode: Pipeline
  pipeline:
    - step: make
      functionRef: {name: function-patch-and-transform}
      input:
        apiVersion: pt.fn.crossplane.io/v1beta1
        kind: Resources
        resources:
          - name: machine
            base:
              apiVersion: eks.aws.upbound.io/v1beta2
              kind: NodeGroup
              spec:
                forProvider:
                  region: eu-west-1
                  clusterName: one
                  nodeRoleArn: nodes
                  subnetIds: [a]
                  instanceTypes: [m5.large]
                  scalingConfig: {desiredSize: 1, minSize: 1, maxSize: 1}
"""
CLAIM = "apiVersion: example.org/v1\nkind: Store\nmetadata: {name: one, namespace: a}\nspec: {}\n"
RULE = """\
package policy

import rego.v1

deny contains msg if {
\tsome machine in input.spec.forProvider.instanceTypes
\tmachine != "m5.large"
\tmsg := sprintf("no %s", [machine])
}
"""
BUDGET = """\
# METADATA
# title: Budget
# custom:
#   severity: error
#   reason: BILL
#   input: estate
#   remediation: pay
package crossgate.cost.bill

import rego.v1

kinds := {"CostReport"}

deny contains {"msg": json.marshal(each.contents.spec), "path": [i, "contents", "spec"]} if {
\tsome i, each in input
\teach.contents.kind == "CostReport"
}
"""
PRICES = """\
prices:
  currency: USD
  sources: {aws: {name: a list, date: "2026-01-01"}}
  regions:
    aws:
      eu-west-1: {hourly: {m5.large: 1}}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of which even the few files are kept in a cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv(OFF, raising=False)
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setattr("crossgate.units.state.FEW", 0)
    root = tmp_path / "project"
    files = {"dist/xrd.yaml": XRD, "dist/composition.yaml": COMPOSITION, "dist/claim.yaml": CLAIM, "policies/rule.rego": RULE}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "crossgate.toml").write_text(f'schemas = ["{SCHEMAS}"]\n')
    monkeypatch.chdir(root)
    return root


def said(project, monkeypatch, *paths, **how):
    """Return what a warm run says, and what a run without a cache says."""
    warm = write(check(paths or None, config=Config.find(project), **how), "json")
    with monkeypatch.context() as off:
        off.setenv(OFF, "off")
        return json.loads(warm), json.loads(write(check(paths or None, config=Config.find(project), **how), "json"))


def messages(report):
    assert report["couldNotCheck"] == []
    return [finding["message"] for finding in report["findings"]]


def test_a_composition_on_standard_input_makes_other_resources_of_a_known_claim(project, monkeypatch):
    """It is preferred to the file's; the claim's own file is the same, and so are all others."""
    claim = project / "dist" / "claim.yaml"
    assert messages(said(project, monkeypatch, claim)[0]) == []
    given = inventory_of(COMPOSITION.replace("m5.large", "p4d.24xlarge"), "<stdin>")
    warm, off = said(project, monkeypatch, claim, given=given)
    assert "no p4d.24xlarge" in messages(off)
    assert warm == off
    assert messages(said(project, monkeypatch, claim)[0]) == []


def test_a_changed_price_changes_the_bill(project, monkeypatch):
    """The bill of each claim is kept with its verdict; a budget that is exceeded only by the new price must be exceeded."""
    (project / "policies" / "data").mkdir()
    prices = project / "policies" / "data" / "prices.yaml"
    prices.write_text(PRICES)
    (project / "policies" / "bill.rego").write_text(BUDGET)
    first, _ = said(project, monkeypatch)
    prices.write_text(PRICES.replace("m5.large: 1", "m5.large: 100"))
    warm, off = said(project, monkeypatch)
    assert messages(first) != messages(off)
    assert warm == off


@pytest.mark.parametrize("now", ["time.now_ns()", 'time["now_ns"]()'])
def test_a_rule_that_asks_for_the_time_is_asked_again(project, monkeypatch, now):
    """What expires today was fine yesterday, and the same object is judged."""
    rule = 'package policy\n\nimport rego.v1\n\ndeny contains msg if {\n\tinput.kind == "Store"\n\tmsg := sprintf("%d", [NOW])\n}\n'
    (project / "policies" / "rule.rego").write_text(rule.replace("NOW", now))
    first, second = (said(project, monkeypatch, project / "dist" / "claim.yaml")[0] for _ in range(2))
    assert messages(first) != messages(second)


def test_what_could_not_be_checked_is_told_in_the_same_order(project, monkeypatch):
    """A warm run reads other files first: the broken one, before it judges the one without a schema."""
    (project / "dist" / "a.yaml").write_text("apiVersion: example.org/v1\nkind: Nothing\nmetadata: {name: a}\n")
    said(project, monkeypatch)
    (project / "dist" / "b.yaml").write_bytes(b"apiVersion: v1\nkind: ConfigMap # XRD, Composition, Namespace\nmetadata: {name: \xff}\n")
    for _ in range(2):
        warm, off = said(project, monkeypatch)
        assert [item["where"].partition(":")[0] for item in off["couldNotCheck"]] == ["dist/a.yaml", "dist/b.yaml"]
        assert warm == off
