"""A pull request against a large estate: plan and check --base, cold and with what an earlier run has kept.

A throw-away repository with copies of the platform's own claim, of which the pull request changes one.
    python bench/bench_plan.py [plan] [check] [claims ...]

Prints seconds of wall clock and of processor time, and the peak of memory; the ratios between sizes say whether it grows linearly.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERBS = [verb for verb in ("plan", "check") if verb in sys.argv[1:]] or ["plan", "check"]
SIZES = tuple(int(size) for size in sys.argv[1:] if size.isdigit()) or (1_000, 10_000)
CLAIM = min((ROOT / "dist").rglob("gpuclusterclaim-*.yaml"))


def main() -> None:
    """Measure each size."""
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), size)


def measure(folder: Path, size: int) -> None:
    """Make a repository with ``size`` claims more, change one, and run both commands twice."""
    repo = folder / "repo"
    for name in ("dist", "policies", "schemas"):
        shutil.copytree(ROOT / name, repo / name)
    (repo / "crossgate.toml").touch()
    (repo / "CODEOWNERS").write_text("* @a\n")
    text = CLAIM.read_text(encoding="utf-8")
    name = CLAIM.stem.removeprefix("gpuclusterclaim-")
    for number in range(size):
        target = repo / "dist" / "40-claims" / f"team-{number // 100}" / f"claim-{number}.yaml"
        target.parent.mkdir(exist_ok=True)
        target.write_text(text.replace(name, f"c{number}"), encoding="utf-8")
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=repo, check=True)
    claim = repo / "dist" / "40-claims" / "team-0" / "claim-7.yaml"
    claim.write_text(claim.read_text(encoding="utf-8").replace("maxNodes: ", "maxNodes: 1"), encoding="utf-8")
    for verb in VERBS:
        for run in ("cold", "warm"):
            print(f"{size:>6} claims  {verb:<5} {run}  {timed(repo, folder / 'cache', verb)}", flush=True)


def timed(repo: Path, cache: Path, verb: str) -> str:
    """Run a command; say how long it took and what it used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    peak = "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    script = f"import resource, sys; from crossgate.cli import main\ntry:\n main()\nfinally:\n {peak}"
    done = subprocess.run(
        [sys.executable, "-c", script, verb, "--base", "main", "-o", "json=/dev/null"],
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
