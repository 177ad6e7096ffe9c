"""The estate on the page: each author's object with what it becomes, claim → XR → composed, and what was found where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from crossgate.model import Finding, Identity, Report, Role, Severity, Subject
from crossgate.report.html.elements import Markup, element
from crossgate.report.html.findings import badge
from crossgate.report.html.items import Item
from crossgate.report.plan.words import VERBS

_ROLES = {Role.DOCUMENT: "", Role.CLAIM: "claim", Role.XR: "XR", Role.COMPOSED: "composed", Role.WRAPPED: "inside"}


def estate_items(report: Report) -> list[Item]:
    """Return the objects that authors wrote, those with the worst findings first, each with the tree of what it becomes."""
    found: dict[Identity, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        found[finding.resource].append(finding)
    changed = {claim.identity: claim.action for claim in report.plan.claims} if report.plan else {}
    below: dict[int, list[int]] = defaultdict(list)
    for index, subject in enumerate(report.subjects):
        below[subject.parent].append(index)
    trees = [_Tree(report.subjects, below, found, root) for root in below[-1]]
    trees.sort(key=lambda tree: min((finding.severity.rank for finding in tree.findings), default=len(Severity)))
    return [
        tree.item(badge(VERBS[changed[tree.head.resource]], changed[tree.head.resource]) if tree.head.resource in changed else None)
        for tree in trees
    ]


class _Tree:
    """One author's object and all that comes of it."""

    def __init__(
        self, subjects: Sequence[Subject], below: Mapping[int, list[int]], found: Mapping[Identity, list[Finding]], root: int
    ) -> None:
        self._subjects, self._below, self._found, self._root = subjects, below, found, root
        self.head = subjects[root]
        self.findings = [finding for index in self._all(root) for finding in found.get(subjects[index].resource, ())]

    def item(self, changed: Markup | None) -> Item:
        """Return the entry; an object that makes nothing has nothing to unfold."""
        line = (
            *self._line(self._root),
            *([changed] if changed else []),
            element("span", element("code", str(self.head.place)), class_="place"),
        )
        children = self._below.get(self._root, [])
        content = (
            element("details", element("summary", *line), element("div", self._children(children), class_="body"))
            if children
            else element("div", *line, class_="leaf")
        )
        severities = tuple(dict.fromkeys(str(finding.severity) for finding in self.findings))
        return Item(
            content,
            severities,
            tuple(dict.fromkeys(finding.rule for finding in self.findings)),
            self.head.team,
            "found" if severities else "",
        )

    def _all(self, index: int) -> list[int]:
        found = [index]
        for child in found:
            found.extend(self._below.get(child, ()))
        return found

    def _children(self, children: Sequence[int]) -> Markup:
        rows = []
        for child in children:
            more = self._below.get(child, [])
            rows.append(element("li", *self._line(child), *([self._children(more)] if more else [])))
        return element("ul", *rows, class_="chain")

    def _line(self, index: int) -> list[Markup]:
        subject = self._subjects[index]
        here = self._found.get(subject.resource, [])
        worst = min((finding.severity for finding in here), key=lambda severity: severity.rank, default=None)
        inside = self.findings if index == self._root and not here else []
        parts = [element("span", element("code", str(subject.resource)), class_="said")]
        if role := _ROLES[subject.role]:
            parts.append(element("small", f"{role} {subject.template}".rstrip()))
        if worst is not None:
            parts.append(badge(f"{len(here)} {worst}{'' if len(here) == 1 else 's'}", str(worst)))
        elif inside:
            parts.append(
                badge(f"{len(inside)} below", str(min((finding.severity for finding in inside), key=lambda severity: severity.rank)))
            )
        return parts
