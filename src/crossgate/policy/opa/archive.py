"""Write a bundle for a server of OPA: the rules, their data, and the entry through which crossgate asks."""

from __future__ import annotations

import gzip
import io
import json
import tarfile

from crossgate.policy.bundle import Bundle
from crossgate.policy.opa.entry import PACKAGE, Entry, entry_of

ENTRY_FILE = f"{PACKAGE}.rego"


def archive(bundle: Bundle, *, rego_v0: bool = False) -> tuple[bytes, Entry]:
    """Return the bundle as OPA loads it (``.tar.gz``), and its entry. The same rules give the same bytes.

    The bundle owns everything that the server knows (``roots`` is the empty path): a server that has it refuses to take other policies or
    data beside it.

    Raises:
        PolicyError: the bundle holds no rule, or METADATA is wrong.
    """
    entry = entry_of(bundle, rego_v0=rego_v0)
    manifest = {"revision": entry.digest, "roots": [""], "rego_version": 0 if rego_v0 else 1}
    files = {".manifest": json.dumps(manifest), "data.json": json.dumps(bundle.data, ensure_ascii=False), ENTRY_FILE: entry.text}
    files |= {file_in_archive(index): module.text for index, module in enumerate(bundle.modules)}
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, filename="") as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name in sorted(files):
            data = files[name].encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mode = 0o644
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue(), entry


def file_in_archive(index: int) -> str:
    """Name the module with this index: two folders of policies may hold files of one name, and errors of the server name this one."""
    return f"policies/{index}.rego"
