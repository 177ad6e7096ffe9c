"""Find what must not be shown: values under keys that name a secret, and values that look like one, wherever they stand."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import re2  # type: ignore[import-untyped]  # it has no stubs

from crossgate.load.embedded import embedded
from crossgate.paths import MISSING, Path, follow

MASK = "(sensitive)"
"""What stands in place of a value that is not shown."""

_DEPTH = 200

_SKETCH = re.compile("(change|replace|fill|insert|set)[-_ ]?(me|this|it|in)|todo|fixme|tbd|placeholder", re.IGNORECASE)
"""What stands where a secret belongs and says itself that it is none."""
_SHORT = 3
"""Characters of a text that stands in many messages by chance."""

_WORDS = re.compile(
    "passw|pwd|passphrase|passcode|fernetkey|licensekey|secret|token|credential|apikey|accesskey|privatekey|signingkey|encryptionkey|sharedkey|accountkey|masterkey|authkey"
    "|connectionstring|connstr|connectionuri|databaseurl|dburl|jdbcurl|dsn|kubeconfig|dockerconfig|htpasswd|sastoken|webhookurl|sessionkey"
    "|bearer|cookie|serviceaccountkey|sshkey|tlskey|pemkey|keystore|hmac|salt|otpseed"
)
_PW = re.compile(r"(?:^|[^a-z])(?:pw|auth|jwt)$|(?<!by)(?<!com)(?<!over)(?<!under)(?<!tres)pass$")
"""``DB_PW``, ``PGPASS``: short words that name a secret only at the end."""
_EXACTLY = frozenset(("pass", "auth", "dsn", "pin", "psk", "creds", "authorization", "key.pem", "tls.key", "accesskeyid"))
_REFERENCE = re.compile(
    "(ref|refs|reference|references|name|names|namespace|selector|path|paths|file|policy|policies|type|kind|class|provider|store|rotation"
    "|enabled|ttl|seconds|days|length|count|expiry|expiration|issuer|arn|version|audience|audiences|scopes?|management|keyid)$"
)
_NOT_SECRET = re.compile("tokeniz|imagepullsecrets|^existing|automount|secretmanager|maxtokens|numtokens|cookiesamesite")
_SECRET_VOLUME = frozenset(("secretName", "items", "defaultMode", "optional"))

_OF_ANY_OBJECT = frozenset(("apiVersion", "kind", "metadata", "type", "immutable"))
_NAMED = ("name", "key", "envName", "parameter")
_VALUES = ("value", "default", "stringValue", "plainText", "literal")

_WORD = (
    r"(?:[\w.-]*(?:passw(?:or)?d|pwd|passphrase|secret|token|api[-_]?key|access[-_]?key|account[-_]?key|private[-_]?key|credential)[\w.-]*"
    r"|(?:[\w.-]*[_-])?pass)"
)
_ON = r"(?:[^\n;|&]|\\\n)*?"
"""The rest of a command, which a backslash carries on to the next line."""
_LOOKS = re2.compile(
    r"(?im)[a-z][a-z0-9+.-]*://[^\s/@:]*:[^\s/@]+@"  # a URL with a password
    rf"|(?:^|[\s;?&,\"'-]){_WORD}\s*=\s*[^\s;&]+"  # Password=…, --token=…, an .env line
    rf"|(?:^|[\s{{,\"'-]){_WORD}[\"']?\s*:\s+[^\s{{\[][^\n]*"  # password: …
    rf"|--{_WORD}\s+[^\s-]\S*"  # --password …
    rf"|\b(?:mysql\w*|mariadb[\w-]*|mongo\w*|sshpass)\b{_ON}\s-p\s*[^\s-]\S*"  # mysql -uroot -p…
    rf"|\bredis-cli\b{_ON}\s-a\s*[^\s-]\S*|\bcurl\b{_ON}\s(?:-\w*u|--user)\s*[^\s:]+:\S+|\bldap\w+\b{_ON}\s-w\s*[^\s-]\S*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*|-----BEGIN PGP PRIVATE[\s\S]*|PuTTY-User-Key-File[\s\S]*"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"  # a JSON web token
    r"|\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|AIza[\w-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|dckr_pat_[\w-]{20,}|sk-[\w-]{20,}|sk_live_\w{16,}|SG\.[\w-]{16,}\.[\w-]+"
    r"|ya29\.[\w-]{20,}|pypi-[\w-]{40,}|hvs\.[\w-]{20,}|AGE-SECRET-KEY-1\w+)"
    r"|(?:bearer|basic)\s+[a-z0-9._~+/-]{12,}"
)
"""Run by RE2, in time that grows with the text only: the texts are somebody else's."""
_FLAG = re.compile(rf"--?{_WORD}$", re.IGNORECASE)
_CLIENT = re2.compile(r"(?i)\b(?:mysql\w*|mariadb[\w-]*|mongo\w*|sshpass|redis-cli|curl|ldap\w+)\b")
"""Programs that take a password after one letter."""
_LETTER = re.compile(r"-[paw]$")
_USER = re.compile(r"(?:-\w*u|--user)$")
_ATTACHED = re.compile(r"-p.")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{24,}={0,2}\s*")


def is_secret_key(key: str) -> bool:
    """Say whether a key names a secret (``adminPassword``, ``API_TOKEN``), not a reference to one (``secretName``, ``tokenRef``)."""
    plain = re.sub(r"[^a-z0-9]", "", key.lower())
    if key.lower() in _EXACTLY or plain in _EXACTLY or _PW.search(key.lower()):
        return True
    return _WORDS.search(plain) is not None and _REFERENCE.search(plain) is None and _NOT_SECRET.search(plain) is None


def looks_secret(text: str) -> bool:
    """Say whether a text looks like a secret or holds one: a URL with a password, a private key, a known kind of token, ``Password=…``."""
    if _LOOKS.search(text):
        return True
    if len(text) >= 24 and _BASE64.fullmatch(text):
        try:
            inner = base64.b64decode(text, validate=False).decode("utf-8")
        except (binascii.Error, ValueError):
            return False
        return _LOOKS.search(inner) is not None or _holds(inner)
    return _holds(text)


def secret_paths(body: Any) -> frozenset[Path]:
    """Return the places in a value at and below which nothing may be shown.

    A text that holds YAML or JSON is none for what is in it: ask for the places in ``embedded`` of it.
    """
    return frozenset(_walk(body, (), 0))


def is_secret(secret: frozenset[Path], path: Path) -> bool:
    """Say whether a path is at or below one of ``secret``."""
    return any(path[:length] in secret for length in range(len(path) + 1)) if secret else False


def secret_values(body: Any) -> frozenset[str]:
    """Return the texts that stand in secret places, to be taken out of messages that may quote them."""
    found: set[str] = set()
    for path in secret_paths(body):
        found.update(_strings(follow(body, path)))
    for text in _strings(body):
        if (inner := embedded(text)) is not MISSING:
            found |= secret_values(inner)
    return frozenset(found)


def redacted(message: str, secrets: Iterable[str]) -> str:
    """Return a message without the given secrets, and without anything that looks like one."""
    redacted_: str = _LOOKS.sub(MASK, hiding(secrets)(message))
    return redacted_


def hiding(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return what takes the given secrets out of a message: as they are, as JSON or Python quotes them, or cut off by its "…"."""
    long = (secret for secret in secrets if len(secret) > _SHORT and not _SKETCH.fullmatch(secret))
    forms = sorted({form for secret in long for form in (secret, _in_json(secret), repr(secret)[1:-1])}, key=len, reverse=True)

    def hide(message: str) -> str:
        for form in forms:
            if form in message:
                message = message.replace(form, MASK)
        if "…" not in message:
            return message
        *cut, end = message.split("…")
        return "…".join((*(_uncut(part, forms) for part in cut), end))

    return hide


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _uncut(text: str, secrets: Sequence[str]) -> str:
    """Take the beginning of a secret from the end of a text."""
    for secret in secrets:
        start = secret[: _SHORT + 1]
        at = text.find(start, max(len(text) - len(secret), 0))
        while at >= 0:
            if secret.startswith(text[at:]):
                return f"{text[:at]}{MASK}"
            at = text.find(start, at + 1)
    return text


def _holds(text: str) -> bool:
    inner = embedded(text)
    return inner is not MISSING and bool(secret_paths(inner))


def _walk(value: Any, path: Path, depth: int) -> Iterator[Path]:
    if depth > _DEPTH:
        yield path  # too deep to be looked through, so not shown
    elif isinstance(value, dict):
        if _is_secret_object(value):
            yield from ((*path, key) for key in value if key not in _OF_ANY_OBJECT)
        if any(isinstance(value.get(key), str) and is_secret_key(value[key]) for key in _NAMED):
            yield from ((*path, key) for key in _VALUES if _hideable(value.get(key), ""))
            if isinstance(value.get("valueFrom"), str):  # it should have been a reference
                yield (*path, "valueFrom")
        yield from ((*path, *place) for place in _of_clients(value))
        for key, item in value.items():
            if is_secret_key(key) and _hideable(item, key):
                yield (*path, key)
            else:
                yield from _walk(item, (*path, key), depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if index and isinstance(item, str) and isinstance(value[index - 1], str) and _FLAG.fullmatch(value[index - 1]):
                yield (*path, index)
            else:
                yield from _walk(item, (*path, index), depth + 1)
    elif isinstance(value, str) and _LOOKS_MAYBE.search(value) and embedded(value) is MISSING and looks_secret(value):
        yield path


def _is_secret_object(value: dict[str, Any]) -> bool:
    """Say whether an object is a Secret, or was meant as one: a slip of its author's must not show what it holds."""
    kind, api_version = value.get("kind"), value.get("apiVersion")
    return isinstance(kind, str) and kind.lower() == "secret" and "/" not in str(api_version)


def _of_clients(container: dict[str, Any]) -> Iterator[Path]:
    """Yield the places of passwords in the command of a container, one word an item: ``-p…``, or what follows ``-a``."""
    words = [
        ((key, index), word)
        for key in ("command", "args")
        if isinstance(listed := container.get(key), list)
        for index, word in enumerate(listed)
        if isinstance(word, str)
    ]
    if any(_CLIENT.search(word) for _, word in words):
        for (_, before), (place, word) in pairwise([((), ""), *words]):
            if _LETTER.match(before) or _ATTACHED.match(word) or (":" in word and _USER.match(before)):
                yield place


_LOOKS_MAYBE = re.compile("[:=\n{]|eyJ|[A-Za-z0-9_./+-]{20,}|--| -[pauw]|basic |bearer ", re.IGNORECASE)


def _hideable(value: Any, key: str) -> bool:
    """Say whether a value under a secret's key is worth hiding: switches and empty ones are not, nor how many tokens there may be."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return False
    if isinstance(value, int | float):
        return "token" not in key.lower()
    return not (isinstance(value, dict) and key == "secret" and set(value) <= _SECRET_VOLUME)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
