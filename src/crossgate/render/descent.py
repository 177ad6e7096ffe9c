"""From an object down to everything that it makes: claim → XR → composed resources → nested XRs → wrapped manifests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from crossgate.errors import RenderError, TooLargeError, UnknownFunctionError
from crossgate.model import CLAIM, COMPOSED, DOCUMENT, XR, Cause, CouldNotCheck, Document, Finding, Flow, Identity, Resource, Severity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.render import Compiled, ComposedResource, compile_composition
from crossgate.render.admission import admitted
from crossgate.render.apis import Api
from crossgate.render.claims import composite_for
from crossgate.render.faults import Fault
from crossgate.render.fieldpath import parse
from crossgate.render.known import Known
from crossgate.render.selection import Selection, select, settled
from crossgate.render.waiting import patient
from crossgate.render.wrapped import is_object, opened
from crossgate.schema import Schemas
from crossgate.trace import finding

PAUSED = "crossplane.io/paused"

FROM_XR = "FromCompositeFieldPath"

_MADE_BY_XRD = frozenset(("compositionUpdatePolicy", "compositionRevisionSelector", "crossplane"))
"""Fields of a spec that only Crossplane's own conversion of an XRD gives to a kind."""

_CHOICE_FIELDS = ("compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector")
"""Fields by which a claim is known even when nobody offers its kind."""


class Descent:
    """Renders objects down; what it meets and says gathers in ``resources``, ``findings`` and ``could_not_check`` until it is ``taken``.

    Args:
        known: APIs, Compositions and required resources.
        schemas: give the defaults of claims and XRs.
    """

    def __init__(self, known: Known, schemas: Schemas) -> None:
        self.resources: list[Resource] = []
        self.findings: list[Finding] = []
        self.could_not_check: list[CouldNotCheck] = []
        self._known = known
        self._compiled: dict[int, Compiled] = {}
        self._apis = known.apis
        self._schemas = schemas
        self._ordinary: set[tuple[str, str]] = set()

    def taken(self) -> tuple[tuple[Resource, ...], tuple[Finding, ...], tuple[CouldNotCheck, ...]]:
        """Return what has gathered so far, and keep nothing of it: of a large estate it would be much."""
        taken = tuple(self.resources), tuple(self.findings), tuple(self.could_not_check)
        self.resources, self.findings, self.could_not_check = [], [], []
        return taken

    def author(self, document: Document) -> None:
        """Take in an object as its author wrote it, and everything that it makes."""
        self.down(self.written(document))

    def written(self, document: Document) -> Resource:
        """Return an object as its author wrote it, with the defaults of its API."""
        body = document.body
        if api := self._apis.claimed(body):
            return Resource(self._schemas.defaulted(body), CLAIM, document, definition=api.document)
        if api := self._apis.composed(body):
            return Resource(self._schemas.defaulted(body), XR, document, definition=api.document)
        return Resource(body, DOCUMENT, document)

    def down(self, resource: Resource) -> None:
        """Take in one object, and everything that it makes."""
        self.resources.append(resource)
        if (resource.identity.api_version, resource.identity.kind) in self._ordinary:
            return
        for inner in opened(resource):
            self.down(inner)
        body = resource.body
        if api := self._apis.claimed(body):
            if self._can_be_made(resource, api, namespaced=True):
                made = composite_for(body, api, self._schemas)
                self._compose(self._composite(resource, made.body, made.flows, api), made.body, api)
        elif api := self._apis.composed(body):
            if self._can_be_made(resource, api, namespaced=api.namespaced):
                read = admitted(body, api, self._schemas)
                nested = resource.role is not XR
                self._compose(self._composite(resource, read, _same_fields(body), api) if nested else resource, read, api)
        else:
            self._offered_by_none(resource)

    def _composite(self, parent: Resource, body: dict[str, Any], flows: tuple[Flow, ...], api: Api) -> Resource:
        xr = Resource(body, XR, parent.document, parent=parent, flows=flows, definition=api.document)
        self.resources.append(xr)
        return xr

    def _can_be_made(self, resource: Resource, api: Api, *, namespaced: bool) -> bool:
        """Say whether the API server would take the claim or XR at all, as far as its name and version go."""
        identity = resource.identity
        version = identity.api_version.rpartition("/")[2]
        if version not in api.served:
            self._fault(
                resource,
                ("apiVersion",),
                "unknown-api",
                f"{identity.kind} is not served in version {version!r}",
                f"the XRD serves {', '.join(api.served) or 'no version'}",
            )
            return False
        if not identity.name:
            self._fault(resource, ("metadata", "name"), "no-name", f"this {identity.kind} has no name", "add metadata.name")
            return False
        if namespaced and not identity.namespace and resource.parent is None:
            self._fault(
                resource,
                ("metadata",),
                "no-namespace",
                f"this {identity.kind} has no namespace: where it lands depends on who applies it; it was rendered for 'default'",
                "add metadata.namespace",
                Severity.WARNING,
            )
        return True

    def _offered_by_none(self, resource: Resource) -> None:
        """Say so when no XRD offers a kind and one should; a kind that stands in the schemas and makes nothing needs none."""
        identity = resource.identity
        known = self._schemas.find(identity.api_version, identity.kind)
        if known is None or not known.served:
            self._unknown_api(resource)
            return
        fields = follow(known.schema, ("properties", "spec", "properties"))
        if isinstance(fields, Mapping) and any(field in fields for field in _MADE_BY_XRD):
            self._no_definition(resource)
        elif not is_object(identity):
            self._ordinary.add((identity.api_version, identity.kind))

    def _unknown_api(self, resource: Resource) -> None:
        """Say so when a kind without a schema looks as if an XRD should offer it."""
        identity = resource.identity
        spec = resource.body.get("spec")
        looks_claimed = isinstance(spec, dict) and any(field in spec for field in _CHOICE_FIELDS)
        if identity.group not in self._apis.groups and not looks_claimed:
            return
        self._fault(
            resource,
            ("kind",),
            "unknown-api",
            f"no XRD offers {identity.kind} in {identity.group or 'the core group'}",
            self._known.nearest_kind(resource.body) or "add the XRD that offers it to the checked files or to dist/",
        )

    def _no_definition(self, resource: Resource) -> None:
        """Say that a claim or XR was not rendered: its schema is known, but not the XRD that would say what it becomes."""
        self._fault(
            resource,
            ("kind",),
            "not-rendered",
            f"{resource.identity.kind} is a claim or composite resource, and no XRD with a referenceable version offers it: not rendered",
            "name the files of its XRD and Compositions too, or let `dist` in crossgate.toml name their folder",
            Severity.WARNING,
        )

    def _compose(self, xr: Resource, body: dict[str, Any], api: Api) -> None:
        about = xr.parent or xr
        selection = select(body, self._known.compositions, api)
        self._judge_selection(about, selection)
        for composition in selection.candidates:
            if any(link.composition is composition for link in _chain(xr)):
                self._fault(
                    about,
                    (),
                    "composition-cycle",
                    f"{body.get('kind')} is composed by itself: Composition {_name(composition)!r} leads back to itself, without an end",
                    "break the ring of Compositions",
                )
                continue
            self._render(xr, settled(_unpaused(body), composition, api), api, composition)

    def _judge_selection(self, about: Resource, selection: Selection) -> None:
        if selection.could_not_check:
            unknown = selection.could_not_check
            self.could_not_check.append(CouldNotCheck(unknown.what, str(about.document.place(selection.at)), unknown.hint))
        if selection.why:
            rule = "ambiguous-composition" if selection.candidates else "no-composition"
            self._fault(about, selection.at, rule, selection.why, selection.hint)

    def _render(self, xr: Resource, body: dict[str, Any], api: Api, composition: Document) -> None:
        try:
            if id(composition) not in self._compiled:
                self._compiled[id(composition)] = compile_composition(patient(composition).body, self._known.functions)
            compiled = self._compiled[id(composition)]
            self.composed(compiled.render(body, required=self._known.required, legacy=api.legacy).resources, xr, composition)
        except (TooLargeError, UnknownFunctionError) as error:
            self.could_not_check.append(CouldNotCheck(error.what, str(composition.place(error.path)), error.hint))
        except RenderError as error:
            self._failed(xr, composition, error)

    def _failed(self, xr: Resource, composition: Document, error: RenderError) -> None:
        """Say that a pipeline fails: at the claim's field that the failing patch reads, or else at that patch or template."""
        source = _read_by(composition, error.path)
        written = source and follow(xr.document.body, source) is not MISSING
        found = finding(
            xr.parent or xr,
            source if written else (),
            rule="render/failed",
            reason="RENDER_FAILED",
            severity=Severity.ERROR,
            message=error.what,
            remediation=error.hint,
        )
        place = composition.place(error.path)
        cause = Cause("template", place, format_path(error.path), f"Composition {_name(composition)}")
        self.findings.append(replace(found, place=found.place if written else place, causes=(*found.causes, cause)))

    def composed(self, resources: Iterable[ComposedResource], xr: Resource, composition: Document) -> None:
        """Take in what rendering ``xr`` through ``composition`` made, and everything that this makes."""
        for made in resources:
            self.down(
                Resource(
                    body=made.body,
                    role=COMPOSED,
                    document=xr.document,
                    parent=xr,
                    composition=composition,
                    step=made.step,
                    template=made.template,
                    base=made.base,
                    flows=made.flows,
                )
            )

    def _fault(
        self,
        resource: Resource,
        path: Path,
        name: str,
        message: str,
        remediation: str,
        severity: Severity = Severity.ERROR,
    ) -> None:
        self.findings.append(
            finding(
                resource,
                path,
                rule=f"crossplane/{name}",
                reason=name.replace("-", "_").upper(),
                severity=severity,
                message=message,
                remediation=remediation,
            )
        )


def _unpaused(body: dict[str, Any]) -> dict[str, Any]:
    """Return an XR without the annotation that makes Crossplane pass it by: it is judged before somebody takes that away."""
    annotations = follow(body, ("metadata", "annotations"))
    if not isinstance(annotations, dict) or PAUSED not in annotations:
        return body
    kept = {key: value for key, value in annotations.items() if key != PAUSED}
    return {**body, "metadata": {**body["metadata"], "annotations": kept}}


def _same_fields(body: Mapping[str, Any]) -> tuple[Flow, ...]:
    """Return the flows from a composed resource to the XR that it is, a flow for each field of its spec."""
    spec = body.get("spec")
    paths: list[Path] = [("metadata",), *(("spec", field) for field in (spec if isinstance(spec, dict) else ()))]
    return tuple(Flow(path, path) for path in paths)


def _read_by(composition: Document, at: Path) -> Path:
    """Return the XR's field that the patch around ``at`` reads; empty when no patch is there, or it reads no single field of the XR."""
    for end in range(len(at), 1, -1):
        patch = follow(composition.body, at[:end])
        if isinstance(patch, dict) and isinstance(patch.get("fromFieldPath"), str) and patch.get("type", FROM_XR) == FROM_XR:
            try:
                return parse(patch["fromFieldPath"])
            except Fault:
                return ()
    return ()


def _chain(resource: Resource) -> Iterator[Resource]:
    link: Resource | None = resource
    while link is not None:
        yield link
        link = link.parent


def _name(document: Document) -> str:
    return Identity.of(document.body).name
