"""A run that finds its verdicts in the cache says to the last byte what one says that works everything out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import Any

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.load.sourcemap import NAME, Entry, SourceMap
from crossgate.model import Identity, Place
from crossgate.plan.make import plan
from crossgate.policy.estate import ask
from crossgate.report import write
from crossgate.report.plan import write as write_plan
from crossgate.units.cache import KEY, OFF

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

CLAIMS = 120
LARGE = 7
"""The claim that asks for too much: a finding that every run tells."""
QUOTA = """\
# METADATA
# title: All databases together have at most so much disk
# custom:
#   severity: error
#   reason: DISKS_TOO_LARGE
#   input: estate
#   remediation: Ask the platform team for a larger limit.
package crossgate.cost.disks

import rego.v1

kinds := {"Store"}

looks_at := {["spec", "diskSize"]}

deny contains {"msg": sprintf("%v GB of disk are too much", [total]), "path": [asking[0][0], "contents", "spec", "diskSize"]} if {
	total := sum([size | some [_, size] in asking])
	total > 8000
}

asking := [[place, size] | some place, document in input; size := document.contents.spec.diskSize]
"""
ALIKE = """\
# METADATA
# title: Stores have passwords of their own
# custom:
#   severity: warning
#   reason: PASSWORD_TWICE
#   input: repository
#   remediation: Name another.
package crossgate.secret.alike

import rego.v1

warn contains {"msg": "another store has this password", "path": [place, "contents", "spec", "password"]} if {
	some place in with_password
	some other in with_password
	other != place
	input[place].contents.spec.password == input[other].contents.spec.password
}

with_password := {place | some place, document in input; document.contents.spec.password}
"""
SIZES = """\
# METADATA
# title: Stores have a usual size
# custom:
#   severity: warning
#   reason: UNUSUAL
#   input: estate
#   remediation: Take the usual size.
package crossgate.storage.sizes

import rego.v1

kinds := {"Store"}

looks_at := {["spec", "diskSize"]}

alike_once := {"*"}

warn contains {"msg": "an unusual size", "path": [place, "contents", "spec", "diskSize"]} if {
	some place, document in input
	document.contents.spec.diskSize > 100
}
"""


def claim(number: int) -> str:
    return f"dist/40-claims/many/claim-{number}.yaml"


@pytest.fixture
def estate(repo: Repo, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The small platform with many claims, of which one has a finding and was made by a program, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv(OFF, raising=False)
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setattr("crossgate.units.sums.SIZE", 16)  # several parts, of which a change touches one
    text = (repo.root / "dist/40-claims/shop/orders.yaml").read_text()
    for number in range(CLAIMS):
        size = 1500 if number == LARGE else 50
        repo.write(claim(number), text.replace("orders", f"many-{number}") + f"  diskSize: {size}\n")
    repo.write("policies/cost/disks.rego", QUOTA)
    repo.write("policies/secret/alike.rego", ALIKE)
    repo.write("policies/storage/sizes.rego", SIZES)
    made = "".join(f"store('many-{number}')\n" for number in range(CLAIMS))
    repo.write("apps/stores.py", made)
    text = (repo.root / claim(LARGE)).read_text()
    entry = Entry(
        claim(LARGE).removeprefix("dist/"),
        hashlib.sha256(text.encode()).hexdigest(),
        Identity("shop.example.org/v1", "Store", "shop", f"many-{LARGE}"),
        (((), Place("apps/stores.py", LARGE + 1)),),
    )
    repo.write(f"dist/{NAME}", SourceMap.of([entry], repo.root).text())
    merge(repo)
    return repo


def merge(repo: Repo) -> None:
    repo.commit()
    repo.git("branch", "-f", "main")


def said(repo: Repo) -> list[str]:
    """Return the reports of a check of everything, and of one against ``main``."""
    config = Config.find(repo.root)
    reports = [check(config=config, base=base, with_plan=True) for base in ("", "main")]
    assert [report.could_not_check for report in reports] == [(), ()]
    made = write_plan(plan(config=config, base="main"), "json")
    return [write(report, form) for report in reports for form in ("json", "sarif", "text")] + [write(reports[1], "markdown"), made]


@pytest.fixture
def same(estate: Repo, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Check by what earlier runs have left, and by nothing; give what both say."""
    said(estate)

    def compare() -> list[str]:
        warm = said(estate)
        with monkeypatch.context() as off:
            off.setenv(OFF, "off")
            cold = said(estate)
        assert warm == cold
        return cold

    return compare


def cache(repo: Repo) -> Any:
    [file] = (repo.root.parent / "cache").rglob("*.sqlite")
    return file


def test_after_nothing_and_after_a_claim(estate: Repo, same: Callable[[], list[str]]) -> None:
    """A claim that changes, that breaks a rule about all of them, that goes, and that is back as it was."""
    first = same()
    assert "apps/stores.py:8" in first[2]
    estate.edit(claim(30), "diskSize: 50", "diskSize: 90")
    assert same()[2] == first[2]
    estate.edit(claim(31), "diskSize: 50", "diskSize: 900")
    assert "GB of disk are too much" in same()[5]
    for number in (40, 90):
        estate.write(claim(number), (estate.root / claim(number)).read_text() + "  password: hunter2hunter2\n")
    assert "another store has this password" in same()[5]
    (estate.root / claim(90)).unlink()
    assert "another store has this password" not in same()[5]
    estate.git("checkout", "-q", "--", "dist")
    assert same() == first


def test_after_another_object_that_shows_the_same(estate: Repo, same: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that sees once what is alike is not asked again for a claim of another name, and speaks about it all the same."""
    estate.edit(claim(30), "diskSize: 50", "diskSize: 200")
    assert "shop/many-30" in same()[2]
    asked: list[str] = []
    told = ask

    def noted(engine: Any, limits: Any, views: Any, seen_of: Any) -> Any:
        asked.extend(engine.rules[index].id for view in views for index in view.rules)
        return told(engine, limits, views, seen_of)

    monkeypatch.setattr("crossgate.policy.estate.ask", noted)
    estate.write(claim(30), (estate.root / claim(30)).read_text().replace("many-30", "more-30"))
    estate.write(claim(31), (estate.root / claim(30)).read_text().replace("more-30", "more-31"))
    assert "shop/more-31" in said(estate)[2]
    assert "storage/sizes" not in asked
    assert "cost/disks" in asked
    assert "shop/more-31" in same()[2]


def test_after_a_composition(estate: Repo, same: Callable[[], list[str]]) -> None:
    """What every claim becomes is another."""
    first = same()
    estate.edit("dist/20-compositions/store.yaml", "  - name: clients\n", "  - name: clients\n                    value: 0.0.0.0/0\n")
    estate.edit("dist/20-compositions/store.yaml", "fromFieldPath: spec.network", "fromFieldPath: spec.otherwise")
    assert "network/open-cidr" in same()[2]
    estate.git("checkout", "-q", "--", "dist")
    assert same() == first


def test_after_a_definition(estate: Repo, same: Callable[[], list[str]]) -> None:
    """What is wrong with the platform itself is kept, too, and told of the base as well."""
    first = same()
    estate.edit("dist/10-xrds/stores.yaml", "bucket: {type: string}", "bucket: {type: string, uniqueItems: true}")
    found = same()[2]
    assert "schema/structure" in found
    assert same()[2] == found
    merge(estate)
    assert "known already" in same()[5]
    estate.edit("dist/10-xrds/stores.yaml", ", uniqueItems: true", "")
    merge(estate)
    assert same()[:3] == first[:3]


def test_after_a_namespace_and_claims_of_one_name(estate: Repo, same: Callable[[], list[str]]) -> None:
    """What rules look at besides each claim, and claims that only together are wrong, in different parts."""
    first = same()
    estate.write("dist/40-claims/space.yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n")
    same()
    estate.write("dist/40-claims/twice.yaml", (estate.root / claim(50)).read_text())
    assert same()[2] != first[2]
    estate.git("clean", "-qfd")
    assert same() == first


def test_after_a_policy_and_a_waiver(estate: Repo, same: Callable[[], list[str]]) -> None:
    first = same()
    estate.edit("policies/cost/disks.rego", "total > 8000", "total > 500")
    assert same() != first
    merge(estate)
    assert "GB of disk are too much" in same()[2]
    estate.write("policies/limits/data.yaml", "disk: 9999\n")
    merge(estate)
    assert "GB of disk cost too much" not in same()[2]
    scope = "{resource: 'Store shop/*'}"
    waiver = f"{{id: all, rule: cost/disks, reason: the disks are being moved, owner: a, expires: 2999-01-01, scope: {scope}}}"
    estate.write("policies/waivers.yaml", f"waivers:\n- {waiver}\n")
    merge(estate)
    assert "error: cost/disks" not in same()[2]


def test_after_a_source_file_of_the_source_map(estate: Repo, same: Callable[[], list[str]]) -> None:
    """A finding that stands in the program's line stands in the claim's own when that program is another."""
    assert "apps/stores.py:8" in same()[2]
    estate.write("apps/stores.py", "pass\n" + (estate.root / "apps/stores.py").read_text())
    found = same()[2]
    assert "apps/stores.py" not in found
    assert claim(LARGE) in found


def test_with_a_damaged_and_with_a_foreign_cache(estate: Repo, same: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    first = same()
    file = cache(estate)
    sound = file.read_bytes()
    for damaged in (b"", b"no database", sound[: len(sound) // 2], sound[:5000] + os.urandom(20_000) + sound[25_000:]):
        file.write_bytes(damaged)
        assert same() == first
    file.unlink()
    with monkeypatch.context() as other:
        other.setenv(KEY, "somebody else's")
        said(estate)
    assert same() == first
