"""The way back after a bad day: claims as they were, by a commit that says why."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from crossgate.load.sourcemap import NAME, Entry, SourceMap
from crossgate.model import Identity

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

ORDERS, USERS = "dist/40-claims/shop/orders.yaml", "dist/40-claims/shop/users.yaml"


@pytest.fixture
def broken(repo: Repo) -> Repo:
    """One claim grew, another went, a new one came, and the platform moved on."""
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  diskSize: 400\n")
    (repo.root / USERS).unlink()
    repo.write("dist/40-claims/shop/carts.yaml", (repo.root / ORDERS).read_text().replace("orders", "carts"))
    repo.edit("dist/20-compositions/store.yaml", "POSTGRES_14", "POSTGRES_15")
    repo.commit()
    repo.git("config", "user.name", "a")
    repo.git("config", "user.email", "a@example.org")
    return repo


def files(repo: Repo, ref: str) -> dict[str, str]:
    lines = repo.git("ls-tree", "-r", ref).splitlines()
    return {line.partition("\t")[2]: line.split()[2] for line in lines}


def test_all_claims_are_as_they_were_and_nothing_else(broken: Repo) -> None:
    done = broken.run("rollback", "--to", "main", "--reason", "orders are lost since noon")
    assert done.returncode == 0, done.stderr
    was, now, between = (files(broken, ref) for ref in ("main", "HEAD", "HEAD~1"))
    claims = [path for path in {*was, *between} if path.startswith("dist/40-claims/")]
    assert {path: now.get(path) for path in claims} == {path: was.get(path) for path in claims}
    others = {path for path in now if path not in claims}
    assert {path: now[path] for path in others} == {path: between[path] for path in others}, "the platform stays as it is"
    assert broken.git("status", "--porcelain") == "", "the files on disk moved along"
    assert (broken.root / USERS).is_file()
    assert not (broken.root / "dist/40-claims/shop/carts.yaml").exists()


def test_the_plan_comes_first_and_the_message_says_why(broken: Repo) -> None:
    done = broken.run("rollback", "--to", "main", "--reason", "orders are lost since noon")
    assert "- Store shop/carts" in done.stdout
    assert "+ Store shop/users" in done.stdout
    assert done.stdout.index("- Store shop/carts") < done.stdout.index("wrote ")
    message = broken.git("log", "-1", "--format=%B")
    commit = broken.git("rev-parse", "main").strip()
    assert message.splitlines()[0] == f"Roll back 3 files of claims to {commit[:12]}"
    assert "orders are lost since noon" in message
    assert f"Restored from {commit}:\n- dist/40-claims/shop/carts.yaml\n- {ORDERS}\n- {USERS}\n" in message


def test_a_dry_run_writes_nothing(broken: Repo) -> None:
    before = broken.git("rev-parse", "HEAD"), broken.git("count-objects", "-v")
    done = broken.run("rollback", "--to", "main", "--dry-run")
    assert done.returncode == 0
    assert "+ Store shop/users" in done.stdout
    assert (broken.git("rev-parse", "HEAD"), broken.git("count-objects", "-v")) == before
    assert not (broken.root / USERS).exists()


def test_one_claim_alone(broken: Repo) -> None:
    assert broken.run("rollback", "--to", "main", "--claim", USERS, "--reason", "it is needed").returncode == 0
    changed = broken.git("diff", "--name-only", "HEAD~1", "HEAD").split()
    assert changed == [USERS]


def test_a_team_alone(broken: Repo) -> None:
    other = (broken.root / ORDERS).read_text().replace("namespace: shop", "namespace: ml-team-carts")
    broken.write("dist/40-claims/carts/carts.yaml", other)
    broken.commit()
    assert broken.run("rollback", "--to", "main", "--team", "carts", "--reason", "again").returncode == 0
    assert broken.git("diff", "--name-only", "HEAD~1", "HEAD").split() == ["dist/40-claims/carts/carts.yaml"]


def test_a_new_branch_changes_nothing_else(broken: Repo) -> None:
    before = broken.git("rev-parse", "HEAD"), broken.git("status", "--porcelain")
    assert broken.run("rollback", "--to", "main", "--branch", "undo", "--reason", "again").returncode == 0
    assert (broken.git("rev-parse", "HEAD"), broken.git("status", "--porcelain")) == before
    assert files(broken, "undo")[USERS] == files(broken, "main")[USERS]
    again = broken.run("rollback", "--to", "main", "--branch", "undo", "--reason", "again")
    assert (again.returncode, "undo" in again.stderr) == (2, True), "a branch that is there is not moved"


def test_no_hook_is_run(broken: Repo, tmp_path: Path) -> None:
    told = tmp_path / "told"
    names = ("pre-commit", "commit-msg", "post-commit", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman")
    for name in names:
        hook = broken.write(f".git/hooks/{name}", f"#!/bin/sh\necho {name} >> {told}\n")
        hook.chmod(0o755)
    broken.git("config", "core.fsmonitor", ".git/hooks/fsmonitor-watchman")
    assert broken.run("rollback", "--to", "main", "--reason", "again").returncode == 0
    assert not told.exists(), told.read_text()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--to", "nowhere", "--dry-run"), "the commit 'nowhere' is not in this clone"),
        (("--to", "main"), "a rollback needs a reason"),
        (("--to", "main", "--reason", "a\x1b[2J"), "a rollback needs a reason"),
        (("--to", "main", "--dry-run", "--claim", "../elsewhere.yaml"), "this is no file of a claim"),
        (("--to", "main", "--dry-run", "--claim", "policies/limits/data.yaml"), "this is no file of a claim"),
        (("--to", "main", "--dry-run", "--claim", "dist/20-compositions/store.yaml"), "the file holds other things too"),
        (("--to", "main", "--dry-run", "--claim", "dist/40-claims/shop/never.yaml"), "there is no such file"),
        (("--to", "main", "--dry-run", "--claim", ORDERS, "--team", "shop"), "are both named"),
        (("--to", "main", "--reason", "x", "--branch", "a..b"), "no name for a branch"),
    ],
)
def test_what_cannot_be_followed_is_refused(broken: Repo, arguments: tuple[str, ...], what: str) -> None:
    before = broken.git("rev-parse", "HEAD")
    done = broken.run("rollback", *arguments)
    assert (done.returncode, what in done.stderr) == (2, True), done.stderr
    assert broken.git("rev-parse", "HEAD") == before


def test_a_dirty_tree_is_refused(broken: Repo) -> None:
    broken.edit(ORDERS, "diskSize: 400", "diskSize: 401")
    done = broken.run("rollback", "--to", "main", "--reason", "x")
    assert (done.returncode, ORDERS in done.stderr) == (2, True)


def test_a_file_that_git_does_not_know_is_not_written_over(broken: Repo) -> None:
    broken.write(USERS, "mine: yes\n")
    done = broken.run("rollback", "--to", "main", "--reason", "x")
    assert done.returncode == 2, done.stderr
    assert (broken.root / USERS).read_text() == "mine: yes\n"
    assert broken.git("log", "-1", "--format=%s") == "change\n", "the branch has not moved"


def test_a_half_done_merge_is_refused(broken: Repo) -> None:
    broken.write(".git/MERGE_HEAD", broken.git("rev-parse", "main"))
    assert "half done" in broken.run("rollback", "--to", "main", "--reason", "x").stderr


def test_without_a_branch_one_must_be_named(broken: Repo) -> None:
    broken.git("checkout", "-q", "--detach")
    assert "--branch" in broken.run("rollback", "--to", "main", "--reason", "x").stderr
    assert broken.run("rollback", "--to", "main", "--reason", "x", "--branch", "undo").returncode == 0


def test_a_shallow_clone_is_told_what_to_fetch(broken: Repo, tmp_path: Path) -> None:
    clone = broken.at(tmp_path / "clone")
    broken.git("clone", "-q", "--depth=1", "--branch", "change", broken.root.as_uri(), str(clone.root))
    done = clone.run("rollback", "--to", "origin/main", "--dry-run")
    assert done.returncode == 2
    command = next(line for line in done.stderr.splitlines() if "git fetch" in line).partition("git ")[2]
    clone.git(*command.split())
    assert clone.run("rollback", "--to", "origin/main", "--dry-run").returncode == 0


def test_nothing_to_do_is_said(repo: Repo) -> None:
    done = repo.run("rollback", "--to", "main", "--dry-run")
    assert (done.returncode, "nothing to roll back" in done.stdout) == (0, True)


def test_a_claim_that_would_no_longer_render_is_not_restored(broken: Repo) -> None:
    text = (broken.root / "dist/10-xrds/stores.yaml").read_text()
    broken.write("dist/10-xrds/stores.yaml", text.replace("xstores", "xshops").replace("stores", "shops").replace("Store", "Shop"))
    broken.commit()
    before = broken.git("rev-parse", "HEAD")
    done = broken.run("rollback", "--to", "main", "--reason", "x")
    assert done.returncode != 0, done.stdout
    assert "not written" in done.stderr
    assert broken.git("rev-parse", "HEAD") == before


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sources(repo: Repo, made: dict[str, str]) -> None:
    """Write the source map of a ``dist/`` whose claims were made from files of a team, or by code ("")."""
    entries = []
    for file, source in made.items():
        identity = Identity("shop.example.org/v1", "Store", "shop", Path(file).stem)
        written = (source, 0) if source else None
        entries.append(Entry(Path(file).relative_to("dist").as_posix(), digest(repo.root / file), identity, (), written))
    repo.write(f"dist/{NAME}", SourceMap.of(entries, repo.root).text())


def test_claims_are_restored_where_teams_write_them_too(repo: Repo) -> None:
    """The file of the team, what synth made of it, and the map between them go back together; code that makes claims is left."""
    repo.git("checkout", "-q", "main")
    for name in ("orders", "users"):
        repo.write(f"apps/claims/shop/{name}.yaml", (repo.root / f"dist/40-claims/shop/{name}.yaml").read_text())
    sources(repo, {ORDERS: "apps/claims/shop/orders.yaml", USERS: ""})
    repo.commit()
    repo.git("config", "user.name", "a")
    repo.git("config", "user.email", "a@example.org")
    repo.git("checkout", "-q", "-b", "later")
    for file in ("apps/claims/shop/orders.yaml", ORDERS, USERS):
        repo.write(file, (repo.root / file).read_text() + "  diskSize: 300\n")
    sources(repo, {ORDERS: "apps/claims/shop/orders.yaml", USERS: ""})
    repo.commit()
    done = repo.run("rollback", "--to", "main", "--claim", "apps/claims/shop/orders.yaml", "--reason", "again")
    assert done.returncode == 0, done.stderr
    changed = repo.git("diff", "--name-only", "HEAD~1", "HEAD").split()
    assert changed == ["apps/claims/shop/orders.yaml", f"dist/{NAME}", ORDERS]
    found = SourceMap.read(repo.root / "dist")
    assert found.sources["apps/claims/shop/orders.yaml"] == digest(repo.root / "apps/claims/shop/orders.yaml")
    assert next(iter(found.entries("40-claims/shop/orders.yaml"))).digest == digest(repo.root / ORDERS)
    assert next(iter(found.entries("40-claims/shop/users.yaml"))).digest == digest(repo.root / USERS)
    rest = repo.run("rollback", "--to", "main", "--dry-run")
    assert "made by the app's own code" in rest.stderr


def test_a_project_below_the_repository(repo: Repo) -> None:
    """A monorepo: paths are those of the repository, sources those of the project."""
    repo.git("checkout", "-q", "main")
    inner = repo.at(repo.root / "platform")
    inner.root.mkdir()
    for name in ("dist", "policies", "crossgate.toml"):
        (repo.root / name).rename(inner.root / name)
    inner.write("apps/claims/shop/orders.yaml", (inner.root / ORDERS).read_text())
    sources(inner, {ORDERS: "apps/claims/shop/orders.yaml"})
    repo.commit()
    repo.git("config", "user.name", "a")
    repo.git("config", "user.email", "a@example.org")
    repo.git("checkout", "-q", "-b", "later")
    for file in ("apps/claims/shop/orders.yaml", ORDERS):
        inner.write(file, (inner.root / file).read_text() + "  diskSize: 300\n")
    sources(inner, {ORDERS: "apps/claims/shop/orders.yaml"})
    repo.commit()
    done = inner.run("rollback", "--to", "main", "--claim", ORDERS, "--reason", "again")
    assert done.returncode == 0, done.stderr
    assert repo.git("diff", "--name-only", "main", "HEAD") == "", "the claim's own file and the map went back too"


def test_a_link_in_place_of_a_claim_is_not_restored(broken: Repo) -> None:
    """What an old commit holds must not lead out of the repository."""
    broken.git("checkout", "-q", "main")
    (broken.root / ORDERS).unlink()
    (broken.root / ORDERS).symlink_to("../../../../outside.yaml")
    broken.commit()
    broken.git("checkout", "-q", "change")
    done = broken.run("rollback", "--to", "main", "--claim", ORDERS, "--reason", "x")
    assert (done.returncode, "no plain file" in done.stderr) == (2, True), done.stderr


def test_what_is_no_claim_is_not_removed_to_make_room(broken: Repo) -> None:
    """A folder stands where the claim was, with a file of somebody else in it."""
    (broken.root / ORDERS).unlink()
    broken.write(f"{ORDERS}/notes.txt", "mine")
    broken.commit()
    before = broken.git("rev-parse", "HEAD")
    done = broken.run("rollback", "--to", "main", "--reason", "x")
    assert done.returncode == 2
    assert f"without removing {ORDERS}/notes.txt, which is no claim" in done.stderr
    assert broken.git("rev-parse", "HEAD") == before


def test_a_name_tells_no_lies_in_the_message(broken: Repo) -> None:
    """A file's name may hold a line of its own."""
    odd = "dist/40-claims/shop/a\n\nSigned-off-by: nobody.yaml"
    broken.write(odd, (broken.root / ORDERS).read_text().replace("orders", "odd"))
    broken.commit()
    done = broken.run("rollback", "--to", "main", "--reason", "x")
    assert done.returncode == 0, done.stderr
    assert "\nSigned-off-by" not in broken.git("log", "-1", "--format=%B")
