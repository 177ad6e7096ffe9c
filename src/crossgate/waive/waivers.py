"""Read waivers: ``policies/waivers.yaml``.

    waivers:
    - id: public-gateway            # needed only where an annotation points to it
      rule: network/public-load-balancer
      scope:
        resource: Service kong/gateway
        file: dist/05-gateway/*
        path: spec.type
      reason: The gateway is the one door to the Internet.
      owner: platform-team
      expires: 2027-03-31

Everything but ``id`` must be there. A scope names at least one of ``resource``, ``file``, ``path`` and ``annotated``, and all that
it names must fit; ``*`` stands for any text. A resource is that of the finding, or a claim or XR that it is made from. A waiver
that cannot be understood waives nothing: it is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path as FilePath
from typing import Any

from crossgate.errors import CrossgateError, PolicyError
from crossgate.load import load_text
from crossgate.model import Document, Place
from crossgate.paths import Path

_RULE = re.compile(r"[a-z0-9_.-]+(?:/[a-z0-9_.-]+)+\Z", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z")
_SCOPE = ("resource", "file", "path", "annotated")
_FIELDS = ("id", "rule", "scope", "reason", "owner", "expires")
_REASON_LENGTH = 10


@dataclass(frozen=True, slots=True)
class Waiver:
    """Who lets which findings pass, why, and until when (that day included).

    ``resource``, ``file`` and ``path`` are patterns, empty where the scope does not name them; ``annotated`` means that the object, or
    one that it is made from, must point to ``id`` by its annotation.
    """

    rule: str
    reason: str
    owner: str
    expires: date
    place: Place
    id: str = ""
    resource: str = ""
    file: str = ""
    path: str = ""
    annotated: bool = False

    def expired(self, today: date) -> bool:
        """Say whether its last day is over."""
        return today > self.expires


def load_waivers(files: Iterable[FilePath]) -> tuple[Waiver, ...]:
    """Read the waivers of files; one that is not there holds none.

    Raises:
        PolicyError: a file cannot be read, or a waiver lacks something or says something unknown. Its findings must not pass on a guess.
    """
    waivers: list[Waiver] = []
    for file in files:
        if file.is_file():
            waivers += _read(file)
    ids = [waiver.id for waiver in waivers if waiver.id]
    for waiver in waivers:
        if waiver.id and ids.count(waiver.id) > 1:
            raise PolicyError(f"two waivers have the id {waiver.id!r}", str(waiver.place), "give each its own")
    return tuple(waivers)


def _read(file: FilePath) -> list[Waiver]:
    try:
        documents = load_text(file.read_bytes(), str(file))
    except OSError as error:
        raise PolicyError(f"cannot read the waivers: {error.strerror}", str(file), "mend the file or its permissions") from error
    except CrossgateError as error:
        raise PolicyError(
            f"cannot read the waivers: {error.what}", error.where, error.hint or "docs/policies.md shows what a waiver looks like"
        ) from error
    waivers: list[Waiver] = []
    for document in documents:
        body = document.body
        if not isinstance(body, dict) or set(body) != {"waivers"} or not isinstance(body["waivers"], list):
            raise _fault(document, (), "the file holds something else than waivers", "write one list, waivers:")
        waivers += [_waiver(document, ("waivers", index), value) for index, value in enumerate(body["waivers"])]
    return waivers


def _waiver(document: Document, at: Path, value: Any) -> Waiver:
    if not isinstance(value, dict):
        raise _fault(document, at, "a waiver is not a mapping", f"it has {', '.join(_FIELDS)}")
    for name in value:
        if name not in _FIELDS:
            raise _fault(document, (*at, name), f"a waiver has no {name!r}", f"it has {', '.join(_FIELDS)}")
    rule, reason, owner = (_text(document, at, value, name) for name in ("rule", "reason", "owner"))
    if not _RULE.match(rule):
        raise _fault(document, (*at, "rule"), f"{rule!r} is no rule", "name one rule: crossgate policy list shows them")
    if len(reason) < _REASON_LENGTH:
        raise _fault(document, (*at, "reason"), "the reason says nothing", "say why this may pass, for whoever reads it in a year")
    scope = value.get("scope")
    if not isinstance(scope, dict) or not scope:
        raise _fault(document, (*at, "scope"), "a waiver has no scope", f"name at least one of {', '.join(_SCOPE)}")
    for name in scope:
        if name not in _SCOPE:
            raise _fault(document, (*at, "scope", name), f"a scope has no {name!r}", f"it has {', '.join(_SCOPE)}")
    annotated = scope.get("annotated", False)
    identifier = value.get("id", "")
    if not isinstance(annotated, bool):
        raise _fault(document, (*at, "scope", "annotated"), "annotated is not true or false", "write annotated: true")
    if not isinstance(identifier, str) or (identifier and not _ID.match(identifier)):
        raise _fault(document, (*at, "id"), f"{identifier!r} is no id", "use lower case letters, digits and dashes")
    if annotated and not identifier:
        raise _fault(document, at, "nothing can point to a waiver without id", "give it an id")
    patterns = {name: _pattern(document, (*at, "scope"), scope, name) for name in ("resource", "file", "path")}
    if not annotated and not any(pattern.strip("*/ ") for pattern in patterns.values()):
        raise _fault(document, (*at, "scope"), "the scope is everything", f"narrow it by {', '.join(_SCOPE)}")
    return Waiver(
        rule=rule,
        reason=reason,
        owner=owner,
        expires=_date(document, at, value),
        place=document.place(at),
        id=identifier,
        annotated=annotated,
        **patterns,
    )


def _text(document: Document, at: Path, value: dict[str, Any], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str) or not text.strip():
        raise _fault(document, (*at, name), f"a waiver has no {name}", f"write {name}: …")
    return text.strip()


def _pattern(document: Document, at: Path, scope: dict[str, Any], name: str) -> str:
    pattern = scope.get(name, "")
    if not isinstance(pattern, str) or (name in scope and not pattern):
        raise _fault(document, (*at, name), f"{name} is no pattern", "write a text; * stands for any text")
    return pattern


def _date(document: Document, at: Path, value: dict[str, Any]) -> date:
    text = value.get("expires")
    try:
        if isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise _fault(
        document, (*at, "expires"), f"a waiver ends at no day: {text!r}" if text else "a waiver has no end", "write expires: 2027-01-31"
    )


def _fault(document: Document, at: Path, what: str, hint: str) -> PolicyError:
    return PolicyError(what, str(document.place(at)), hint)
