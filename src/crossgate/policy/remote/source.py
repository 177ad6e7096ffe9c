"""The names of policies that stand elsewhere.

==========================================  ==================================================================
``git+https://host/repo@REF#folder``        a folder of a git repository at a branch, tag or commit
``git+ssh://…``, ``git+file:///…``          likewise
``oci://host/repository:tag``               an image, as ``conftest push`` or ``oras push`` makes it
==========================================  ==================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from crossgate.errors import UsageError
from crossgate.policy.remote.files import strange_name

_GIT = re.compile(r"git\+(?P<url>(?:https|ssh|file)://[^@#]*(?:@[^/@#]*/[^@#]*)?)@(?P<ref>[^@#]+)(?:#(?P<folder>.*))?")
_OCI = re.compile(r"oci\+?(?P<plain>http)?://(?P<reference>[^/\s]+/[^\s]+)")
_CREDENTIALS = re.compile(
    r"((?:git\+)?(?:https?|oci|oci\+https?|file)://)(?:[^/]*@|(?:\[[^]/]*\])?[^][/]*:(?!\d*(?:/|$)))|(git\+ssh://)[^][@/]*:(?!\d*/)",
    re.IGNORECASE,
)
"""Something before the host (of SSH: more than a user's name), or what looks like a port and is none."""

_REF = re.compile(r"[A-Za-z0-9][\w./+-]*")


@dataclass(frozen=True, slots=True)
class Source:
    """Where policies stand: ``text`` is what was written; of git ``place`` is the URL, of OCI the reference."""

    text: str
    place: str
    ref: str = ""
    folder: str = ""
    insecure: bool = False

    @property
    def git(self) -> bool:
        """Say whether this is a git repository."""
        return bool(self.ref)

    @classmethod
    def parse(cls, text: str) -> Source:
        """Read a name. Raises UsageError when it is none."""
        if secret := _CREDENTIALS.match(text):  # they would be in the lock, in git's history and in every log
            hint = "let git ask a credential helper; a registry is read without a login"
            raise UsageError("the name of policies holds credentials", f"{secret[1] or secret[2]}…", hint)
        if not text.isprintable() or len(text) > 2048:
            raise UsageError("the name of policies holds strange characters", repr(text)[:80], "write git+https://host/repo@REF or oci://…")
        if git := _GIT.fullmatch(text):
            folder = (git["folder"] or "").strip("/")
            if not _REF.fullmatch(git["ref"]) or ".." in git["ref"]:
                raise UsageError(f"{git['ref']!r} is no name of a commit", text, "name a branch, a tag or a commit")
            if folder and strange_name(folder):
                raise UsageError(f"the folder {strange_name(folder)}", text, "name a folder inside of the repository")
            return cls(text, git["url"], git["ref"], folder)
        if oci := _OCI.fullmatch(text):
            return cls(text, oci["reference"], insecure=bool(oci["plain"]))
        raise UsageError(
            "the place of the policies is not understood",
            text,
            "name git+https://host/repo@REF#folder (also ssh, file), or oci://host/repository:tag (oci+http:// for one without TLS)",
        )
