"""Run the app that ``cdk8s.yaml`` names, as the cdk8s command line runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from crossgate.errors import SynthError
from crossgate.load import load_text

CONFIG = "cdk8s.yaml"

_FRAME = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+)')
_RAISED = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
_TRACEBACK = "Traceback (most recent call last):"


def settings(project: Path) -> tuple[str, str]:
    """Return the command and the output folder that the project's ``cdk8s.yaml`` names.

    Raises:
        SynthError: there is no such file, or it names no command.
        LoadError: the file cannot be read.
    """
    path = project / CONFIG
    if not path.is_file():
        raise SynthError(
            f"there is no {CONFIG}", str(project), "call synth in a cdk8s project, or write one with the line app: python apps/main.py"
        )
    documents = load_text(path.read_bytes(), CONFIG)
    body = documents[0].body if documents else None
    command = body.get("app") if isinstance(body, dict) else None
    output = body.get("output", "dist") if isinstance(body, dict) else None
    if not isinstance(command, str) or not command or not isinstance(output, str) or not output:
        raise SynthError(f"{CONFIG} names no app", CONFIG, "write app: python apps/main.py")
    return command, output


def run(command: str, project: Path, output: Path) -> None:
    """Run an app in ``project``; it writes its manifests into ``output``.

    ``python`` in the command is the Python that crossgate itself runs on, so that a virtual environment need not be active.

    Raises:
        SynthError: the app failed, or wrote nothing. ``where`` is the author's line that failed.
    """
    beside = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "CDK8S_OUTDIR": str(output),
        "PATH": os.pathsep.join([beside, os.environ.get("PATH", "")]),
    }
    done = subprocess.run(  # noqa: S602 - the app of a cdk8s.yaml is a shell command, by definition
        command,
        shell=True,
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise explain(done.stderr, project)
    if not output.is_dir():
        raise SynthError("the app wrote nothing", CONFIG, "does it call synth()?")


def explain(stderr: str, project: Path) -> SynthError:
    """Turn what a failed app printed into one error: what was raised, and at which line of the project."""
    _, found, traceback = stderr.rpartition(_TRACEBACK)
    if not found and not any(_FRAME.match(line) for line in stderr.splitlines()):  # a SyntaxError has no head line
        tail = [line for line in stderr.splitlines() if line.strip()]
        return SynthError("the app failed", CONFIG, tail[-1].strip() if tail else "it printed no reason")
    lines = (traceback if found else stderr).splitlines()
    frames = [(Path(match["file"]), int(match["line"])) for line in lines if (match := _FRAME.match(line))]
    raised = next((index for index, line in enumerate(lines) if not line.startswith(" ") and _RAISED.match(line)), len(lines) - 1)
    match = _RAISED.match(lines[raised])
    name, message = (match["name"], match["message"] or "") if match else ("", lines[raised])
    rest = lines[raised + 1 :]
    if name.startswith("crossgate.errors."):
        return _own(message, rest)
    where = next((f"{path}:{line}" for path, line in _in_project(frames[::-1], project)), CONFIG)
    return SynthError("\n".join([f"{name.rpartition('.')[2]}: {message}", *_readable(rest)]), where, "")


def _own(message: str, rest: Sequence[str]) -> SynthError:
    """Read back an error of ours from its three lines."""
    where = next((line[len("  at ") :] for line in rest if line.startswith("  at ")), "")
    hint = next((line[len("  ") :] for line in rest if line.startswith("  ") and not line.startswith("  at ")), "")
    return SynthError(message, where, hint)


def _in_project(frames: Sequence[tuple[Path, int]], project: Path) -> list[tuple[str, int]]:
    """Keep the frames of the project's own files, relative to it."""
    inside = []
    for path, line in frames:
        absolute = path if path.is_absolute() else project / path
        if absolute.is_relative_to(project) and "site-packages" not in absolute.parts:
            inside.append((absolute.relative_to(project).as_posix(), line))
    return inside


def _readable(lines: Sequence[str]) -> list[str]:
    """Keep the rest of a message; the stack of the JavaScript side and links to manuals tell an author nothing."""
    kept = []
    for line in lines:
        if re.match(r"\s+at |@jsii|node:", line):
            break
        if line.strip() and "For further information visit" not in line:
            kept.append(line)
    return kept[:12]
