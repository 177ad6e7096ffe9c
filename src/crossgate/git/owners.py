"""CODEOWNERS: who must approve a change of a file.

Read as GitHub documents it (docs.github.com, "About code owners"): patterns of gitignore without ``!`` and ``[ ]``, the last one that
matches decides. A section line of GitLab (``[Name] @owner``) gives owners to the lines below that name none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from crossgate.git.commit import Commit

FILES = (".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where the file may stand; the first that is there counts."""

_GLOBS = {"/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_SECTION = re.compile(r"\^?\[[^\]]+\](?:\[\d+\])?")


@dataclass(frozen=True, slots=True)
class Owners:
    """The lines of a CODEOWNERS file, in order."""

    lines: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, commit: Commit) -> Owners:
        """Read the file that counts in ``commit``; without one nobody owns anything."""
        text = next((data for data in map(commit.tree.read, FILES) if data is not None), b"")
        return cls.parse(text.decode("utf-8", errors="replace"))

    @classmethod
    def parse(cls, text: str) -> Owners:
        """Read the text of a CODEOWNERS file."""
        lines: list[tuple[re.Pattern[str], tuple[str, ...]]] = []
        default: tuple[str, ...] = ()
        for line in text.splitlines():
            said = re.sub(r"(?<!\\)(?:^|(?<=\s))#.*", "", line).strip()
            if not said:
                continue
            if section := _SECTION.match(said):
                default = tuple(said[section.end() :].split())
                continue
            pattern, *owners = re.split(r"(?<!\\)\s+", said)
            lines.append((_pattern(pattern.replace("\\ ", " ")), tuple(owners) or default))
        return cls(tuple(lines))

    def owners(self, path: str) -> tuple[str, ...]:
        """Return the owners of a file; none when no line matches, or the last that does names none."""
        return next((owners for pattern, owners in reversed(self.lines) if pattern.fullmatch(path)), ())

    def together(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return everybody who owns one of the files, without repeating anybody."""
        return tuple(dict.fromkeys(owner for path in paths for owner in self.owners(path)))


def _pattern(glob: str) -> re.Pattern[str]:
    """Translate a pattern: one with a slash before its end is anchored to the root, any other matches at every depth."""
    anchored = "/" in glob.rstrip("/")
    folder = glob.endswith("/")
    parts = [_GLOBS.get(part, re.escape(part)) for part in re.split(r"(/\*\*/|\*\*/|/\*\*|\*\*|\*|\?)", glob.strip("/"))]
    start = "" if anchored else "(?:.*/)?"
    last = glob.rstrip("/").rpartition("/")[2]
    # a last part of "*" means the files of that very folder; any other name may be a folder with all that is in it
    end = "/.*" if folder else "" if last == "*" and anchored else "(?:/.*)?"
    return re.compile(start + "".join(parts) + end, re.DOTALL)
