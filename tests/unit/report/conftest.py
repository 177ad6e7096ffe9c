"""A report that has everything, for the formats that show everything, and words that mean harm to put into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import strategies as st

from crossgate.cost import Estimate, Item, Part, Span, TeamCost, Unpriced
from crossgate.model import Cause, CouldNotCheck, Finding, Identity, Place, Report, Role, Severity, Subject, Waived
from crossgate.paths import MISSING
from crossgate.plan.model import Action, ClaimChange, Danger, FieldChange, Mark, Plan, ResourceChange

SQL = "sql.gcp.upbound.io/v1beta2"
SPEC = ("spec", "forProvider")


def claim(name: str, namespace: str = "ml-team-fraud", kind: str = "VectorDatabase") -> Identity:
    return Identity("ml.example.org/v1", kind, namespace, name)


def estimate(database: str, nodes: int = 0, *, unknown: bool = False) -> Estimate:
    of = Identity(SQL, "DatabaseInstance", "", "docs-1a2b3")
    items = [Item(of, Part.DATABASE, "db-custom-4-16384", "gcp", "europe-west4", "instance", Span.fixed(1), Decimal(database))]
    if nodes:
        machines = Span(Decimal(1), Decimal(nodes))
        items.append(Item(of, Part.NODE, "n1-standard-8", "gcp", "europe-west4", "node", machines, Decimal("277.40"), gpus=("t4", 2)))
    unpriced = (Unpriced(of, "xlarge-preview", "no price in europe-west4 for this type"),) if unknown else ()
    return Estimate("USD", tuple(items), unpriced)


def found(rule: str, severity: Severity, message: str, file: str, line: int, resource: Identity, **more: object) -> Finding:
    return Finding(rule, rule.upper(), severity, message, Place(file, line, 7), resource, fingerprint=f"{line:032x}", **more)  # type: ignore[arg-type]


FINDINGS = (
    found(
        "network/open-cidr",
        Severity.ERROR,
        'authorized network "0.0.0.0/0" is the whole Internet',
        "apps/claims/fraud/docs.yaml",
        12,
        Identity(SQL, "DatabaseInstance", "", "docs-1a2b3"),
        path="spec.forProvider.settings.ipConfiguration.authorizedNetworks[0].value",
        origin=("VectorDatabase ml-team-fraud/docs", "XVectorDatabase docs-x1b2c", "DatabaseInstance docs-1a2b3 (template database)"),
        causes=(
            Cause("claim", Place("apps/claims/fraud/docs.yaml", 12, 7), "spec.network"),
            Cause(
                "patch",
                Place("dist/20-compositions/vector.yaml", 88),
                "spec.pipeline[0].input.resources[3].patches[2]",
                "template database",
            ),
        ),
        remediation="Give the database a private address, or name the networks that may reach it.",
        link="https://docs.example.org/rules/network/open-cidr",
    ),
    found(
        "cost/over-budget",
        Severity.ERROR,
        "team fraud would cost 1,902.10 USD a month; its budget is 1,500",
        "apps/teams/fraud.py",
        9,
        claim("docs"),
    ),
    found(
        "images/no-digest",
        Severity.WARNING,
        "image registry/embed:latest has no digest",
        "apps/claims/fraud/embed.yaml",
        21,
        claim("embed"),
    ),
    found(
        "schema/deprecated-version", Severity.INFO, "v1beta1 is deprecated: use v1beta2", "apps/claims/search/index.yaml", 1, claim("index")
    ),
)

PLAN = Plan(
    base="origin/main (0123abcd)",
    claims=(
        ClaimChange(
            Action.DELETE,
            claim("users", "ml-team-search"),
            None,
            Role.CLAIM,
            Place("apps/claims/search/users.yaml", 1, 1),
            resources=tuple(
                ResourceChange(Action.DELETE, Identity(version, kind, "", name), None, Role.COMPOSED, f"resources/{kind.lower()}")
                for version, kind, name in (
                    (SQL, "DatabaseInstance", "users-9f8e7"),
                    ("storage.gcp.upbound.io/v1beta1", "Bucket", "search-users"),
                )
            ),
            marks=(
                Mark(
                    Danger.DESTROYS,
                    "VectorDatabase ml-team-search/users is deleted and the 2 resources that it makes, with everything in "
                    "DatabaseInstance users-9f8e7, Bucket search-users",
                ),
            ),
            team="search",
            cost_before=estimate("210.00"),
            owners=("@example/search",),
        ),
        ClaimChange(
            Action.UPDATE,
            claim("docs"),
            claim("docs"),
            Role.CLAIM,
            Place("apps/claims/fraud/docs.yaml", 4, 1),
            fields=(
                FieldChange(("spec", "diskSize"), 100, 50),
                FieldChange(("spec", "network"), MISSING, "0.0.0.0/0"),
                FieldChange(("spec", "password"), "(sensitive)", "(sensitive)", sensitive=True),
            ),
            resources=(
                ResourceChange(
                    Action.UPDATE,
                    Identity(SQL, "DatabaseInstance", "", "docs-1a2b3"),
                    Identity(SQL, "DatabaseInstance", "", "docs-1a2b3"),
                    Role.COMPOSED,
                    "resources/database",
                    "vector-gcp",
                    fields=(
                        FieldChange(
                            (*SPEC, "settings", "diskSize"),
                            100,
                            50,
                            marks=(Mark(Danger.STORAGE_SHRINKS, "spec.forProvider.settings.diskSize shrinks from 100 to 50"),),
                        ),
                        FieldChange((*SPEC, "databaseVersion"), "POSTGRES_14", "POSTGRES_15", causes=("Composition vector-gcp",)),
                        FieldChange(
                            (*SPEC, "settings", "ipConfiguration", "authorizedNetworks", 0, "value"),
                            MISSING,
                            "0.0.0.0/0",
                            marks=(Mark(Danger.WIDER_NETWORK, "0.0.0.0/0 is let in: the whole Internet"),),
                        ),
                        FieldChange((*SPEC, "rootPassword"), "(sensitive)", "(sensitive)", sensitive=True),
                    ),
                ),
                ResourceChange(
                    Action.REPLACE,
                    Identity("storage.gcp.upbound.io/v1beta1", "Bucket", "", "fraud-docs"),
                    Identity("storage.gcp.upbound.io/v1beta1", "Bucket", "", "fraud-docs-2"),
                    Role.COMPOSED,
                    "resources/bucket",
                    "vector-gcp",
                    fields=(FieldChange(("metadata", "name"), "fraud-docs", "fraud-docs-2"),),
                    marks=(
                        Mark(
                            Danger.REPLACES,
                            "Bucket fraud-docs is destroyed, with everything in it, and Bucket fraud-docs-2 made in its place",
                        ),
                    ),
                ),
                ResourceChange(
                    Action.UPDATE,
                    Identity("helm.crossplane.io/v1beta1", "Release", "", "docs-4d5e6"),
                    Identity("helm.crossplane.io/v1beta1", "Release", "", "docs-4d5e6"),
                    Role.COMPOSED,
                    "resources/chart",
                    "vector-gcp",
                    fields=(
                        FieldChange((*SPEC, "values", "config"), 2, 4, inside=("workers",)),
                        FieldChange((*SPEC, "values", "args"), ["--cache", "1Gi"], ["--cache", "2Gi", "--verbose"]),
                    ),
                ),
            ),
            team="fraud",
            cost_before=estimate("105.00"),
            cost_after=estimate("410.00", 4, unknown=True),
            owners=("@example/fraud", "@alice"),
        ),
        ClaimChange(
            Action.CREATE,
            None,
            claim("embed", kind="ModelService"),
            Role.CLAIM,
            Place("apps/claims/fraud/embed.yaml", 1, 1),
            fields=(FieldChange(("spec", "image"), MISSING, "registry/embed:latest"), FieldChange(("spec", "replicas"), MISSING, 2)),
            resources=(
                ResourceChange(
                    Action.CREATE,
                    None,
                    Identity("apps/v1", "Deployment", "ml-team-fraud", "embed"),
                    Role.WRAPPED,
                    "resources/deployment",
                    "model-service",
                    fields=(FieldChange(("spec", "replicas"), MISSING, 2), FieldChange(("metadata", "labels", "app"), MISSING, "embed")),
                ),
            ),
            team="fraud",
            cost_after=estimate("35.50"),
            owners=("@example/fraud",),
        ),
    ),
    notes=("origin/main (0123abcd) has commits that are not in this branch: they look as if they were taken back; merge or rebase first",),
    ignored=3,
    versions={"tool": "0.1.0", "base": "0123abcd" * 5},
    costs=(
        TeamCost("fraud", estimate("105.00"), estimate("445.50", 4, unknown=True)),
        TeamCost("search", estimate("210.00"), Estimate("USD")),
    ),
)


DOCS, EMBED = Place("apps/claims/fraud/docs.yaml", 1), Place("apps/claims/fraud/embed.yaml", 1)
SUBJECTS = (
    Subject(claim("docs"), DOCS, Role.CLAIM, team="fraud"),
    Subject(Identity("ml.example.org/v1", "XVectorDatabase", "", "docs-x1b2c"), DOCS, Role.XR, parent=0, team="fraud"),
    Subject(Identity(SQL, "DatabaseInstance", "", "docs-1a2b3"), DOCS, Role.COMPOSED, "database", 1, "fraud"),
    Subject(Identity("storage.gcp.upbound.io/v1beta1", "Bucket", "", "fraud-docs-2"), DOCS, Role.COMPOSED, "bucket", 1, "fraud"),
    Subject(Identity("kubernetes.crossplane.io/v1alpha2", "Object", "", "docs-4d5e6"), DOCS, Role.COMPOSED, "config", 1, "fraud"),
    Subject(Identity("v1", "ConfigMap", "ml-team-fraud", "docs"), DOCS, Role.WRAPPED, "", 4, "fraud"),
    Subject(claim("embed", kind="ModelService"), EMBED, Role.CLAIM, team="fraud"),
    Subject(Identity("apps/v1", "Deployment", "ml-team-fraud", "embed"), EMBED, Role.COMPOSED, "deployment", 6, "fraud"),
    Subject(claim("index", "ml-team-search"), Place("apps/claims/search/index.yaml", 1), Role.CLAIM, team="search"),
    Subject(Identity("v1", "Namespace", "", "ml-team-fraud"), Place("dist/00-teams/fraud.yaml", 1), team="fraud"),
)


@pytest.fixture(scope="session")
def everything() -> Report:
    """Findings of each severity, what could not be checked, waived and known ones, and a plan with each action, masks and money."""
    return Report(
        findings=FINDINGS,
        could_not_check=(
            CouldNotCheck(
                "function-go-templating is not known", "dist/20-compositions/other.yaml:3:5", "name the engine that can stand in for it"
            ),
        ),
        waived=(Waived(FINDINGS[2], "the registry has no digests before March", "@example/fraud", "2027-03-01"),),
        known=(FINDINGS[3],),
        counts={"files": 12, "documents": 12, "claims": 3, "composed resources": 9, "rules": 45},
        versions={"tool": "0.1.0", "policies": "sha256:5f2c", "schemas": "sha256:77aa", "base": "0123abcd" * 5},
        subjects=SUBJECTS,
        plan=PLAN,
        notes=("rule cost/over-budget had nothing to say about team search: it has no budget",),
    )


HOSTILE = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=12),
        st.sampled_from(
            [
                *("@octocat", "@org/team", "#1", "GH-1", "fixes #12", "org/repo#3", "0123456789abcdef0123456789abcdef01234567", ":+1:"),
                *(
                    "https://evil.example",
                    "www.evil.example",
                    "a@evil.example",
                    "![x](https://evil.example/a.png)",
                    "[x](y)",
                    "<img src=x>",
                ),
                *("`", "``", "```", "~~~", "\n```\n", "|", "\\|", "\\", "</details>", "</summary>", "</code>", "<!--", "-->", "<script>"),
                *(
                    "\n\n# head",
                    "\n---\n",
                    "\n- item",
                    "\n> quote",
                    "1. ",
                    "***",
                    "__x__",
                    "~~x~~",
                    "$`x`$",
                    "$$",
                    "&lt;",
                    "[^1]",
                    "[x]: /y",
                ),
                *(
                    "\u202e",
                    "\u200b",
                    "\u2066",
                    "\ufeff",
                    "\x00",
                    "\x1b[31m",
                    "\r",
                    "\u2028",
                    "\U000e0041",
                    "\u3164",
                    "e\u0301\u0301\u0301",
                ),
                *('" onclick="x', "' x='", "javascript:x", "</script>", "</style>", "&#60;", "]]>", "{{x}}"),
                *("::error::x", "##[group]", " ", "\t", "plain words", "it's"),
            ]
        ),
    ),
    min_size=1,
    max_size=6,
).map("".join)


def put(value: Any, word: Callable[[], str]) -> Any:
    """Put ``word()`` in place of every text of a report that comes out of somebody's files."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return word() if value else value
    if isinstance(value, tuple):
        return tuple(put(item, word) for item in value)
    if isinstance(value, list):
        return [put(item, word) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        kept = ("versions", "counts", "fail_on", "currency", "link")  # a link is the policy's own
        return replace(value, **{each.name: put(getattr(value, each.name), word) for each in fields(value) if each.name not in kept})
    return value


@pytest.fixture(scope="session")
def hostile() -> st.SearchStrategy[str]:
    """Texts that want to be more than text where they are shown."""
    return HOSTILE


@pytest.fixture(scope="session")
def replaced() -> Callable[[Any, Callable[[], str]], Any]:
    """Return the function that puts a word in place of every text of a report that comes out of somebody's files."""
    return put
