"""Requests a second and CPU a request of four servers with one model, measured in turns so that a drifting machine treats all alike.

    python bench/compare.py [--seconds 2] [--rounds 5] [--connections 16 64]

Needs the extras train and bench, and the load generator bombardier in CROSSGATE_TOOLS or on PATH
(go install github.com/codesenberg/bombardier@latest). Prints ratios: medians over the rounds of the ratio inside each round.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
PORTS = {"hello": 9101, "modelserver": 9102, "litserve": 9103, "naive": 9104}
UVICORN = [sys.executable, "-m", "uvicorn", "--no-access-log", "--log-level", "error", "--loop", "uvloop", "--http", "httptools", "--port"]


def commands(model: Path) -> dict[str, list[str]]:
    return {
        "hello": [*UVICORN, str(PORTS["hello"]), "hello_server:app"],
        "modelserver": [sys.executable, "-m", "modelserver", "run", str(model), "--host", "127.0.0.1", "--port", str(PORTS["modelserver"])],
        "litserve": [sys.executable, "litserve_server.py", str(PORTS["litserve"])],
        "naive": [*UVICORN, str(PORTS["naive"]), "naive_server:app"],
    }


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for member in found:
        found += children.get(member, [])
    return found


def cpu_seconds(pid: int) -> float:
    total = 0
    for member in family(pid):
        try:
            fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> dict[str, int]:
    """Resident and private MiB of a family."""
    out = {"rss": 0, "private": 0}
    for member in family(pid):
        try:
            text = Path(f"/proc/{member}/smaps_rollup").read_text()
        except OSError:
            continue
        for line in text.splitlines():
            name, _, rest = line.partition(":")
            if name == "Rss":
                out["rss"] += int(rest.split()[0])
            elif name.startswith("Private_"):
                out["private"] += int(rest.split()[0])
    return {name: value // 1024 for name, value in out.items()}


def wait(port: int, process: subprocess.Popen[bytes], body: bytes) -> None:
    deadline = time.monotonic() + 180
    request = urllib.request.Request(f"http://127.0.0.1:{port}/predict", body, {"content-type": "application/json"})
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(request, timeout=30):
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"the server on port {port} did not start")


def load(tool: str, port: int, connections: int, seconds: float, body: Path) -> int:
    """Answered requests; the load generator keeps every connection busy."""
    command = [tool, "-m", "POST", "-H", "content-type:application/json", "-f", str(body), "-d", f"{seconds}s", "-t", "30s"]
    command += ["-c", str(connections), "-p", "r", "-o", "json", f"http://127.0.0.1:{port}/predict"]
    done = subprocess.run(command, capture_output=True, check=True)
    result = json.loads(done.stdout)["result"]
    if result["req4xx"] or result["req5xx"] or result["others"]:
        raise SystemExit(f"port {port}: {result['req4xx']} 4xx, {result['req5xx']} 5xx, {result['others']} others")
    return int(result["req2xx"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, nargs="+", default=[16, 64])
    arguments = parser.parse_args()
    tool = shutil.which("bombardier", path=os.environ.get("CROSSGATE_TOOLS")) or shutil.which("bombardier")
    if tool is None:
        raise SystemExit("bombardier is neither in CROSSGATE_TOOLS nor on PATH")
    with tempfile.TemporaryDirectory() as folder:
        model, body = Path(folder, "model"), Path(folder, "body.json")
        subprocess.run([sys.executable, "-m", "modelserver", "train-example", "breast-cancer", "-o", str(model)], check=True)
        from sklearn.datasets import load_breast_cancer

        data = load_breast_cancer()
        row = {str(name).replace(" ", "_"): float(value) for name, value in zip(data.feature_names, data.data[0], strict=True)}
        body.write_text(json.dumps({"request_id": "bench", "rows": [row]}))
        # Every server computes with one thread and the same MKL mode, so that only the serving differs.
        environment = {**os.environ, "BENCH_MODEL": str(model), "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_CBWR": "AVX512,STRICT"}
        processes = {name: subprocess.Popen(command, cwd=HERE, env=environment) for name, command in commands(model).items()}
        try:
            for name, process in processes.items():
                wait(PORTS[name], process, body.read_bytes())
            measure(tool, processes, body, arguments)
        finally:
            for process in processes.values():
                for member in reversed(family(process.pid)):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(member, 9)
                process.wait()


def measure(tool: str, processes: dict[str, subprocess.Popen[bytes]], body: Path, arguments: argparse.Namespace) -> None:
    for connections in arguments.connections:
        rates: dict[str, list[float]] = {name: [] for name in processes}
        costs: dict[str, list[float]] = {name: [] for name in processes}
        for _ in range(arguments.rounds):
            for name, process in processes.items():
                before = cpu_seconds(process.pid)
                answered = load(tool, PORTS[name], connections, arguments.seconds, body)
                rates[name].append(answered / arguments.seconds)
                costs[name].append((cpu_seconds(process.pid) - before) / answered)
        print(f"\n{connections} connections, {arguments.rounds} rounds of {arguments.seconds:g} s; medians of the ratios inside each round")
        for name in ("litserve", "naive", "hello"):
            rate = statistics.median(ours / theirs for ours, theirs in zip(rates["modelserver"], rates[name], strict=True))
            cost = statistics.median(theirs / ours for ours, theirs in zip(costs["modelserver"], costs[name], strict=True))
            print(f"  against {name:9}: {rate:6.2f} × the requests a second, 1/{cost:.2f} of the CPU a request")
        shown = {name: f"{statistics.median(rates[name]):.0f}/s {statistics.median(costs[name]) * 1e6:.0f} µs" for name in processes}
        print(f"  (medians here and now: {shown})")
    script = "import torch, compare, os; print(compare.memory(os.getpid()))"
    bare = subprocess.run([sys.executable, "-c", script], cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    print("\nmemory in MiB:")
    for name, process in processes.items():
        print(f"  {name:12}{memory(process.pid)}")
    print(f"  a bare 'import torch' {bare}")


if __name__ == "__main__":
    main()
