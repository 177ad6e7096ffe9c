"""What a team may pay, when it may change something, and what may go to production: what the gate says to each step."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

ORDERS, USERS = "dist/40-claims/shop/orders.yaml", "dist/40-claims/shop/users.yaml"
COMPOSITION = "dist/20-compositions/store.yaml"
BUDGETS, FREEZES, PRICES, WAIVERS = (
    f"policies/{name}" for name in ("data/budgets.rego", "data/freezes.yaml", "data/prices.yaml", "waivers.yaml")
)
RULES = ("lib", "data", "cost/team-budget", "release")


@pytest.fixture
def store(repo: Repo, root: Path) -> Repo:
    """The store, judged by the project's own rules about money and releases; its team may spend 400 dollars."""
    repo.git("checkout", "-q", "main")
    for name in RULES:
        shutil.copytree(root / "policies" / name, repo.root / "policies" / name, dirs_exist_ok=True)
    repo.edit(BUDGETS, '"fraud": 8000,', '"fraud": 8000,\n\t"shop": 400,')
    repo.commit()
    repo.git("branch", "-f", "change")
    repo.git("checkout", "-q", "change")
    return repo


def on_main(repo: Repo) -> None:
    """Merge what is there, and start the next change."""
    repo.commit()
    repo.git("branch", "-f", "main", "HEAD")


def found(report: dict[str, Any], where: str = "findings") -> list[str]:
    return [finding["rule"] for finding in report[where] if finding["rule"] != "schema/deprecated-version"]


def grow(repo: Repo, file: str, size: int) -> None:
    text = (repo.root / file).read_text().split("  diskSize:")[0]
    repo.write(file, f"{text}  diskSize: {size}\n")


def freeze(team: str, *, hours: int = 1, starts: int = -1) -> str:
    now = datetime.now(tz=UTC)
    times = {name: (now + timedelta(hours=at)).isoformat() for name, at in (("starts", starts), ("ends", hours))}
    body = {"team": team, "reason": "the books are closed", "owner": "finance", **times}
    return json.dumps({"freezes": [body]})


def test_a_claim_that_the_team_cannot_pay(store: Repo) -> None:
    assert store.check()[0] == 0
    grow(store, ORDERS, 490)
    code, report = store.check()
    assert code == 0, "within its budget"
    grow(store, USERS, 490)
    code, report = store.check()
    assert (code, found(report)) == (1, ["cost/team-budget"])
    finding = next(each for each in report["findings"] if each["rule"] == "cost/team-budget")
    assert finding["reason"] == "BUDGET_EXCEEDED"
    assert "its budget is 400" in finding["message"]
    assert "1 more" in finding["message"] or "2 more" in finding["message"], "a chart that nobody has priced is said"
    assert finding["file"] in (ORDERS, USERS)


def test_what_was_too_dear_before_may_shrink_and_not_grow(store: Repo) -> None:
    grow(store, ORDERS, 490)
    grow(store, USERS, 490)
    on_main(store)
    assert store.check()[0] == 0, "it is known from the base"
    grow(store, USERS, 480)
    assert store.check()[0] == 0
    grow(store, USERS, 495)
    code, report = store.check()
    assert (code, [each["reason"] for each in report["findings"] if each["severity"] == "error"]) == (1, ["BUDGET_EXCEEDED_FURTHER"])


def test_the_plan_says_what_a_change_costs(store: Repo) -> None:
    grow(store, ORDERS, 490)
    [orders] = store.plan()["claims"]
    was, will = (orders["cost"][side]["monthly"]["usual"] for side in ("before", "after"))
    assert round(will - was, 2) == round(390 * 0.17 * 1.1, 2), "a GiB costs 0.17 dollars in the region that the others are multiples of"
    assert [each["team"] for each in store.plan()["costs"]] == ["shop"]
    (store.root / USERS).unlink()
    assert "-" in store.run("plan", "--base", "main").stdout.partition("Cost by list prices: ")[2]
    store.git("checkout", "-q", USERS)
    text = " ".join(store.run("cost", "--by", "claim").stdout.split())
    assert "490 GiB cloudsql-pd-ssd at about 0.187 USD a month in europe-west1" in text
    assert "unpriced: Release" in text


def test_money_comes_from_the_base(store: Repo) -> None:
    """A pull request that grants itself more, makes everything cheaper or thaws itself is judged by the base, and said to have tried."""
    grow(store, ORDERS, 490)
    grow(store, USERS, 490)
    store.edit(BUDGETS, '"shop": 400', '"shop": 99999')
    store.edit(PRICES, "cloudsql-pd-ssd: 0.17", "cloudsql-pd-ssd: 0.0")
    store.write(FREEZES, "freezes: []\n# thawed\n")
    code, report = store.check()
    rules = found(report)
    assert code == 1
    assert "cost/team-budget" in rules
    assert {each["file"] for each in report["findings"] if each["rule"] in ("gate/changed-data", "gate/changed-policy")} == {
        BUDGETS,
        PRICES,
        FREEZES,
    }


def test_prices_that_are_taken_away_are_no_pass(store: Repo) -> None:
    (store.root / PRICES).unlink()
    assert store.check()[0] == 0, "the base has them"
    store.git("checkout", "-q", "main")
    store.commit()
    done = store.run("check")
    assert done.returncode == 3
    assert "there are no prices for cost/team-budget" in done.stdout


def test_a_frozen_team_changes_nothing(store: Repo) -> None:
    store.write(FREEZES, freeze("shop"))
    on_main(store)
    assert store.check()[0] == 0, "nothing is changed"
    grow(store, ORDERS, 101)
    (store.root / USERS).unlink()
    store.write("dist/40-claims/shop/carts.yaml", (store.root / ORDERS).read_text().replace("orders", "carts"))
    code, report = store.check()
    frozen = [each for each in report["findings"] if each["rule"] == "release/freeze"]
    assert (code, len(frozen)) == (1, 3)
    assert {each["file"] for each in frozen} == {ORDERS, USERS, "dist/40-claims/shop/carts.yaml"}
    assert all("ask finance" in each["message"] and "the books are closed" in each["message"] for each in frozen)
    assert "frozen until" in report["notes"][0]


def test_a_pull_request_cannot_thaw_itself(store: Repo) -> None:
    store.write(FREEZES, freeze("*"))
    on_main(store)
    grow(store, ORDERS, 101)
    store.write(FREEZES, "freezes: []\n")
    code, report = store.check()
    assert code == 1
    assert {"release/freeze", "gate/changed-data"} <= set(found(report))


def test_other_teams_and_other_times_are_free(store: Repo) -> None:
    for text, said in ((freeze("vision"), "is frozen until"), (freeze("shop", starts=-2, hours=-1), "counts no longer")):
        store.write(FREEZES, text)
        on_main(store)
        grow(store, ORDERS, 101)
        code, report = store.check()
        assert (code, found(report)) == (0, [])
        assert said in report["notes"][0]
        store.git("checkout", "-q", ORDERS)


def test_a_moved_file_is_no_change(store: Repo) -> None:
    store.write(FREEZES, freeze("*"))
    on_main(store)
    (store.root / ORDERS).rename(store.root / "dist/40-claims/shop/moved.yaml")
    code, report = store.check()
    assert (code, found(report)) == (0, [])


def test_an_emergency_is_a_waiver_that_is_merged_first(store: Repo) -> None:
    store.write(FREEZES, freeze("shop"))
    on_main(store)
    ends = (datetime.now(tz=UTC) + timedelta(days=1)).date()
    waiver = {"id": "orders", "rule": "release/freeze", "scope": {"file": ORDERS}, "reason": "orders are lost", "owner": "finance"}
    grow(store, ORDERS, 101)
    store.write(WAIVERS, json.dumps({"waivers": [{**waiver, "expires": str(ends)}]}))
    assert store.check()[0] == 1, "its own waiver does not count"
    store.git("checkout", "-q", ORDERS)
    on_main(store)
    grow(store, ORDERS, 102)
    code, report = store.check()
    assert code == 0
    assert [each["rule"] for each in report["findings"] if "waived" in each] == ["release/freeze"]


def test_a_waiver_that_is_over_does_not_count_and_is_shown(store: Repo) -> None:
    waiver = {"id": "dear", "rule": "cost/team-budget", "scope": {"path": "spec.teams.shop.*"}, "reason": "it is paid", "owner": "finance"}
    store.write(WAIVERS, json.dumps({"waivers": [{**waiver, "expires": "2026-01-01"}]}))
    on_main(store)
    grow(store, ORDERS, 490)
    grow(store, USERS, 490)
    code, report = store.check()
    assert code == 1
    assert "cost/team-budget" in found(report)
    assert "expired" in json.dumps(report)


def claim(name: str, environment: str, image: str) -> str:
    labels = f"  labels: {{environment: {environment}}}\n"
    pod = f"{{metadata: {{labels: {{a: {name}}}}}, spec: {{containers: [{{name: a, image: '{image}'}}]}}}}"
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: shop\n{labels}"
        f"spec:\n  selector: {{matchLabels: {{a: {name}}}}}\n  template: {pod}\n"
    )


def test_production_gets_what_development_had(store: Repo) -> None:
    dev, prod = "dist/50-apps/dev.yaml", "dist/50-apps/prod.yaml"
    store.write(dev, claim("dev", "dev", "registry.example.org/a:1"))
    store.write(prod, claim("prod", "production", "registry.example.org/a:1"))
    on_main(store)
    # both at once: development has not run it yet
    store.write(dev, claim("dev", "dev", "registry.example.org/a:2"))
    store.write(prod, claim("prod", "production", "registry.example.org/a:2"))
    code, report = store.check()
    assert (code, found(report)) == (1, ["release/promotion"])
    finding = next(each for each in report["findings"] if each["rule"] == "release/promotion")
    assert (finding["file"], finding["line"]) == (prod, 9)
    assert "image registry.example.org/a:2" in finding["message"]
    # one after the other
    store.write(prod, claim("prod", "production", "registry.example.org/a:1"))
    assert store.check()[0] == 0
    on_main(store)
    store.write(prod, claim("prod", "production", "registry.example.org/a:2"))
    assert store.check()[0] == 0


def test_a_shared_composition_brings_production_what_development_never_had(store: Repo) -> None:
    """Nobody wrote the version into a claim: it comes from the Composition, and with one merge to both."""
    for name, file in (("production", ORDERS), ("dev", USERS)):
        text = (store.root / file).read_text()
        store.write(file, text.replace("  namespace: shop", f"  namespace: shop\n  labels: {{environment: {name}}}"))
    on_main(store)
    store.edit(COMPOSITION, "version: 1.2.3", "version: 1.3.0")
    code, report = store.check()
    [finding] = [each for each in report["findings"] if each["rule"] == "release/promoted-at-once"]
    assert (code, finding["severity"], finding["file"]) == (0, "warning", ORDERS)
    assert finding["message"].endswith(
        "gets chart shop@1.3.0 through Composition store-gcp, which development did not have before this change"
    )
    said = " ".join(store.run("release", "--base", "main").stdout.split())
    assert said.count("becomes chart shop@1.3.0 through Composition store-gcp") == 2
    # development has a Composition of its own, and had the version before
    text = (store.root / COMPOSITION).read_text().replace("name: store-gcp", "name: store-dev")
    store.write("dist/20-compositions/dev.yaml", text)
    store.write(USERS, (store.root / USERS).read_text() + "  compositionRef: {name: store-dev}\n")
    store.write(ORDERS, (store.root / ORDERS).read_text() + "  compositionRef: {name: store-gcp}\n")
    store.git("checkout", "-q", COMPOSITION)
    on_main(store)
    store.edit(COMPOSITION, "version: 1.2.3", "version: 1.3.0")
    assert found(store.check()[1]) == []
    store.edit(COMPOSITION, "version: 1.3.0", "version: 1.4.0")
    assert found(store.check()[1]) == ["release/promoted-at-once"]


def test_a_label_that_is_taken_away_in_production_helps_nobody_else(store: Repo) -> None:
    """A new object of production is held to the same rule, in a folder that says so too."""
    store.write("dist/production/a.yaml", claim("a", "x", "registry.example.org/a:9").replace("  labels: {environment: x}\n", ""))
    code, report = store.check()
    assert (code, found(report)) == (1, ["release/promotion"])


def test_without_a_base_the_rules_about_changes_say_that_they_said_nothing(store: Repo) -> None:
    assert "no base was named" not in store.run("check").stdout, "nothing is frozen"
    store.write(FREEZES, freeze("shop"))
    done = store.run("check")
    assert done.returncode == 0, done.stdout
    said = " ".join(done.stdout.split())
    assert (
        "release/freeze, release/promoted-at-once, release/promotion judge a change, and no base was named: they have said nothing" in said
    )
    assert not json.loads(store.run("check", "-o", "json").stdout)["findings"][0]["rule"].startswith("release/")


def test_the_change_is_shown_and_written_for_others(store: Repo) -> None:
    store.write(FREEZES, freeze("shop"))
    on_main(store)
    grow(store, ORDERS, 101)
    done = store.run("release", "--base", "main")
    assert "update Store.shop.example.org/shop/orders of team shop" in done.stdout
    assert "team shop is frozen from" in done.stdout
    body = json.loads(store.run("release", "--base", "main", "-o", "json").stdout)
    assert list(body["spec"]["objects"]) == ["Store.shop.example.org/shop/orders"]


def test_a_frozen_teams_claims_are_not_changed_through_the_platform(store: Repo) -> None:
    """A Composition is the platform's, but what it makes for the team is the team's: the freeze named claims that nobody may change."""
    store.write(FREEZES, freeze("shop"))
    on_main(store)
    store.edit(COMPOSITION, "metadata:\n  name: store-gcp", "metadata:\n  labels: {a: b}\n  name: store-gcp")
    assert store.check()[0] == 0, "nothing comes of it for anybody"
    store.edit(COMPOSITION, "tier: db-custom-2-8192", "tier: db-custom-4-8192")
    code, report = store.check()
    frozen = [each for each in report["findings"] if each["rule"] == "release/freeze"]
    assert (code, {each["file"] for each in frozen}) == (1, {ORDERS, USERS})
    assert all("Store.shop.example.org/shop/" in each["message"] for each in frozen)
    assert all("through Composition store-gcp" in each["message"] for each in frozen)
    assert "update Store.shop.example.org/shop/users of team shop through Composition store-gcp" in " ".join(
        store.run("release", "--base", "main").stdout.split()
    )
    store.git("checkout", "-q", COMPOSITION)
    store.edit("dist/10-xrds/stores.yaml", "default: 100", "default: 200")
    (store.root / USERS).unlink()
    frozen = [each for each in store.check()[1]["findings"] if each["rule"] == "release/freeze"]
    assert {(each["file"], "through CompositeResourceDefinition" in each["message"]) for each in frozen} == {(ORDERS, True), (USERS, False)}


@pytest.mark.tools
def test_conftest_says_the_same_of_the_same_documents(store: Repo, tool: Any) -> None:
    """The facts are documents among the others."""
    conftest = tool("conftest")
    store.write(FREEZES, freeze("shop"))
    on_main(store)
    grow(store, ORDERS, 490)
    grow(store, USERS, 490)
    for name, arguments in (("cost", ("cost", "-o", "yaml")), ("change", ("release", "--base", "main", "-o", "yaml"))):
        store.write(f"build/{name}.yaml", store.run(*arguments).stdout)
    judged = ("test", "--combine", "--all-namespaces", "-p", "policies", "-o", "json", "build", "dist")
    done = subprocess.run([conftest, *judged], cwd=store.root, capture_output=True, text=True, check=False)
    said = {failure["msg"] for each in json.loads(done.stdout) for failure in each.get("failures") or ()}
    _, report = store.check()
    ours = {each["message"] for each in report["findings"] if each["rule"].startswith(("cost/team", "release/"))}
    assert len(ours) == 3
    assert ours == {message for message in said if "budget" in message or "frozen" in message}
