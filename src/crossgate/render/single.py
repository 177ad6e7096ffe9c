"""Render one claim or XR through the one Composition that it chooses: what ``crossgate render`` and ``crossgate test`` show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crossgate.errors import RenderError
from crossgate.model import Document, Identity, Resource, Role
from crossgate.paths import Path
from crossgate.render import Rendering, render
from crossgate.render.admission import admitted
from crossgate.render.apis import Api
from crossgate.render.claims import composite_for
from crossgate.render.known import Known
from crossgate.render.selection import Selection, select, settled, type_of
from crossgate.schema import Schemas


@dataclass(frozen=True, slots=True, eq=False)
class Single:
    """One input and what became of it.

    ``remarks`` are what a reader should know: the functions' warnings, their hints, and what stands between this rendering
    and the cluster's. ``rendering.warnings`` alone are what the cluster would say.
    """

    document: Document
    composition: Document
    api: Api | None
    rendering: Rendering
    remarks: tuple[str, ...]


def render_single(
    document: Document,
    known: Known,
    schemas: Schemas,
    *,
    composition: Document | None = None,
    observed: Iterable[dict[str, Any]] = (),
    required: Iterable[dict[str, Any]] = (),
    context: Mapping[str, Any] | None = None,
) -> Single:
    """Render the claim or XR of ``document``.

    Args:
        document: a claim or XR as its author wrote it. An XR's status is kept: it may come from a cluster.
        known: APIs and Compositions. An XR needs no XRD when a Composition is for its type; then nothing is defaulted.
        schemas: give the defaults.
        composition: render through this one, whatever the input asks for.
        observed: composed resources that exist already, as the cluster knows them.
        required: more objects that functions may ask the cluster for.
        context: what the pipeline's context holds at the start.

    Raises:
        RenderError: the input is neither claim nor XR, it chooses no Composition or more than one, or its pipeline fails.
    """
    api, xr = _composite(document, known, schemas)
    if composition is not None:
        selection = Selection((composition,), ())
    else:
        selection = select(xr, known.compositions, api)
        _one(document, selection)
    chosen = selection.candidates[0]
    try:
        rendering = render(
            settled(xr, chosen, api) if api else xr,
            chosen.body,
            observed=list(observed),
            required=[*required, *known.required],
            context=context,
            functions=known.functions,
            legacy=api is not None and api.legacy,
        )
    except RenderError as error:
        author = f"{Identity.of(document.body)} ({document.place()})"
        where = f"{chosen.place(error.path)}: {error.where or Identity.of(chosen.body)}, for {author}"
        raise type(error)(error.what, where, error.hint, path=error.path) from error
    unknown = (selection.could_not_check.what,) if selection.could_not_check else ()
    return Single(document, chosen, api, rendering, (*unknown, *rendering.warnings, *rendering.hints))


def descended(single: Single, known: Known, schemas: Schemas) -> list[Resource]:
    """Return everything that ``single`` becomes: its input, the XR, the composed resources, what nested XRs make, wrapped manifests."""
    from crossgate.render.descent import Descent  # noqa: PLC0415 (most callers stay with what is composed directly)

    descent = Descent(known, schemas)
    document = single.document
    top = Resource(document.body, Role.XR, document)
    descent.resources.append(top)
    if known.apis.claimed(document.body):
        top = Resource(single.rendering.xr, Role.XR, document, parent=top)
        descent.resources.append(top)
    descent.composed(single.rendering.resources, top, single.composition)
    return descent.resources


def is_renderable(body: Any, known: Known) -> bool:
    """Say whether ``body`` is a claim or XR of a known API, or an XR that a known Composition is for."""
    if known.apis.claimed(body) or known.apis.composed(body):
        return True
    identity = Identity.of(body)
    return bool(identity.kind) and bool(known.compositions.of_type(identity.api_version, identity.kind))


def _composite(document: Document, known: Known, schemas: Schemas) -> tuple[Api | None, dict[str, Any]]:
    """Return the API and the XR with its defaults."""
    body = document.body
    identity = Identity.of(body)
    api = known.apis.claimed(body) or known.apis.composed(body)
    if api is None and is_renderable(body, known):
        return None, body
    if api is None:
        what = f"{identity} is neither a claim nor an XR: no XRD offers {identity.kind or 'it'} in {identity.group or 'the core group'}"
        raise _error(what, document, ("kind",), known.nearest_kind(body) or "name the file of its XRD with --xrd")
    version = identity.api_version.rpartition("/")[2]
    if version not in api.served:
        what = f"{identity.kind} is not served in version {version!r}"
        raise _error(what, document, ("apiVersion",), f"its XRD serves {', '.join(api.served) or 'no version'}")
    if not identity.name:
        raise _error(f"this {identity.kind} has no name", document, ("metadata",), "add metadata.name")
    if known.apis.claimed(body):
        return api, composite_for(body, api, schemas).body
    return api, admitted(body, api, schemas, status=True)


def _one(document: Document, selection: Selection) -> None:
    if not selection.why:
        return
    hint = f"{selection.hint}; or choose one with --composition FILE" if selection.candidates else selection.hint
    raise _error(f"{Identity.of(document.body)}: {selection.why}", document, selection.at, hint)


def _error(what: str, document: Document, path: Path, hint: str) -> RenderError:
    return RenderError(what, str(document.place(path)), hint)


def only_for(document: Document, compositions: Iterable[Document], known: Known) -> Document | None:
    """Return the one Composition that was named, if it is for the type of ``document``: it is used whatever the input asks for.

    ``None`` leaves the choice to the input: several were named, or the one is for another type.
    """
    named = list(compositions)
    api = known.apis.claimed(document.body) or known.apis.composed(document.body)
    identity = Identity.of(document.body)
    wanted = (api.api_version, api.kind) if api else (identity.api_version, identity.kind)
    return named[0] if len(named) == 1 and type_of(named[0]) == wanted else None
