"""Ask places of policies what they hold: to lock it, or to bring what is locked into the cache."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from crossgate.errors import PolicyError
from crossgate.policy.remote.image import fetch_image
from crossgate.policy.remote.lock import Locked
from crossgate.policy.remote.repository import fetch_repository
from crossgate.policy.remote.source import Source
from crossgate.policy.remote.store import Store


def lock(sources: Iterable[str], known: Mapping[str, Locked], store: Store, *, update: bool = False) -> list[Locked]:
    """Return what sources are, keeping what is ``known`` unless ``update``; their content is in the cache then.

    Raises:
        UsageError: a source is not understood.
        PolicyError: a source cannot be read or holds no policy.
    """
    entries = []
    for text in dict.fromkeys(sources):
        if text in known and not update:
            entries.append(known[text])
            continue
        resolved, files = _fetch(Source.parse(text))
        entries.append(Locked(text, resolved, store.put(files)))
    return entries


def pull(entries: Iterable[Locked], store: Store) -> list[Locked]:
    """Bring what is locked into the cache, and return what was fetched.

    Raises:
        PolicyError: a source cannot be read, or holds another content than the locked one.
    """
    fetched = []
    for entry in entries:
        if store.get(entry.digest) is not None:
            continue
        _, files = _fetch(Source.parse(entry.source), entry.resolved)
        found = store.put(files)
        if found != entry.digest:
            raise PolicyError(
                f"the policies are not what is locked: expected {entry.digest}, found {found}",
                entry.source,
                "find out who changed them before you run crossgate policy lock --update",
            )
        fetched.append(entry)
    return fetched


def _fetch(source: Source, resolved: str = "") -> tuple[str, dict[str, bytes]]:
    found, files = (fetch_repository if source.git else fetch_image)(source, resolved)
    if not any(name.endswith(".rego") for name in files):
        raise PolicyError("there are no policies", source.text, "name a folder or image that holds .rego files")
    return found, files
