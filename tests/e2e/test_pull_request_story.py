"""What a team does on its branches, and what the gate and the plan say to each step."""

from __future__ import annotations

import re
from typing import Any

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

ORDERS, USERS = "dist/40-claims/shop/orders.yaml", "dist/40-claims/shop/users.yaml"


def rules(report: dict[str, Any], where: str = "findings") -> list[str]:
    return [finding["rule"] for finding in report[where]]


def claim(plan: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in plan["claims"] if (each.get("after") or each["before"])["name"] == name)


def resource(claim: dict[str, Any], template: str) -> dict[str, Any]:
    return next(each for each in claim["resources"] if each["template"].endswith(template))


def dangers(thing: dict[str, Any]) -> list[str]:
    return [mark["danger"] for mark in thing["marks"]] + [mark["danger"] for field in thing["fields"] for mark in field["marks"]]


def test_nothing_changed(repo: Repo) -> None:
    code, report = repo.check()
    assert (code, rules(report)) == (0, [])
    assert "schema/deprecated-version" in rules(report, "known")
    assert repo.plan()["claims"] == []
    assert "No changes." in repo.run("plan", "--base", "main").stdout


def test_a_new_claim(repo: Repo) -> None:
    text = (repo.root / ORDERS).read_text()
    repo.write("dist/40-claims/shop/carts.yaml", text.replace("orders", "carts"))
    assert repo.check()[0] == 0
    carts = claim(repo.plan(), "carts")
    assert (carts["action"], carts["file"]) == ("create", "dist/40-claims/shop/carts.yaml")
    assert [each["action"] for each in carts["resources"]] == ["create"] * 3
    sizes = [field for field in resource(carts, "database")["fields"] if field["path"] == "spec.forProvider.settings.diskSize"]
    assert sizes == [{"action": "create", "path": sizes[0]["path"], "after": 100, "sensitive": False, "causes": [], "marks": []}]


def test_a_claim_that_becomes_too_expensive(repo: Repo) -> None:
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  diskSize: 2000\n")
    code, report = repo.check()
    assert (code, rules(report)) == (1, ["cost/disk"])
    assert (report["findings"][0]["file"], report["findings"][0]["line"]) == (ORDERS, 8)
    [field] = resource(claim(repo.plan(), "orders"), "database")["fields"]
    assert (field["before"], field["after"]) == (100, 2000)


def test_an_opened_network(repo: Repo) -> None:
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  network: 0.0.0.0/0\n")
    code, report = repo.check()
    assert (code, rules(report)) == (1, ["network/open-cidr"])
    assert dangers(resource(claim(repo.plan(), "orders"), "database")) == ["wider-network"]
    text = repo.run("plan", "--base", "main").stdout
    assert re.search(r"1 dangerous change:\n  ! wider-network: DatabaseInstance orders-\w+-?\S*:", text)


def test_a_policy_weakened_in_the_same_branch_does_not_help(repo: Repo) -> None:
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  network: 0.0.0.0/0\n  diskSize: 2000\n")
    repo.edit("policies/network/open_cidr.rego", '{"0.0.0.0/0", "::/0"}', '{"nothing"}')
    repo.write("policies/limits/data.yaml", "disk: 999999\n")
    code, report = repo.check()
    assert code == 1
    assert sorted(rules(report)) == ["cost/disk", "gate/changed-data", "gate/changed-policy", "network/open-cidr"]
    policy = next(finding for finding in report["findings"] if finding["rule"] == "gate/changed-policy")
    assert policy["file"] == "policies/network/open_cidr.rego"
    assert policy["severity"] == "warning"
    assert "@org/security, @alice" in policy["message"]
    assert "gate/changed-policy" in [each["rule"] for each in repo.plan()["gate"]]
    places = [finding["file"] for finding in report["findings"]]
    assert not any(place.startswith("/") for place in places), "the folder that the base's policies were written to has no name in a report"


def test_policies_removed_settings_turned_and_owners_taken_away(repo: Repo) -> None:
    """Each way around the gate is the base's answer and a finding of its own."""
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  network: 0.0.0.0/0\n")
    repo.git("rm", "-rq", "policies")
    repo.write("crossgate.toml", 'dist = "elsewhere"\npolicies = []\nfail-on = "error"\n')
    repo.write("CODEOWNERS", "* @me\n")
    repo.write(".github/workflows/gate.yml", "run: crossgate check || true\n")
    repo.commit()
    code, report = repo.check()
    assert code == 1
    found = rules(report)
    assert "network/open-cidr" in found
    assert {"gate/changed-policy", "gate/changed-data", "gate/changed-settings", "gate/changed-owners", "gate/changed-pipeline"} <= set(
        found
    )
    assert all("@me" not in finding["message"] for finding in report["findings"])


def test_a_change_that_nobody_owns_fails(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.git("rm", "-q", "CODEOWNERS")
    repo.commit()
    repo.edit("policies/limits/data.yaml", "500", "600")
    code, report = repo.check()
    assert (code, [finding["reason"] for finding in report["findings"]]) == (1, ["UNOWNED_CHANGE"])


def test_the_first_branch_that_brings_policies_says_what_to_do(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.git("mv", "policies", "rules")
    repo.commit()
    repo.git("mv", "rules", "policies")
    code, report = repo.check()
    assert code == 3
    assert "--policies-from" in " ".join(item["hint"] for item in report["couldNotCheck"])
    repo.commit()
    done = repo.run("check", "--base", "HEAD~1", "--policies-from", "HEAD")
    assert done.returncode == 0, done.stdout


def test_a_renamed_bucket_is_another_bucket(repo: Repo) -> None:
    repo.edit(ORDERS, "shop-orders", "shop-orders-2")
    assert repo.check()[0] == 0
    bucket = resource(claim(repo.plan(), "orders"), "bucket")
    assert (bucket["action"], bucket["before"]["name"], bucket["after"]["name"]) == ("replace", "shop-orders", "shop-orders-2")
    assert dangers(bucket) == ["replaces"]
    assert "with everything in it" in bucket["marks"][0]["message"]


def test_a_deleted_claim(repo: Repo) -> None:
    (repo.root / USERS).unlink()
    assert repo.check()[0] == 0
    users = claim(repo.plan(), "users")
    assert (users["action"], users["file"]) == ("delete", USERS)
    assert dangers({**users, "fields": []}) == ["destroys"]
    assert "DatabaseInstance" in users["marks"][0]["message"]
    text = repo.run("plan", "--base", "main").stdout
    assert "- Store shop/users" in text
    assert "Objects: 0 to create, 0 to change, 0 to replace, 1 to destroy" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_renamed_claim_is_made_anew(repo: Repo) -> None:
    repo.edit(ORDERS, "name: orders", "name: ordering")
    orders = claim(repo.plan(), "ordering")
    assert (orders["action"], orders["before"]["name"]) == ("replace", "orders")
    database = resource(orders, "database")
    assert database["action"] == "replace", "the generated name follows the claim's"
    assert resource(orders, "bucket") if any(each["template"].endswith("bucket") for each in orders["resources"]) else True


def test_a_moved_file_and_shifted_lines_are_nothing_new(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  network: 0.0.0.0/0\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "moved")
    (repo.root / ORDERS).rename(repo.root / "dist/40-claims/shop/moved.yaml")
    repo.edit("dist/40-claims/shop/moved.yaml", "spec:\n", "# one\n# two\nspec:\n")
    code, report = repo.check()
    assert (code, rules(report)) == (0, [])
    assert "network/open-cidr" in rules(report, "known")
    assert repo.plan()["claims"] == []
    text = repo.run("check", "--base", "main").stdout
    assert "known already, not counted: " in text
    # another claim with the same fault is a new finding
    repo.write(USERS, (repo.root / USERS).read_text() + "  network: 0.0.0.0/0\n")
    assert repo.check()[0] == 1


def test_a_composition_that_changes_all_claims(repo: Repo) -> None:
    repo.edit("dist/20-compositions/store.yaml", "POSTGRES_14", "POSTGRES_15")
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  diskSize: 200\n")
    plan = repo.plan()
    assert claim(plan, "users")["causes"] == ["Composition store-gcp"]
    causes = {field["path"].rpartition(".")[2]: field["causes"] for field in resource(claim(plan, "orders"), "database")["fields"]}
    assert causes == {"databaseVersion": ["Composition store-gcp"], "diskSize": []}
    assert "version" in dangers(resource(claim(plan, "users"), "database"))
    assert "not changed itself: caused by Composition store-gcp" in repo.run("plan", "--base", "main").stdout


def test_a_default_of_the_api_that_changes(repo: Repo) -> None:
    repo.edit("dist/10-xrds/stores.yaml", "default: 100", "default: 50")
    orders = claim(repo.plan(), "orders")
    assert orders["causes"] == ["CompositeResourceDefinition xstores.shop.example.org"]
    assert dangers(resource(orders, "database")) == ["storage-shrinks"]


def test_a_claim_that_no_longer_renders(repo: Repo) -> None:
    name = "toFieldPath: metadata.name"
    repo.edit("dist/20-compositions/store.yaml", name, f"{name}\n          transforms: [{{type: map, map: {{other: x}}}}]")
    plan = repo.plan()
    assert plan["summary"]["exitCode"] == 1
    orders = claim(plan, "orders")
    assert orders["problems"]
    assert "no-longer-renders" in [mark["danger"] for mark in orders["marks"]]


def test_another_composition_in_another_cloud(repo: Repo) -> None:
    text = (repo.root / "dist/20-compositions/store.yaml").read_text()
    for gcp, aws in (("store-gcp", "store-aws"), ("storage.gcp.", "s3.aws."), ("location: EU", "region: eu-west-1")):
        text = text.replace(gcp, aws)
    repo.write("dist/20-compositions/aws.yaml", text)
    repo.edit(ORDERS, "spec:\n", "spec:\n  compositionRef: {name: store-gcp}\n")
    repo.edit(USERS, "spec:\n", "spec:\n  compositionRef: {name: store-gcp}\n")
    repo.git("checkout", "-q", "main")
    repo.commit()
    repo.edit(ORDERS, "store-gcp", "store-aws")
    orders = claim(repo.plan(), "orders")
    found = [mark["danger"] for mark in orders["marks"]]
    assert found == ["composition-switch", "provider-switch"]
    assert resource(orders, "bucket")["action"] == "replace"


def test_a_secret_that_changes_is_shown_as_changed_only(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  password: hunter22\n")
    repo.commit()
    repo.edit(ORDERS, "hunter22", "s3cond-secret")
    for text in (repo.run("plan", "--base", "main").stdout, repo.run("plan", "--base", "main", "-o", "json").stdout):
        assert "hunter22" not in text
        assert "s3cond" not in text
        assert "(sensitive)" in text
    chart = resource(claim(repo.plan(), "orders"), "chart")
    assert [(field["path"], field["action"], field["sensitive"]) for field in chart["fields"]] == [
        ("spec.forProvider.values.auth.password", "update", True)
    ]


def test_noise_is_left_out_and_counted(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("crossgate.toml", (repo.root / "crossgate.toml").read_text() + '[plan]\nignore = ["**.labels.stamp"]\n')
    repo.edit(ORDERS, "  namespace: shop\n", "  namespace: shop\n  labels: {stamp: a}\n")
    repo.commit()
    repo.edit(ORDERS, "stamp: a", "stamp: b")
    plan = repo.plan()
    assert plan["claims"] == []
    assert plan["summary"]["ignored"] == 1
    assert "1 change left out by [plan] ignore" in repo.run("plan", "--base", "main").stdout


def test_a_branch_that_lacks_commits_of_the_base_is_told_so(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("dist/40-claims/shop/carts.yaml", (repo.root / ORDERS).read_text().replace("orders", "carts"))
    repo.commit()
    repo.git("checkout", "-q", "change")
    assert "merge or rebase first" in repo.plan()["notes"][0]


def test_a_shallow_clone(repo: Repo) -> None:
    repo.edit(ORDERS, "shop-orders", "other")
    repo.commit()
    clone = repo.at(repo.root.parent / "clone")
    repo.git("clone", "-q", "--depth=1", "--branch", "change", repo.root.as_uri(), str(clone.root))
    done = clone.run("plan", "--base", "origin/main")
    assert done.returncode == 2
    command = next(line for line in done.stderr.splitlines() if "git fetch" in line).partition("git ")[2]
    clone.git(*command.split())
    assert "-/+ Bucket" in clone.run("plan", "--base", "origin/main").stdout
    assert clone.run("check", "--base", "origin/main").returncode == 0


def test_a_project_below_the_repository(repo: Repo) -> None:
    """A monorepo: paths in reports are those of the project, and the base is found all the same."""
    inner = repo.at(repo.root / "platform")
    names = ("dist", "policies", "crossgate.toml")
    repo.git("checkout", "-q", "main")
    inner.root.mkdir()
    for name in names:
        (repo.root / name).rename(inner.root / name)
    repo.commit()
    inner.write(ORDERS, (inner.root / ORDERS).read_text() + "  network: 0.0.0.0/0\n")
    code, report = inner.check()
    assert (code, rules(report), report["findings"][0]["file"]) == (1, ["network/open-cidr"], ORDERS)
    assert claim(inner.plan(), "orders")["file"] == ORDERS


def test_the_text_of_the_plan(repo: Repo, golden: Any) -> None:
    repo.edit(ORDERS, "shop-orders", "shop-orders-2")
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  diskSize: 50\n  password: hunter22\n")
    (repo.root / USERS).unlink()
    repo.edit("dist/20-compositions/store.yaml", "location: EU", "location: US")
    text = repo.run("plan", "--base", "main").stdout
    golden("plan.txt", re.sub(r"main \(\w+\)", "main (0123abcd)", text))


def test_a_file_moved_into_the_checked_paths_is_known_too(repo: Repo) -> None:
    """Only one folder is checked; the file came from another one, with its fault."""
    repo.git("checkout", "-q", "main")
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  network: 0.0.0.0/0\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "moved")
    (repo.root / "dist/40-claims/store").mkdir()
    (repo.root / ORDERS).rename(repo.root / "dist/40-claims/store/orders.yaml")
    code, report = repo.check("dist/40-claims/store")
    assert (code, rules(report), rules(report, "known")) == (0, [], ["network/open-cidr"])
