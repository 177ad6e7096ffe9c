"""``crossgate verify``: compare a Statement with what stands here.

A Statement comes from elsewhere: nothing in it is believed before its type is known, and no file is opened by a name that it gives.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import reprlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from crossgate.attest.digests import files_of, judges_of, settings_of
from crossgate.attest.statement import PREDICATE_TYPE, STATEMENT_TYPE
from crossgate.config import Config
from crossgate.errors import CrossgateError

MOST_BYTES = 64 * 2**20
"""How large an attestation may be: 300,000 files."""

_PAYLOAD_TYPE = "application/vnd.in-toto+json"
_DIGEST = re.compile("[0-9a-f]{64}")


def read(file: Path) -> dict[str, Any]:
    """Read a Statement: plain, in a DSSE envelope, or in a Sigstore bundle. Signatures are not looked at.

    Raises:
        CrossgateError: the file cannot be read, is too large, or holds no Statement of a check by crossgate.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise CrossgateError(
            f"cannot read the attestation: {error.strerror}", str(file), "name the file that crossgate attest wrote"
        ) from error
    if len(data) > MOST_BYTES:
        raise CrossgateError(f"the attestation has more than {MOST_BYTES >> 20} MiB", str(file), "it is not one that crossgate wrote")
    value = _json(data, file)
    if isinstance(value.get("dsseEnvelope"), dict):
        value = value["dsseEnvelope"]
    if "payload" in value:
        if value.get("payloadType") != _PAYLOAD_TYPE or not isinstance(value["payload"], str):
            raise CrossgateError(f"the envelope holds {value.get('payloadType')!r}", str(file), f"it should hold {_PAYLOAD_TYPE}")
        try:
            value = _json(base64.b64decode(value["payload"], validate=True), file)
        except (binascii.Error, ValueError) as error:
            raise CrossgateError("the envelope's payload is not Base64", str(file), "fetch the attestation again") from error
    for name, expected in (("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)):
        if value.get(name) != expected:
            raise CrossgateError(f"{name} is {_short(value.get(name))}", str(file), f"expected {expected}")
    return value


def verify(statement: Mapping[str, Any], config: Config | None = None, folder: Path | None = None) -> tuple[list[str], list[str]]:
    """Compare a Statement with the project and its manifests (``folder``; default: ``dist``).

    Returns:
        What differs, and what a reader should know besides; each a line of text.

    Raises:
        CrossgateError: the Statement is not in form, or a file, policies or schemas here cannot be read.
    """
    config = config or Config.find()
    predicate = _mapping(statement.get("predicate"), "predicate")
    differences = list(_files(_digests(statement.get("subject"), "subject"), files_of(folder or config.dist), "file"))
    judges = _mapping(predicate.get("judges"), "predicate.judges")
    for name, digest in judges_of(config).items():
        attested = _digest(_mapping(judges.get(name), f"predicate.judges.{name}"), f"predicate.judges.{name}")
        if attested != digest:
            differences.append(f"{name}: attested {attested}, here {digest}")
    differences += _files(_digests(predicate.get("settings"), "predicate.settings"), settings_of(config), "settings")
    checked = _mapping(predicate.get("check"), "predicate.check")
    if checked.get("verdict") != "passed":
        differences.append(f"check: its verdict was {_short(checked.get('verdict'))}")
    return differences, list(_notes(predicate))


def _notes(predicate: Mapping[str, Any]) -> Iterator[str]:
    tool = _mapping(predicate.get("tool"), "predicate.tool")
    yield f"checked by {_short(tool.get('name'))} {_short(tool.get('version'))}"
    commit = predicate.get("commit")
    if commit is None:
        yield "checked outside of a git repository"
        return
    commit = _mapping(commit, "predicate.commit")
    clean = "" if commit.get("clean") is True else ", with changes that were not committed"
    yield f"checked at commit {_short(commit.get('gitCommit'))}{clean}"


def _files(attested: Mapping[str, str], here: Mapping[str, str], what: str) -> Iterator[str]:
    for name in sorted({*attested, *here}):
        if name not in here:
            yield f"{what} {name}: missing here"
        elif name not in attested:
            yield f"{what} {name}: not attested"
        elif attested[name] != here[name]:
            yield f"{what} {name}: attested {attested[name]}, here {here[name]}"


def _digests(value: Any, where: str) -> dict[str, str]:
    """Read ``[{"name", "digest": {"sha256"}}, …]``."""
    if not isinstance(value, list):
        raise CrossgateError(f"{where} is {_short(value)}", where, "it should be a list of names with digests")
    found: dict[str, str] = {}
    for index, item in enumerate(value):
        at = f"{where}[{index}]"
        entry = _mapping(item, at)
        name = entry.get("name")
        if not isinstance(name, str) or not name or not name.isprintable() or "\\" in name:
            raise CrossgateError(f"the name is {_short(name)}", at, "it should be that of a file")
        parts = PurePosixPath(name)
        if parts.is_absolute() or (".." in parts.parts and where == "subject") or parts.as_posix() != name:
            raise CrossgateError(f"the name {_short(name)} leads elsewhere", at, "do not use this attestation")
        if name in found:
            raise CrossgateError(f"{_short(name)} is named twice", at, "do not use this attestation")
        found[name] = _digest(entry.get("digest"), at)
    return found


def _digest(value: Any, where: str) -> str:
    digest = _mapping(value, f"{where}.digest").get("sha256")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise CrossgateError(f"the SHA-256 is {_short(digest)}", where, "it should be 64 hexadecimal digits")
    return digest


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CrossgateError(f"{where} is {_short(value)}", where, "it should be an object: do not use this attestation")
    return value


def _json(data: bytes, file: Path) -> dict[str, Any]:
    try:
        value = json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise CrossgateError(f"the attestation is no JSON: {str(error)[:80]}", str(file), "fetch it again") from error
    if not isinstance(value, dict):
        raise CrossgateError("the attestation is no object", str(file), "name the file that crossgate attest wrote")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice, in any letter case.

    Go's readers take the last one of ``payload`` and ``Payload``: the program that looked at the signature would have looked at another.
    """
    if len({name.casefold() for name, _ in pairs}) != len(pairs):
        message = "a name stands twice in one object, of which every reader takes another"
        raise ValueError(message)
    return dict(pairs)


def _short(value: Any) -> str:
    """Show a value of somebody else on one line."""
    text = value if isinstance(value, str) else reprlib.repr(value)
    text = "".join(character if character.isprintable() else "?" for character in text[:120])
    return text or "''"
