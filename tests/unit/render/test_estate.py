from __future__ import annotations

from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.model import Document, Finding, Role, Severity
from crossgate.render.estate import Estate, expand
from crossgate.schema import Schemas
from crossgate.trace import causes_of

XRD = """\
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xdatabases.example.org}
spec:
  group: example.org
  names: {kind: XDatabase, plural: xdatabases}
  claimNames: {kind: Database, plural: databases}
  versions:
  - name: v1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: string}
              region: {type: string, default: us}
          status:
            type: object
            properties: {arn: {type: string}}
"""

COMPOSITION = """\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: plain, labels: {provider: aws}}
spec:
  compositeTypeRef: {apiVersion: example.org/v1, kind: XDatabase}
  mode: Pipeline
  pipeline:
  - step: make
    functionRef: {name: function-patch-and-transform}
    input:
      apiVersion: pt.fn.crossplane.io/v1beta1
      kind: Resources
      resources:
      - name: bucket
        base:
          apiVersion: s3.example.org/v1
          kind: Bucket
          spec: {forProvider: {acl: private}}
        patches:
        - {type: FromCompositeFieldPath, fromFieldPath: spec.size, toFieldPath: spec.forProvider.size}
        - {type: FromCompositeFieldPath, fromFieldPath: spec.region, toFieldPath: spec.forProvider.region}
"""

CLAIM = """\
apiVersion: example.org/v1
kind: Database
metadata: {name: fraud, namespace: team}
spec:
  size: L
"""


def documents(*texts: str) -> list[Document]:
    return [document for number, text in enumerate(texts) for document in load_text(text, f"{number}.yaml")]


def estate(*texts: str, platform: tuple[str, ...] = ()) -> Estate:
    judged, others = documents(*texts), documents(*platform)
    return expand(judged, Schemas.load(()).including([*others, *judged]), platform=others)


def roles(made: Estate) -> list[str]:
    return [f"{resource.role.value} {resource.identity.kind}" for resource in made.resources]


def findings(made: Estate) -> list[str]:
    assert made.judgement.could_not_check == ()
    return [finding.rule for finding in made.judgement.findings]


def only(made: Estate) -> Finding:
    assert made.judgement.could_not_check == ()
    (finding,) = made.judgement.findings
    return finding


def test_a_claim_is_followed_down_to_what_it_composes() -> None:
    made = estate(XRD, COMPOSITION, CLAIM)
    assert findings(made) == []
    assert roles(made) == [
        "document CompositeResourceDefinition",
        "document Composition",
        "claim Database",
        "xr XDatabase",
        "composed Bucket",
    ]
    _, _, claim, xr, bucket = made.resources
    assert (xr.parent, bucket.parent) == (claim, xr)
    assert bucket.body["spec"]["forProvider"] == {"acl": "private", "size": "L", "region": "us"}
    assert claim.body["spec"]["region"] == "us", "rules see the defaults on the claim too"


def test_apis_come_from_the_platform_which_is_not_judged() -> None:
    made = estate(CLAIM, platform=(XRD, COMPOSITION))
    assert findings(made) == []
    assert roles(made) == ["claim Database", "xr XDatabase", "composed Bucket"]


def test_what_is_judged_is_preferred_to_the_platform() -> None:
    made = estate(CLAIM, COMPOSITION.replace("private", "public"), platform=(XRD, COMPOSITION))
    (bucket,) = [resource for resource in made.resources if resource.role is Role.COMPOSED]
    assert bucket.body["spec"]["forProvider"]["acl"] == "public"
    assert findings(made) == []


def test_a_value_is_traced_to_the_claim_its_default_or_the_template() -> None:
    bucket = estate(XRD, COMPOSITION, CLAIM).resources[-1]
    size = causes_of(bucket, ("spec", "forProvider", "size"))
    assert (size[0].role, str(size[0].place)) == ("claim", "2.yaml:5:3")
    region = {cause.role: str(cause.place) for cause in causes_of(bucket, ("spec", "forProvider", "region"))}
    assert region["default"].startswith("0.yaml:20:")
    acl = causes_of(bucket, ("spec", "forProvider", "acl"))
    assert [(cause.role, cause.place.line) for cause in acl] == [("template", 18)]


@pytest.mark.parametrize(
    ("reason", "claim", "rule", "line", "message"),
    [
        ("no label matches", "{compositionSelector: {matchLabels: {provider: gcp}}}", "no-composition", 4, "provider=gcp"),
        ("a name that does not exist", "{compositionRef: {name: plane}}", "no-composition", 4, "'plane'"),
    ],
)
def test_a_claim_without_a_composition(reason: str, claim: str, rule: str, line: int, message: str) -> None:
    finding = only(estate(XRD, COMPOSITION, CLAIM.replace("\n  size: L", f" {claim}")))
    assert (finding.rule, finding.place.file, finding.place.line) == (f"crossplane/{rule}", "2.yaml", line), reason
    assert message in finding.message
    assert "plain" in finding.remediation
    assert finding.severity is Severity.ERROR


def test_several_compositions_are_all_rendered_and_none_of_them_clash() -> None:
    named = COMPOSITION.replace("kind: Bucket\n", "kind: Bucket\n          metadata: {name: fixed}\n")
    made = estate(XRD, named, named.replace("name: plain", "name: other"), CLAIM)
    finding = only(made)
    assert finding.rule == "crossplane/ambiguous-composition"
    assert "other, plain" in finding.message
    assert [resource.composition.file for resource in made.resources if resource.composition] == ["2.yaml", "1.yaml"]


def test_two_claims_that_make_one_name() -> None:
    named = COMPOSITION.replace("kind: Bucket\n", "kind: Bucket\n          metadata: {name: fixed}\n")
    finding = only(estate(XRD, named, CLAIM, CLAIM.replace("fraud", "other")))
    assert finding.rule == "crossplane/name-collision"


def test_claims_of_one_name_in_two_namespaces_are_two() -> None:
    assert findings(estate(XRD, COMPOSITION, CLAIM, CLAIM.replace("team", "other"))) == []


@pytest.mark.parametrize(
    ("claim", "hint"),
    [
        (CLAIM.replace("kind: Database", "kind: Databse"), "Database"),
        (CLAIM.replace("kind: Database", "kind: Queue"), "Database, XDatabase"),
        (CLAIM.replace("example.org/v1", "exmaple.org/v1").replace("size: L", "compositionRef: {name: plain}"), "example.org"),
    ],
)
def test_a_claim_that_nobody_offers(claim: str, hint: str) -> None:
    finding = only(estate(XRD, COMPOSITION, claim))
    assert finding.rule == "crossplane/unknown-api"
    assert hint in finding.remediation


def test_a_version_that_is_not_served() -> None:
    finding = only(estate(XRD, COMPOSITION, CLAIM.replace("example.org/v1", "example.org/v2")))
    assert finding.rule == "crossplane/unknown-api"
    assert "'v2'" in finding.message


def test_other_kinds_without_a_schema_are_the_schema_stages_matter() -> None:
    assert findings(estate(XRD, "apiVersion: other.io/v1\nkind: Thing\nmetadata: {name: a}\nspec: {}\n")) == []


def test_a_claim_without_a_namespace_is_rendered_with_a_warning() -> None:
    made = estate(XRD, COMPOSITION, CLAIM.replace(", namespace: team", ""))
    finding = only(made)
    assert (finding.rule, finding.severity) == ("crossplane/no-namespace", Severity.WARNING)
    assert roles(made)[-1] == "composed Bucket"


def test_a_claim_without_a_name_makes_nothing() -> None:
    made = estate(XRD, COMPOSITION, CLAIM.replace("name: fraud, ", ""))
    assert only(made).rule == "crossplane/no-name"
    assert roles(made)[-1] == "claim Database"


def test_an_unknown_function_could_not_be_checked() -> None:
    foreign = COMPOSITION.replace("function-patch-and-transform", "function-kcl").replace("pt.fn.crossplane.io", "krm.kcl.dev")
    made = estate(XRD, foreign, CLAIM, CLAIM.replace("fraud", "other"))
    assert made.judgement.findings == ()
    (unknown,) = made.judgement.could_not_check
    assert "function-kcl" in unknown.what
    assert unknown.where.startswith("1.yaml:8"), "said once, at the step, however many claims meet it"


def test_a_pipeline_that_fails_is_a_finding_at_the_patch() -> None:
    failing = COMPOSITION.replace("fromFieldPath: spec.size,", "fromFieldPath: 'spec[',")
    finding = only(estate(XRD, failing, CLAIM))
    assert finding.rule == "render/failed"
    assert (finding.place.file, finding.place.line) == ("1.yaml", 20)
    assert finding.resource.name == "fraud"


def test_a_pipeline_that_fails_on_a_value_of_the_claim_points_at_that_value() -> None:
    """The claim's author can mend the value; the Composition's line is a cause beside it."""
    failing = COMPOSITION.replace("fromFieldPath: spec.size,", "fromFieldPath: spec.size, transforms: [{type: map, map: {other: x}}],")
    found = only(estate(XRD, failing, CLAIM))
    assert (found.place.file, found.path) == ("2.yaml", "spec.size")
    assert [cause.place.file for cause in found.causes] == ["2.yaml", "1.yaml"]


def nested(kind: str, inner: str) -> str:
    return (
        COMPOSITION.replace("XDatabase", kind)
        .replace("s3.example.org/v1", "example.org/v1")
        .replace("kind: Bucket", f"kind: {inner}")
        .replace("name: plain", f"name: {kind.lower()}")
        .replace("spec.forProvider.", "spec.")
        .replace("spec: {forProvider: {acl: private}}", "spec: {}")
    )


OUTER = (
    XRD.replace("XDatabase", "XOuter")
    .replace("xdatabases", "xouters")
    .replace("kind: Database, plural: databases", "kind: Outer, plural: outers")
)
OUTER_CLAIM = CLAIM.replace("kind: Database", "kind: Outer")


def test_nested_xrs_are_rendered_down() -> None:
    made = estate(XRD, OUTER, nested("XOuter", "XDatabase"), COMPOSITION, OUTER_CLAIM)
    assert findings(made) == []
    assert roles(made)[-5:] == ["claim Outer", "xr XOuter", "composed XDatabase", "xr XDatabase", "composed Bucket"]
    bucket = made.resources[-1]
    assert bucket.body["spec"]["forProvider"]["size"] == "L"
    assert bucket.body["metadata"]["labels"]["crossplane.io/composite"] == made.resources[-4].identity.name, (
        "names derive from the outermost XR"
    )
    cause = causes_of(bucket, ("spec", "forProvider", "size"))[0]
    assert (cause.role, str(cause.place)) == ("claim", "4.yaml:5:3")


def test_a_composition_that_leads_back_to_itself_ends_with_a_finding() -> None:
    made = estate(XRD, OUTER, nested("XOuter", "XDatabase"), nested("XDatabase", "XOuter"), OUTER_CLAIM)
    finding = only(made)
    assert finding.rule == "crossplane/composition-cycle"
    assert finding.place.file == "3.yaml"


def test_wrapped_manifests_are_resources_and_a_claim_inside_is_rendered() -> None:
    inner = "\n".join(f"      {line}" for line in CLAIM.splitlines())
    head = "apiVersion: kubernetes.crossplane.io/v1alpha2\nkind: Object\nmetadata: {name: o}\n"
    wrapper = f"{head}spec:\n  forProvider:\n    manifest:\n{inner}\n"
    made = estate(XRD, COMPOSITION, wrapper)
    assert findings(made) == []
    assert roles(made)[-4:] == ["document Object", "wrapped Database", "xr XDatabase", "composed Bucket"]
    cause = causes_of(made.resources[-1], ("spec", "forProvider", "size"))[0]
    assert str(cause.place) == "2.yaml:11:9"


def test_a_resource_that_waits_for_the_status_is_judged_already() -> None:
    waiting = COMPOSITION.replace(
        "fromFieldPath: spec.size, toFieldPath: spec.forProvider.size}",
        "fromFieldPath: status.arn, toFieldPath: spec.forProvider.arn, policy: {fromFieldPath: Required}}",
    )
    made = estate(XRD, waiting, CLAIM)
    assert made.resources[-1].body["spec"]["forProvider"] == {"acl": "private", "region": "us"}
    optional = COMPOSITION.replace("fromFieldPath: spec.size,", "fromFieldPath: spec.size, policy: {fromFieldPath: Required},")
    assert roles(estate(XRD, optional, CLAIM.replace("size: L", "region: eu")))[-1] == "xr XDatabase", "the claim says that it is left out"


def test_a_paused_claim_is_judged_as_if_it_ran() -> None:
    paused = CLAIM.replace("namespace: team}", "namespace: team, annotations: {crossplane.io/paused: 'true'}}")
    assert roles(estate(XRD, COMPOSITION, paused))[-1] == "composed Bucket"


def test_native_compositions_are_rendered_as_their_conversion() -> None:
    lines = COMPOSITION.splitlines()
    start = lines.index("      resources:")
    native = "\n".join([*lines[:5], *(line[4:] for line in lines[start:])])
    made = estate(XRD, native, CLAIM)
    finding = only(made)
    assert finding.rule == "crossplane/native-patch-mode"
    assert (finding.place.file, finding.place.line) == ("1.yaml", 6)
    assert made.resources[-1].body["spec"]["forProvider"]["size"] == "L"
    (cause,) = causes_of(made.resources[-1], ("spec", "forProvider", "acl"))
    assert (cause.place.file, cause.place.line) == ("1.yaml", 11)


XRD_2 = XRD.replace("apiextensions.crossplane.io/v1", "apiextensions.crossplane.io/v2").replace(
    "  claimNames: {kind: Database, plural: databases}\n", ""
)


def test_namespaced_xrs_of_crossplane_2() -> None:
    xr = CLAIM.replace("kind: Database", "kind: XDatabase")
    made = estate(XRD_2, COMPOSITION, xr)
    assert findings(made) == []
    assert roles(made)[-2:] == ["xr XDatabase", "composed Bucket"]
    assert made.resources[-1].identity.namespace == "team"
    cause = causes_of(made.resources[-1], ("spec", "forProvider", "size"))[0]
    assert (cause.role, str(cause.place)) == ("xr", "2.yaml:5:3")


def test_environment_configs_among_the_documents_are_there_for_functions() -> None:
    step = """\
  - step: environment
    functionRef: {name: function-environment-configs}
    input:
      apiVersion: environmentconfigs.fn.crossplane.io/v1beta1
      kind: Input
      spec:
        environmentConfigs:
        - {type: Reference, ref: {name: shared}}
"""
    composition = COMPOSITION.replace("  pipeline:\n", f"  pipeline:\n{step}").replace(
        "{type: FromCompositeFieldPath, fromFieldPath: spec.region,", "{type: FromEnvironmentFieldPath, fromFieldPath: zone,"
    )
    config = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: shared}\ndata: {zone: z1}\n"
    made = estate(CLAIM, platform=(XRD, composition, config))
    assert findings(made) == []
    assert made.resources[-1].body["spec"]["forProvider"]["region"] == "z1"


@pytest.mark.parametrize("body", [None, 3, [], "text"])
def test_what_is_no_object_is_left_to_the_reader(body: Any) -> None:
    assert expand([Document(body, "a.yaml")], Schemas.load(())) == Estate()


def test_when_only_one_of_the_drawn_compositions_has_the_wanted_revision_the_draw_is_still_a_finding() -> None:
    xrd = XRD.replace("  versions:", "  defaultCompositionRevisionSelector: {matchLabels: {provider: aws}}\n  versions:")
    other = COMPOSITION.replace("name: plain, labels: {provider: aws}", "name: other")
    made = estate(xrd, COMPOSITION, other, CLAIM)
    assert findings(made) == ["crossplane/ambiguous-composition"]
    assert roles(made)[-1] == "composed Bucket"
