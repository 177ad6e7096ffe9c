"""``crossgate attest``: the Statement.

The form is in-toto's Statement v1 (github.com/in-toto/attestation, ``spec/v1/statement.md``): a subject for each file with its SHA-256,
and a predicate of our own type, which docs/supply-chain.md describes. The same files give the same bytes: nothing depends on
the time, the machine or the order of a folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgate import __version__
from crossgate.attest.digests import files_of, judges_of, settings_of
from crossgate.check import check
from crossgate.config import Config
from crossgate.errors import CrossgateError, UsageError
from crossgate.model import Report
from crossgate.report.json import summary

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:crossgate:check:v1"
"""Names the predicate's form: it changes with it. A URN, since nothing has to be fetched to read it."""

VERDICTS = {0: "passed", 1: "findings", 3: "could not check"}
"""By the exit code of the check."""


@dataclass(frozen=True, slots=True)
class Attestation:
    """A Statement as JSON values, and the report of the check that it tells of."""

    statement: dict[str, Any]
    report: Report


def attest(config: Config | None = None) -> Attestation:
    """Check the project's ``dist/`` and state what it is, what judged it and how.

    Raises:
        CrossgateError: a link stands among the manifests, a file cannot be read, policies or schemas cannot be read, or the manifests
            changed while they were checked.
    """
    config = config or Config.find()
    before = files_of(config.dist)
    if not before:
        raise CrossgateError("there is nothing to attest", str(config.dist), "run crossgate synth, or name the folder")
    judges = judges_of(config)
    report = check(config=config)
    if files_of(config.dist) != before:
        raise CrossgateError("the manifests changed while they were checked", str(config.dist), "run it again when nothing writes there")
    counted = summary(report)
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in before.items()],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "tool": {"name": "crossgate", "version": __version__},
            "folder": config.dist.name,
            "judges": {name: {"sha256": digest} for name, digest in judges.items()},
            "settings": [{"name": name, "digest": {"sha256": digest}} for name, digest in settings_of(config).items()],
            "commit": _commit(config),
            "check": {"verdict": VERDICTS[report.exit_code], "failOn": str(report.fail_on), **counted},
        },
    }
    return Attestation(statement, report)


def write(statement: dict[str, Any]) -> str:
    """Write a Statement as JSON text: sorted keys, two spaces of indentation, one trailing newline."""
    return json.dumps(statement, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _commit(config: Config) -> dict[str, Any] | None:
    """Return the checked-out commit, and whether what is attested and what judges stand on disk as in it; None outside of a repository."""
    from crossgate.git import Commit  # noqa: PLC0415 - outside of a repository it is not needed
    from crossgate.git.worktree import changed_files  # noqa: PLC0415 - likewise

    try:
        head = Commit.find(config.root, "HEAD")
    except UsageError:
        return None
    inside = {path for place in _places(config) if (path := head.path(place)) is not None}
    clean = not any(changed_files(head, path) for path in sorted(inside))
    return {"gitCommit": head.id, "clean": clean}


def _places(config: Config) -> Iterator[Path]:
    yield from (config.dist, *config.policies, *config.schemas, *config.data)
    yield from (config.root / name for name in settings_of(config))
