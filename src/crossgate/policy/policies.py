"""Policies: a loaded rule pack that judges resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from crossgate.model import CouldNotCheck, Document, Finding, Identity, Judgement, Place, Resource, Role, Severity
from crossgate.paths import Path, format_path
from crossgate.policy.advice import advise
from crossgate.policy.asked import Asked, json_text
from crossgate.policy.bundle import Bundle, read_bundle
from crossgate.policy.embedded import Embedded, refuse_everywhere
from crossgate.policy.engine import Engine, Question
from crossgate.policy.gathering import Gathered, combined, gather, rendered
from crossgate.policy.isolate import Limits
from crossgate.policy.judge import Verdict, run
from crossgate.policy.results import Result
from crossgate.policy.rules import Rule, Scope, find_rules
from crossgate.trace import finding


@dataclass(frozen=True, slots=True)
class _Said:
    """One result about one resource."""

    resource: Resource
    path: Path
    result: Result


@dataclass(frozen=True, slots=True, eq=False)
class Policies:
    """A rule pack that has been read and compiled.

    ``rules`` are the rules that decide, ``digest`` changes with any policy or data file, ``data_digest`` with the data alone,
    ``advice`` are warnings about the policies themselves.
    """

    rules: tuple[Rule, ...]
    digest: str
    advice: tuple[Finding, ...]
    limits: Limits
    engine: Engine = field(repr=False)
    data_digest: str = ""

    @classmethod
    def load(
        cls,
        directories: Iterable[FilePath | str],
        *,
        data: Iterable[FilePath | str] = (),
        namespaces: Iterable[str] = (),
        combine: bool = False,
        rego_v0: bool = False,
        limits: Limits | None = None,
        engine: Callable[[Bundle, tuple[Rule, ...]], Engine] | None = None,
    ) -> Policies:
        """Read and compile policy folders.

        Args:
            directories: folders of ``.rego`` files (and bundle data), or single files.
            data: further data files or folders, as conftest's ``--data``.
            namespaces: packages that may decide; default: all, as conftest's ``--all-namespaces``.
            combine: every rule sees all documents in one array of ``{"path", "contents"}``.
            rego_v0: read Rego as version 0.
            limits: time and memory that the rules may use for one document.
            engine: makes another engine than the embedded one, from the bundle and its rules. It may take more of Rego; what
                reaches out is refused whoever evaluates.

        Raises:
            PolicyError: there is no policy or no rule, or one does not compile or could reach out. A pack that
                does not load judges nothing; it never passes.
        """
        bundle = read_bundle(directories, data)
        rules = find_rules(bundle, namespaces, combine=combine)
        if engine is not None:
            refuse_everywhere(bundle.modules, rego_v0=rego_v0)
            mended, advice = advise(bundle, rego_v0=rego_v0)
            chosen = engine(mended, rules)
            return cls(chosen.rules, bundle.digest, advice, limits or Limits(), chosen, bundle.data_digest)
        embedded = Embedded.load(bundle, rules, rego_v0=rego_v0)
        mended, advice = advise(bundle, rego_v0=rego_v0)
        if mended.modules != bundle.modules:
            embedded = Embedded.load(mended, rules, rego_v0=rego_v0)
        return cls(embedded.rules, bundle.digest, advice, limits or Limits(), embedded, bundle.data_digest)

    def judge(self, resources: Iterable[Resource]) -> Judgement:
        """Judge resources by all rules: each alone, those that belong together, and all together.

        A finding about the same value of the same author is told once: by the resource that says most about it.
        """
        judged = [resource for resource in resources if isinstance(resource.body, dict)]
        texts, unwritten = _texts(judged)
        alone, troubles = self._judge_each(judged, texts)
        together, more_troubles = self._judge_together(judged, texts)
        return Judgement((*self.advice, *alone, *together), (*unwritten, *troubles, *more_troubles))

    def _judge_each(self, judged: Sequence[Resource], texts: Sequence[str]) -> tuple[list[Finding], tuple[CouldNotCheck, ...]]:
        asked = Asked(self.rules)
        questions: list[Question] = []
        places: list[int] = []
        for place, (resource, text) in enumerate(zip(judged, texts, strict=True)):
            if text and (rules := asked.about(resource.body, text)):
                questions.append(Question(text, rules))
                places.append(place)
        verdicts, troubles = run(self.engine, questions, lambda index: _label(judged[places[index]]), self.limits)
        said: list[_Said] = []
        findings: list[Finding] = []
        for verdict in verdicts:
            resource = judged[places[verdict.index]]
            for result in verdict.results:
                if result.rule.written and rendered(resource):
                    continue
                if _exempt(verdict, result):
                    findings.append(self._finding(_Said(resource, result.path, result), exempted=True))
                else:
                    said.append(_Said(resource, result.path, result))
        return findings + [self._finding(one) for one in _once(said)], troubles

    def _judge_together(self, judged: Sequence[Resource], texts: Sequence[str]) -> tuple[list[Finding], tuple[CouldNotCheck, ...]]:
        gathered = [
            group for group in gather(self.rules, judged) if group.places or any(self.rules[rule].kinds is None for rule in group.rules)
        ]
        handed = [[place for place in group.places if texts[place]] for group in gathered]
        questions = [
            Question(combined([judged[place].document.file for place in places], [texts[place] for place in places]), group.rules)
            for group, places in zip(gathered, handed, strict=True)
        ]
        verdicts, troubles = run(self.engine, questions, lambda index: _label_of(gathered[index], self.rules, judged), self.limits)
        findings = []
        for verdict in verdicts:
            places = handed[verdict.index]
            for result in verdict.results:
                at = result.path[0] if result.path else None
                if not isinstance(at, int) or not 0 <= at < len(places):
                    findings.append(_finding_in_policy(result))
                elif places[at] not in gathered[verdict.index].beside:
                    findings.append(self._finding(_Said(judged[places[at]], result.path[2:], result)))
        return findings, troubles

    @staticmethod
    def _finding(said: _Said, *, exempted: bool = False) -> Finding:
        result = said.result
        return finding(
            said.resource,
            said.path,
            rule=result.rule.id,
            reason="EXCEPTED" if exempted else result.reason,
            severity=Severity.INFO if exempted else result.severity,
            message=f"the policy's own exception lets this pass: {result.message}" if exempted else result.message,
            remediation=result.remediation,
            link=result.rule.link,
        )


def _label(resource: Resource) -> str:
    place = str(resource.document.place())
    return f"{place} ({resource.identity})" if place else str(resource.identity)


def _label_of(group: Gathered, rules: Sequence[Rule], judged: Sequence[Resource]) -> str:
    if rules[group.rules[0]].scope is Scope.ESTATE:
        return "the estate"
    return f"what belongs to {_label(judged[group.places[0]])}"


def _texts(judged: Sequence[Resource]) -> tuple[list[str], tuple[CouldNotCheck, ...]]:
    """Return what each resource is as JSON: "" where it is none, which is "could not check"."""
    texts: list[str] = []
    troubles = []
    for resource in judged:
        try:
            texts.append(json_text(resource.body))
        except (TypeError, ValueError, RecursionError) as error:
            texts.append("")
            what = f"the document cannot be handed to the rules: {type(error).__name__}: {error}"
            troubles.append(CouldNotCheck(what, _label(resource), "no rule has judged it"))
    return texts, tuple(troubles)


def _exempt(verdict: Verdict, result: Result) -> bool:
    """Say whether the package's ``exception`` names this rule, by what follows ``deny_`` or ``violation_`` as in conftest."""
    name = result.rule.name
    suffix = name.partition("_")[2]
    return not name.startswith("warn") and (result.rule.package, suffix) in verdict.exempted


def _once(said: Sequence[_Said]) -> list[_Said]:
    """Leave out what another resource says better about the same place.

    A wrapped manifest speaks for the field of its Object, a composed resource for the template of its Composition
    where no patch wrote the field, and a claim for its XR.
    """
    covered = set()
    for one in said:
        resource, path = one.resource, one.path
        if resource.role is Role.WRAPPED and resource.parent is not None:
            resource, path = resource.parent, resource.inside + path
            covered.add(_key(one, resource, path))
        if resource.role is Role.CLAIM:
            covered.add((one.result.rule.id, one.result.reason, "claim", id(resource), path))
        if resource.composition is not None and not any(path[: len(flow.target)] == flow.target for flow in resource.flows):
            covered.add((one.result.rule.id, one.result.reason, "document", id(resource.composition), resource.base + path))
    kept = []
    for one in said:
        resource = one.resource
        claim = resource.parent if resource.role is Role.XR else None
        if claim is not None and (one.result.rule.id, one.result.reason, "claim", id(claim), one.path) in covered:
            continue
        if _key(one, resource, one.path) not in covered:
            kept.append(one)
    return kept


def _key(one: _Said, resource: Resource, path: Path) -> tuple[Any, ...]:
    at: Resource | Document = resource.document if resource.role is Role.DOCUMENT else resource
    return one.result.rule.id, one.result.reason, "document" if at is resource.document else "resource", id(at), path


def _finding_in_policy(result: Result) -> Finding:
    """Make a finding of a rule over the estate that names no document: its place is the rule's."""
    rule = result.rule
    return Finding(
        rule=rule.id,
        reason=result.reason,
        severity=result.severity,
        message=result.message,
        place=Place(rule.file, rule.line),
        resource=Identity("", "", "", ""),
        path=format_path(result.path),
        remediation=result.remediation,
        link=rule.link,
        fingerprint=f"{rule.id}:{result.reason}:{result.message}",
    )
