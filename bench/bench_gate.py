"""A pull request against a large estate: the first run over main, then plan and check --base for one changed claim.

A throw-away repository with copies of the platform's own claims; ``many`` makes them of all APIs and of a team for each hundred, else all
are GPU clusters of one team. Each change is measured with what the run over main has kept, and nothing more.
    python bench/bench_gate.py [many] [claims ...] [nothing label nodes rename delete add ...]

Prints seconds of wall clock and of processor time, and the peak of memory; the ratios between sizes say whether it grows linearly.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
PER_TEAM = 100
LABELS = "  labels:\n"


def label(claim: Path) -> None:
    """Add a label, of which no rule over the estate speaks."""
    claim.write_text(claim.read_text(encoding="utf-8").replace(LABELS, f"{LABELS}    reviewed: again\n", 1), encoding="utf-8")


def nodes(claim: Path) -> None:
    """Ask for more nodes, so that quotas and budgets are concerned."""
    claim.write_text(claim.read_text(encoding="utf-8").replace("maxNodes: ", "maxNodes: 1"), encoding="utf-8")


def rename(claim: Path) -> None:
    """Give another name to the claim, and so to all that it makes."""
    claim.write_text(re.sub(r"(?m)^  name: .*", "  name: renamed", claim.read_text(encoding="utf-8"), count=1), encoding="utf-8")


def add(claim: Path) -> None:
    """Add one more."""
    shutil.copy(claim, claim.with_name("one-more.yaml"))
    rename(claim.with_name("one-more.yaml"))


CHANGES: dict[str, Callable[[Path], None]] = {
    "nothing": lambda claim: None,
    "label": label,
    "nodes": nodes,
    "rename": rename,
    "delete": Path.unlink,
    "add": add,
}


def main() -> None:
    """Measure each size."""
    words = sys.argv[1:]
    sizes = [int(word) for word in words if word.isdigit()] or [1_000, 10_000]
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), size, [word for word in words if word in CHANGES] or list(CHANGES), "many" in words)


def measure(folder: Path, size: int, changes: list[str], many: bool) -> None:
    """Make a repository, run once over main, and then once over each change."""
    repo, kept, cache = folder / "repo", folder / "main", folder / "cache"
    claim = make(repo, size, many)
    print(f"{size:>6} claims  check          first run  {timed(repo, kept, 'check', 'dist')}", flush=True)
    for change in changes:
        CHANGES[change](claim)
        for verb in ("plan", "check"):
            shutil.rmtree(cache, ignore_errors=True)
            shutil.copytree(kept, cache)
            print(f"{size:>6} claims  {verb:<6} --base  {change:<9}  {timed(repo, cache, verb, '--base', 'main')}", flush=True)
        for command in (["checkout", "-q", "."], ["clean", "-qfd"]):
            subprocess.run(["git", *command], cwd=repo, check=True)


def make(repo: Path, size: int, many: bool) -> Path:
    """Make a repository with ``size`` claims more than the platform's own; return a GPU cluster among them."""
    for name in ("dist", "policies", "schemas"):
        shutil.copytree(ROOT / name, repo / name)
    (repo / "crossgate.toml").touch()
    (repo / "CODEOWNERS").write_text("* @a\n")
    claims = repo / "dist" / "40-claims"
    cluster = min(claims.rglob("gpuclusterclaim-*.yaml"))
    texts = [path.read_text(encoding="utf-8") for path in [cluster, *(sorted(claims.rglob("*.yaml")) if many else [])]]
    for number in range(size):
        text = texts[number % len(texts)].replace(field("  name", texts[number % len(texts)]), f"c{number}")
        target = claims / f"of-{number // PER_TEAM}" / f"claim-{number}.yaml"
        target.parent.mkdir(exist_ok=True)
        target.write_text(given(repo, text, f"t{number // PER_TEAM}") if many else text, encoding="utf-8")
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=repo, check=True)
    return claims / "of-0" / "claim-0.yaml"


def given(repo: Path, claim: str, team: str) -> str:
    """Give a claim to a team, with a Namespace of its own."""
    old = field("    team", claim)
    made = repo / "dist" / "30-teams" / f"namespace-ml-team-{team}.yaml"
    if not made.exists():
        [namespace] = (repo / "dist").rglob(f"namespace-ml-team-{old}.yaml")
        made.write_text(namespace.read_text(encoding="utf-8").replace(old, team), encoding="utf-8")
    return claim.replace(f"ml-team-{old}", f"ml-team-{team}").replace(f"team: {old}", f"team: {team}")


def field(start: str, text: str) -> str:
    """Return what a line that starts so holds."""
    found = re.search(rf"(?m)^{start}: (.*)", text)
    assert found is not None
    return found[1]


def timed(repo: Path, cache: Path, *command: str) -> str:
    """Run a command; say how long it took and what it used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    peak = "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr, flush=True)"
    script = f"import resource, sys\nfrom crossgate.cli import main\ntry:\n main()\nfinally:\n {peak}"
    done = subprocess.run(
        [sys.executable, "-c", script, *command, "-o", "json=/dev/null"],
        cwd=repo,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "XDG_STATE_HOME": str(cache / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    memory = int(done.stderr.split()[-1]) // 1024
    return f"{wall:5.2f} s wall  {used:5.2f} s processor  {memory} MiB  exit {done.returncode}"


if __name__ == "__main__":
    main()
