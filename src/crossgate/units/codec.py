"""Write verdicts as bytes and read them again. What every run needs stands in the head, the many names apart from it."""

from __future__ import annotations

import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

import orjson

from crossgate.cost import Span
from crossgate.cost.totals import Totals
from crossgate.model import Cause, Finding, Identity, Judgement, Place, Severity
from crossgate.policy.engine import Answer
from crossgate.units.cache import Entry
from crossgate.units.costs import Cost
from crossgate.units.sums import Alike, SharedObject, Sum
from crossgate.units.verdict import FileVerdict, Named, Ties, Verdict
from crossgate.waive import Annotated

Read = TypeVar("Read")


def packed(verdict: FileVerdict) -> Entry:
    """Write a verdict that is ``whole``."""
    head = [_findings(verdict.findings), dict(verdict.sources), [_unit(unit) for unit in verdict.units]]
    rest = _json([unit.named for unit in verdict.units]), _json([unit.shared for unit in verdict.units])
    return Entry.of(_json(head), b"\n".join(rest))


def unpacked(name: str, entry: Entry) -> FileVerdict:
    """Read what ``packed`` wrote about the file ``name``, without the names of its objects (``names_of``)."""
    findings, sources, units = _read(entry.head)
    shared = _Later[list[Any]](lambda: _read(entry.rest.splitlines()[1]))
    return FileVerdict(name, _findings_of(findings), (), tuple(_unit_of(unit, at, shared) for at, unit in enumerate(units)), sources)


def names_of(entry: Entry) -> list[list[Named]]:
    """Read the objects of each unit of a file."""
    return [[tuple(each) for each in named] for named in _read(entry.rest.splitlines()[0])]


def packed_sum(sums: Sum) -> Entry:
    """Write a sum."""
    body = [
        [sums.files, sums.units, sums.claims, sums.composed, sums.doubtful],
        sums.loud,
        [_numbers(each) for each in (sums.identities, sums.wants, sums.joins, sums.offers, sums.often)],
        sums.remotes,
        [sums.marks, [_alike(each) for each in sums.alike], sums.seen],
        [sums.tied, sums.paid],
    ]
    return Entry.of(_json(body), b"\n".join([_json([[team, _costs(listed)] for team, listed in sums.costs]), *map(_shared, sums.shared)]))


def unpacked_sum(entry: Entry) -> Sum:
    """Read what ``packed_sum`` wrote."""
    (files, units, claims, composed, doubtful), loud, ties, remotes, (marks, alike, seen), (tied, paid) = _read(entry.head)
    identities, wants, joins, offers, often = map(_numbers_of, ties)
    return Sum(
        files,
        units,
        claims,
        composed,
        tuple(loud),
        identities,
        doubtful,
        wants,
        joins,
        offers,
        often,
        tuple(remotes),
        tuple(marks),
        tuple(map(_alike_of, alike)),
        tuple(seen),
        _Later(lambda: [_Later(partial(_shared_of, line)) for line in entry.rest.splitlines()[1:]]),
        _Later(lambda: [(team, _Later(partial(_costs_of, listed))) for team, listed in _read(entry.rest.splitlines()[0])]),
        tied,
        paid,
    )


@dataclass(frozen=True, slots=True)
class _Later(Sequence[Read]):
    """What is read when it is asked for."""

    read: Callable[[], Iterable[Read]]
    _found: list[Read] = field(default_factory=list)
    _done: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # an overload for slices would say no more
        return self._all()[index]

    def __iter__(self) -> Iterator[Read]:
        return iter(self._all())

    def _all(self) -> list[Read]:
        if not self._done:
            self._found.extend(self.read())
            self._done.append(True)
        return self._found


def _alike(texts: Mapping[str, Alike]) -> list[list[Any]]:
    return [[text, each.number, each.first.file, each.first.number, each.first.at] for text, each in texts.items()]


def _alike_of(given: Iterable[Sequence[Any]]) -> dict[str, Alike]:
    return {text: Alike(many, SharedObject(file, number, at, text)) for text, many, file, number, at in given}


def _shared(seen: Iterable[SharedObject]) -> bytes:
    return _json([[each.file, each.number, each.at, each.text] for each in seen])


def _shared_of(line: bytes) -> list[SharedObject]:
    return [SharedObject(*each) for each in _read(line)]


def packed_costs(costs: Iterable[Cost]) -> Entry:
    """Write what units cost."""
    return Entry(_json(_costs(costs)))


def unpacked_costs(entry: Entry) -> list[Cost]:
    """Read what ``packed_costs`` wrote."""
    return _costs_of(_read(entry.head))


def packed_told(told: Iterable[Judgement]) -> Entry:
    """Write findings, of which nothing could not be checked."""
    return Entry(_json([_findings(each.findings) for each in told]))


def unpacked_told(entry: Entry) -> list[Judgement]:
    """Read what ``packed_told`` wrote."""
    return [Judgement(_findings_of(findings)) for findings in _read(entry.head)]


def packed_answer(answer: Answer) -> Entry:
    """Write what rules have answered, without troubles."""
    return Entry(_exactly([answer.values, answer.exempted]))


def unpacked_answer(entry: Entry) -> Answer:
    """Read what ``packed_answer`` wrote."""
    values, exempted = json.loads(entry.head)
    return Answer(tuple((index, value) for index, value in values), tuple((tuple(package), name) for package, name in exempted))


def _json(value: Any) -> bytes:
    """Write a value without numbers that are not whole or of more than 64 bits."""
    try:
        return orjson.dumps(value)
    except TypeError:  # a file name that is not UTF-8
        return _exactly(value)


def _read(text: bytes) -> Any:
    """Read what ``_json`` wrote."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


def _exactly(value: Any) -> bytes:
    """Write any value that ``json`` reads again as it was."""
    return json.dumps(value, separators=(",", ":")).encode()


def _unit(unit: Verdict) -> list[Any]:
    ties = unit.ties
    return [
        _identity(unit.identity),
        unit.line,
        _findings(unit.findings),
        _findings(unit.said),
        _findings(unit.related),
        unit.covers,
        unit.claims,
        unit.composed,
        [
            [_identity(each.identity), sorted(each.ids), [[id_, *_findings([finding])] for id_, finding in each.dangling]]
            for each in unit.annotated
        ],
        [_numbers(ties.identities), ties.clashing, _numbers(sorted(ties.offers)), _numbers(sorted(ties.follows)), ties.remotes],
        unit.team,
        _totals(unit.cost),
    ]


def _unit_of(given: Sequence[Any], at: int, shared: Sequence[Sequence[Any]]) -> Verdict:
    identity, line, findings, said, related, covers, claims, composed, pointing, ties, team, cost = given
    return Verdict(
        Identity(*identity),
        line,
        _findings_of(findings),
        _findings_of(said),
        _findings_of(related),
        tuple(map(tuple, covers)),
        (),
        claims,
        composed,
        _Later(lambda: map(tuple, shared[at])),
        tuple(
            Annotated(Identity(*about), frozenset(ids), tuple((id_, _finding_of(finding)) for id_, finding in dangling))
            for about, ids, dangling in pointing
        ),
        Ties(
            tuple(_numbers_of(ties[0])),
            ties[1],
            frozenset(_numbers_of(ties[2])),
            frozenset(_numbers_of(ties[3])),
            tuple(ties[4]),
        ),
        _totals_of(cost),
        team,
    )


def _totals(totals: Totals | None) -> list[Any] | None:
    if totals is None:
        return None
    gpus = {kind: _span(span) for kind, span in totals.gpus.items()}
    return [_span(totals.amount), totals.priced, gpus, _span(totals.nodes), _span(totals.storage_gib), totals.unpriced]


def _totals_of(given: Sequence[Any] | None) -> Totals | None:
    if given is None:
        return None
    amount, priced, gpus, nodes, storage, unpriced = given
    types = {kind: _span_of(span) for kind, span in gpus.items()}
    return Totals(_span_of(amount), priced, types, _span_of(nodes), _span_of(storage), tuple(unpriced))


def _span(span: Span) -> list[str]:
    return [str(span.usual), str(span.most)]


def _span_of(given: Iterable[str]) -> Span:
    return Span(*map(Decimal, given))


def _costs(costs: Iterable[Cost]) -> list[list[Any]]:
    return [[each.file, each.number, _identity(each.identity), each.team, _totals(each.totals)] for each in costs]


def _costs_of(given: Iterable[Sequence[Any]]) -> list[Cost]:
    return [
        Cost(file, number, Identity(*about), team, totals)
        for file, number, about, team, cost in given
        if (totals := _totals_of(cost)) is not None
    ]


def _numbers(values: Iterable[int]) -> str:
    return b64encode(array("Q", values).tobytes()).decode()


def _numbers_of(text: str) -> array[int]:
    found = array("Q")
    found.frombytes(b64decode(text))
    return found


def _identity(identity: Identity) -> list[str]:
    return [identity.api_version, identity.kind, identity.namespace, identity.name]


def _place(place: Place) -> list[Any]:
    return [place.file, place.line, place.column]


def _findings(findings: Sequence[Finding]) -> list[list[Any]]:
    return [
        [
            finding.rule,
            finding.reason,
            finding.severity,
            finding.message,
            _place(finding.place),
            _identity(finding.resource),
            finding.path,
            finding.origin,
            [[cause.role, _place(cause.place), cause.path, cause.label] for cause in finding.causes],
            finding.remediation,
            finding.link,
            finding.fingerprint,
        ]
        for finding in findings
    ]


def _findings_of(given: Sequence[Sequence[Any]]) -> tuple[Finding, ...]:
    return tuple(map(_finding_of, given))


def _finding_of(given: Sequence[Any]) -> Finding:
    rule, reason, severity, message, place, resource, path, origin, causes, remediation, link, fingerprint = given
    return Finding(
        rule,
        reason,
        Severity(severity),
        message,
        Place(*place),
        Identity(*resource),
        path,
        tuple(origin),
        tuple(Cause(role, Place(*there), field, label) for role, there, field, label in causes),
        remediation,
        link,
        fingerprint,
    )
