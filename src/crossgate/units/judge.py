"""Judge units: render one author's object, and say everything about it and what it makes that does not depend on other authors' objects."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from crossgate.cost.estimate import estimate
from crossgate.cost.prices import Prices
from crossgate.cost.totals import Totals
from crossgate.errors import CrossgateError
from crossgate.load import Inventory
from crossgate.model import CLAIM, COMPOSED, DOCUMENT, CouldNotCheck, Document, Finding, Identity, Judgement, Resource
from crossgate.policy import Policies
from crossgate.policy.apart import Apart
from crossgate.render.apis import is_extension
from crossgate.render.clashes import clashes, remote_clusters, written_as
from crossgate.render.descent import Descent
from crossgate.render.estate import Made, expand_by
from crossgate.render.known import Known
from crossgate.render.wrapped import with_value_trees
from crossgate.schema import Schemas
from crossgate.schema.judge import judge as judge_by_schemas
from crossgate.teams import team_of
from crossgate.units.hiding import Hiding
from crossgate.units.verdict import FileVerdict, Named, Ties, Verdict
from crossgate.waive import annotated

T = TypeVar("T")

_EMPTY = hashlib.blake2b(digest_size=8)


@dataclass(frozen=True)
class By:
    """What units are judged by. ``namespaces`` are those of the estate that stand in a file as they are: rules look at their labels."""

    known: Known
    schemas: Schemas | None
    policies: Policies | None
    prices: Prices | None = None
    namespaces: tuple[Resource, ...] = ()

    def made(self, documents: Iterable[Document]) -> list[Made]:
        """Render objects."""
        return list(expand_by(self._descent, documents))

    def written(self, document: Document) -> Resource:
        """Return an object as its author wrote it: the first of what ``made`` makes of it."""
        return self._descent.written(with_value_trees(document))

    @cached_property
    def _descent(self) -> Descent:
        return Descent(self.known, self.schemas or Schemas.load(()))


def judge_files(inventories: Sequence[tuple[str, Inventory]], by: By) -> list[FileVerdict]:
    """Judge every object of some files."""
    rendered = [(name, inventory, _rendered(inventory, by)) for name, inventory in inventories]
    units = [made for _, _, each in rendered for made in each]
    apart = iter(_by_policies(units, by))
    return [
        FileVerdict(
            name,
            inventory.judgement.findings,
            inventory.judgement.could_not_check,
            tuple(_verdict(made, next(apart), by) for made in each),
        )
        for name, inventory, each in rendered
    ]


def stage(name: str, run: Callable[[], T]) -> tuple[T | None, tuple[CouldNotCheck, ...]]:
    """Run a stage; an error that stops it is "could not check", and the other stages still run."""
    try:
        return run(), ()
    except CrossgateError as error:
        return None, (CouldNotCheck(error.what, error.where or name, error.hint),)
    except Exception as error:
        what = f"{name} failed by a fault of crossgate itself: {type(error).__name__}: {error}"
        return None, (CouldNotCheck(what, name, "check files one by one to find the manifest, and report it"),)


def _rendered(inventory: Inventory, by: By) -> list[Made]:
    documents = [document for document in inventory.documents if isinstance(document.body, dict)]
    made, missing = stage("rendering", lambda: by.made(documents))
    if made is not None:
        return made
    # one by one, so that only what is at fault goes without a rendering
    found = []
    for document in documents:
        one, missing = stage(f"rendering {document.file}:{document.line}", lambda document=document: by.made([document]))  # type: ignore[misc] # bound early
        found += one or [Made(document, (Resource(document.body, DOCUMENT, document),), (), missing)]
    return found


def _by_policies(units: Sequence[Made], by: By) -> list[Apart]:
    if (policies := by.policies) is None or not units:
        return [Apart() for _ in units]
    told, missing = stage("judging by policies", lambda: policies.apart([unit.resources for unit in units], by.namespaces))
    return told if told is not None else [Apart(could_not_check=missing) for _ in units]


def _verdict(made: Made, apart: Apart, by: By) -> Verdict:
    resources = made.resources
    findings: list[Finding] = [*made.findings]
    could_not_check = [*made.could_not_check]
    if (schemas := by.schemas) is not None:
        for name, run in (
            ("validation", lambda: judge_by_schemas(schemas, resources)),
            ("the check of Compositions", lambda: _composition(made.document, schemas, by)),
        ):
            told, missing = stage(name, run)
            findings += told.findings if told else ()
            could_not_check += told.could_not_check if told else missing
    prices, hiding = by.prices, Hiding(resources)
    return Verdict(
        identity=Identity.of(made.document.body),
        line=made.document.line,
        findings=hiding.findings(findings),
        said=hiding.findings(apart.said),
        related=hiding.findings(apart.related),
        covers=apart.covers,
        could_not_check=hiding.missing((*could_not_check, *apart.could_not_check)),
        claims=sum(resource.role is CLAIM for resource in resources),
        composed=sum(resource.role is COMPOSED for resource in resources),
        shared=apart.shared,
        annotated=annotated(resources),
        ties=_ties(resources, apart),
        cost=Totals.of(estimate(resources, prices)) if prices is not None else None,
        team=team_of(made.document.body),
        named=tuple(_named(resources)),
    )


def _named(resources: Sequence[Resource]) -> Iterable[Named]:
    position = {id(resource): index for index, resource in enumerate(resources)}
    for resource in resources:
        about = resource.identity
        parent = position.get(id(resource.parent), -1)
        own = (about.api_version, about.kind, about.namespace, about.name)
        yield (*own, resource.document.line, resource.role.value, resource.template, parent)


def _composition(document: Document, schemas: Schemas, by: By) -> Judgement:
    if not is_extension(document.body, "Composition"):
        return Judgement()
    from crossgate.static import check_composition  # noqa: PLC0415 - a claim alone, the usual case, does not need it

    return check_composition(document, schemas, by.known.functions)


def _ties(resources: Sequence[Resource], apart: Apart) -> Ties:
    written = [name for resource in resources if (name := written_as(resource)) is not None]
    names = set(written)
    return Ties(
        identities=tuple({_hash("\0".join(name)) for name in names}),
        clashing=len(names) < len(written) and any(True for _ in clashes(resources, frozenset())),
        offers=frozenset(map(_hash, apart.ties.offers)),
        follows=frozenset(map(_hash, apart.ties.follows)),
        remotes=tuple(sorted(remote_clusters(resources))),
    )


def _hash(text: str) -> int:
    hasher = _EMPTY.copy()  # faster than a new one
    hasher.update(text.encode("utf-8", errors="surrogatepass"))
    return int.from_bytes(hasher.digest())
