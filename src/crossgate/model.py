"""The values that the stages hand to each other. All are frozen; none knows how it is printed.

load makes ``Document``; render makes ``Resource`` out of them; schema, policy and the other judges make
``Finding`` and ``CouldNotCheck``; check gathers them into a ``Report``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from crossgate.paths import Path

if TYPE_CHECKING:
    from crossgate.plan.model import Plan  # a report may carry it; nothing in here looks into it


class Severity(StrEnum):
    """How bad a finding is; ``--fail-on`` compares in this order."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


class Role(StrEnum):
    """What a resource is on its way from a file to the cluster."""

    DOCUMENT = "document"
    """Stands in a file as it is and is neither claim nor XR."""
    CLAIM = "claim"
    XR = "xr"
    COMPOSED = "composed"
    """Made by a Composition's pipeline."""
    WRAPPED = "wrapped"
    """A manifest inside another resource (a ``kubernetes.crossplane.io`` Object)."""


DOCUMENT, CLAIM, XR, COMPOSED, WRAPPED = Role
"""The roles by themselves: each resource is asked for its own, and Python 3.11 takes four times as long to read a member from its class."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file. Lines and columns count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read what ``str`` wrote: ``file:line:column``, ``file:line`` or ``file``."""
        parts = text.split(":")
        numbers: list[int] = []
        while len(parts) > 1 and parts[-1].isascii() and parts[-1].isdigit() and len(numbers) < 2:
            numbers.insert(0, int(parts.pop()))
        return cls(":".join(parts), *numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One object of a file, as its author wrote it.

    ``body`` is the value that the API server would read. ``file`` is relative to the project, with
    slashes. ``locate`` finds the line of a field again from the text (nothing is computed before a
    finding asks); for a path that is not there it answers with the nearest field above.
    """

    body: Any
    file: str
    line: int = 0
    locate: Callable[[Path], Place] = field(default=lambda _path: Place(""), repr=False)

    def place(self, path: Path = ()) -> Place:
        """Return where ``path`` stands, or the nearest field above it."""
        found = self.locate(path)
        return found if found.line else Place(found.file or self.file, self.line)


@dataclass(frozen=True, slots=True)
class Flow:
    """One value carried from one resource to the next: what a patch read and what it wrote.

    ``source`` is a path in the resource's ``parent``, ``target`` a path in the resource itself and
    ``patch`` the path of the patch within the Composition's document (empty for the claim controller,
    which copies fields without a patch).
    """

    source: Path
    target: Path
    patch: Path = ()


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """One Kubernetes object that the merge would put on the cluster, and where it comes from.

    ``document`` is what its author wrote: the object itself, or the claim at the head of the chain.
    ``parent`` is the resource that it was made from (claim → XR → composed → wrapped). For composed
    resources ``composition``, ``step`` and ``template`` name the maker, ``base`` is the path of the
    template's base in the Composition's document, and ``flows`` say which fields were patched, in
    order. ``definition`` is the XRD of a claim or XR, where defaults come from. ``inside`` is, for
    wrapped ones, the path in the parent at which the manifest stands.
    """

    body: dict[str, Any]
    role: Role
    document: Document
    parent: Resource | None = None
    composition: Document | None = None
    step: str = ""
    template: str = ""
    base: Path = ()
    flows: tuple[Flow, ...] = ()
    definition: Document | None = None
    inside: Path = ()
    _identity: list[Identity] = field(default_factory=list, init=False, repr=False)

    @property
    def identity(self) -> Identity:
        """Return the object's name on the cluster; read once, since every stage asks."""
        if not self._identity:
            self._identity.append(Identity.of(self.body))
        return self._identity[0]


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """What the API server knows an object by, with the version it was written in."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, body: Any) -> Identity:
        """Read the identity of an object; whatever is missing or of the wrong type is empty."""
        if not isinstance(body, dict):
            return cls("", "", "", "")
        api_version, kind, metadata = body.get("apiVersion"), body.get("kind"), body.get("metadata")
        namespace, name = (metadata.get("namespace"), metadata.get("name")) if isinstance(metadata, dict) else (None, None)
        return cls(
            api_version if isinstance(api_version, str) else "",
            kind if isinstance(kind, str) else "",
            namespace if isinstance(namespace, str) else "",
            name if isinstance(name, str) else "",
        )

    @property
    def group(self) -> str:
        """Return the API group ("" for core kinds)."""
        return self.api_version.rpartition("/")[0]

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind or '?'} {name or '(no name)'}"


WAIVER = "crossgate/waiver"
"""The annotation with which an object points to a waiver by its id. It waives nothing by itself."""

NOBODY = Identity("", "", "", "")
"""Stands where there is no object, or more than one."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One place that a finding's value comes from.

    ``role`` is ``claim`` (or ``xr``, ``document``: the field its author wrote), ``default`` (of the XRD),
    ``patch`` or ``template`` (of the Composition); ``path`` is the field there.
    """

    role: str
    place: Place
    path: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault in somebody's manifests, at the line its author wrote.

    ``rule`` (``network/open-cidr``) and ``reason`` (``OPEN_CIDR``) are stable names. ``path`` is the
    field of ``resource`` that is at fault. ``origin`` is the chain claim → XR → composed, outermost
    first, ``causes`` the places that fed the value. The fingerprint holds neither line numbers nor
    generated names, so that it survives edits elsewhere.
    """

    rule: str
    reason: str
    severity: Severity
    message: str
    place: Place
    resource: Identity
    path: str = ""
    origin: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    remediation: str = ""
    link: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class CouldNotCheck:
    """Something that was not judged. Never a pass: it makes the exit code 3.

    ``same`` is what is said alike of several objects, so that it can be told once (``gathered``).
    """

    what: str
    where: str
    hint: str = ""
    same: str = field(default="", compare=False)


def gathered(items: Iterable[CouldNotCheck]) -> tuple[CouldNotCheck, ...]:
    """Tell what is said alike of several objects once, with the number of the others."""
    groups: dict[object, list[CouldNotCheck]] = {}
    for item in items:
        groups.setdefault((item.same,) if item.same else item, []).append(item)
    return tuple(_first_of(group) for group in groups.values())


def _first_of(group: list[CouldNotCheck]) -> CouldNotCheck:
    first, others = group[0], len(group) - 1 if group[0].same else 0
    return CouldNotCheck(f"{first.what} (and {others} more)", first.where, first.hint) if others else first


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one stage says: findings and what it could not check."""

    findings: tuple[Finding, ...] = ()
    could_not_check: tuple[CouldNotCheck, ...] = ()

    def __add__(self, other: Judgement) -> Judgement:
        return Judgement(self.findings + other.findings, self.could_not_check + other.could_not_check)


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that does not count, and who answers for that."""

    finding: Finding
    reason: str
    owner: str
    expires: str


@dataclass(frozen=True, slots=True)
class Subject:
    """One object that was judged, the file its author wrote, and whose it is.

    ``parent`` is the position of the subject that it was made from among those of the report; -1 is none.
    """

    resource: Identity
    place: Place
    role: Role = Role.DOCUMENT
    template: str = ""
    parent: int = -1
    team: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What a check says.

    ``counts`` are how much was looked at (documents, claims, composed resources, rules), ``subjects`` what was,
    ``versions`` what judged it (tool, policy digest, schema digest), ``fail_on`` the least severity that makes
    the exit code 1, ``root`` the project's folder (formats that want relative paths ask for it). ``known`` are findings that the commit
    has already with which this one is compared: they are told apart and do not count. ``plan`` is what a merge would change, where a
    format that shows it was asked for. ``notes`` are what a reader must know beside findings: rules that had nothing to say and why.
    """

    findings: tuple[Finding, ...] = ()
    could_not_check: tuple[CouldNotCheck, ...] = ()
    waived: tuple[Waived, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    subjects: Sequence[Subject] = ()
    fail_on: Severity = Severity.ERROR
    root: str = ""
    known: tuple[Finding, ...] = ()
    plan: Plan | None = None
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings at or over ``fail_on``, 3 something could not be checked (which outranks 1)."""
        if self.could_not_check:
            return 3
        return 1 if any(finding.severity.rank <= self.fail_on.rank for finding in self.findings) else 0
