"""Policies: a loaded rule pack that judges resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path as FilePath

from crossgate.model import Finding, Judgement, Resource, Role, gathered
from crossgate.policy import estate
from crossgate.policy.advice import advise
from crossgate.policy.apart import Apart, Questions, apart, by_author, related
from crossgate.policy.bundle import Bundle, read_bundle
from crossgate.policy.embedded import Embedded, refuse_everywhere
from crossgate.policy.engine import Answer, Engine
from crossgate.policy.estate import Held, Saying, SeenOf, Shared, View
from crossgate.policy.fleeting import fleeting
from crossgate.policy.gathering import linked
from crossgate.policy.isolate import Limits
from crossgate.policy.rules import Rule, find_rules
from crossgate.policy.said import spot_of


@dataclass(frozen=True, eq=False)
class Policies:
    """A rule pack that has been read and compiled.

    ``rules`` are the rules that decide, ``digest`` changes with any policy or data file, ``data_digest`` with the data alone,
    ``advice`` are warnings about the policies themselves. ``fleeting`` says that the same object may be judged otherwise at another time:
    a rule asks for the time, or a server judges.
    """

    rules: tuple[Rule, ...]
    digest: str
    advice: tuple[Finding, ...]
    limits: Limits
    engine: Engine = field(repr=False)
    data_digest: str = ""
    fleeting: bool = False

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
        root: FilePath | None = None,
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
            root: the project's folder, from which files are named; default: the working folder.

        Raises:
            PolicyError: there is no policy or no rule, or one does not compile or could reach out. A pack that
                does not load judges nothing; it never passes.
        """
        bundle = read_bundle(directories, data, root=root)
        rules = find_rules(bundle, namespaces, combine=combine)
        if engine is not None:
            refuse_everywhere(bundle.modules, rego_v0=rego_v0)
            mended, advice = advise(bundle, rego_v0=rego_v0)
            chosen = engine(mended, rules)
            return cls(chosen.rules, bundle.digest, advice, limits or Limits(), chosen, bundle.data_digest, fleeting=True)
        embedded = Embedded.load(bundle, rules, rego_v0=rego_v0)
        mended, advice = advise(bundle, rego_v0=rego_v0)
        if mended.modules != bundle.modules:
            embedded = Embedded.load(mended, rules, rego_v0=rego_v0)
        return cls(embedded.rules, bundle.digest, advice, limits or Limits(), embedded, bundle.data_digest, fleeting(bundle.modules))

    def judge(self, resources: Iterable[Resource]) -> Judgement:
        """Judge resources by all rules: each alone, those that belong together, and all together.

        A finding about the same value of the same author is told once: by the resource that says most about it. Resources of one
        author's object are judged as one unit; see ``apart``, ``related`` and ``views`` for judging units bit by bit.
        """
        units = by_author(resource for resource in resources if isinstance(resource.body, dict))
        namespaces = [unit[0] for unit in units if unit[0].role is Role.DOCUMENT and unit[0].identity.kind == "Namespace"]
        verdicts = self.apart(units, namespaces)
        groups = linked({place: (each.ties.offers, each.ties.follows) for place, each in enumerate(verdicts)})
        replaced = {place for group in groups for place in group}
        spots = {spot for each in verdicts for spot in each.covers}
        findings = list(self.advice)
        for place, each in enumerate(verdicts):
            document = units[place][0].document
            findings += [found for found in each.said if spot_of(found, document.file, document.line) not in spots]
            findings += () if place in replaced else each.related
        together = [self.related([resource for place in group for resource in units[place]], namespaces) for group in groups]
        views = self.views()
        shared: list[list[Shared]] = [[] for _ in views]
        for unit, each in zip(units, verdicts, strict=True):
            for at, number, text in each.shared:
                shared[number].append(Shared(unit[at].document.file, text, partial(unit.__getitem__, at)))

        def seen(view: View) -> Held:
            return Held.of(view, shared[views.index(view)])

        def telling(sayings: Sequence[Saying]) -> Iterable[Finding]:
            return (estate.told_of(about.resource(), result) for about, result in sayings)

        together.append(self.tell(views, self.ask(views, seen), seen, telling))
        missing = [item for each in verdicts for item in each.could_not_check]
        return Judgement(
            (*findings, *(found for part in together for found in part.findings)),
            gathered((*missing, *(item for part in together for item in part.could_not_check))),
        )

    def apart(self, units: Sequence[Sequence[Resource]], namespaces: Sequence[Resource] = ()) -> list[Apart]:
        """Judge units each by itself: see ``crossgate.policy.apart``."""
        return apart(self.engine, self.limits, self._questions, units, namespaces)

    def related(self, resources: Sequence[Resource], namespaces: Sequence[Resource] = ()) -> Judgement:
        """Judge units that hang together by the rules over related objects; ``resources`` are those of all of them."""
        return related(self.engine, self.limits, self._questions, resources, namespaces)

    @cached_property
    def _questions(self) -> Questions:
        return Questions(self.rules)

    def views(self) -> list[View]:
        """Return what the rules over the estate see: see ``crossgate.policy.estate``."""
        return self._questions.views

    def ask(self, views: Sequence[View], seen: SeenOf) -> list[Answer]:
        """Ask the rules over the estate about what they see of everything."""
        return estate.ask(self.engine, self.limits, views, seen)

    def tell(
        self, views: Sequence[View], answers: Sequence[Answer], seen: SeenOf, telling: Callable[[Sequence[Saying]], Iterable[Finding]]
    ) -> Judgement:
        """Say what the rules over the estate have answered: see ``crossgate.policy.estate.tell``."""
        return estate.tell(self.engine, views, answers, seen, telling)
