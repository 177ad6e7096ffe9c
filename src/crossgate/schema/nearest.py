"""The nearest valid name for a typo."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name that was probably meant, or the empty string when none is near.

    Near is: equal but for case and separators, or within a third of the length in edits
    (an edit is a letter more, less, other, or two neighbours swapped).
    """
    plain = _plain(name)
    best, best_distance = "", max(1, len(name) // 3) + 1
    for candidate in sorted(names):
        if _plain(candidate) == plain:
            return candidate
        if abs(len(candidate) - len(name)) < best_distance:
            distance = _edits(name.lower(), candidate.lower(), best_distance)
            if distance < best_distance:
                best, best_distance = candidate, distance
    return best


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _edits(left: str, right: str, limit: int) -> int:
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) >= limit:
            return limit
    return row[-1]
