"""``crossgate render``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from crossgate.config import Config
from crossgate.errors import LoadError, UsageError
from crossgate.load import Inventory, inventory_of, load_paths, load_text, sourcemap
from crossgate.load.additions import whole
from crossgate.load.platform import KINDS, platform_inventory
from crossgate.model import Document, Identity
from crossgate.render.apis import is_extension
from crossgate.render.known import Known
from crossgate.render.single import Single, descended, only_for, render_single
from crossgate.schema import Schemas

_STDIN = "-"
_FILES = click.Path(path_type=Path)


@click.command("render")
@click.argument("files", nargs=-1, required=True, type=_FILES, metavar="FILE...")
@click.option("--composition", "compositions", multiple=True, type=_FILES, help="A file with the Composition to use, or several.")
@click.option("--xrd", "xrds", multiple=True, type=_FILES, help="A file with the XRD of the API.")
@click.option("--observed", multiple=True, type=_FILES, help="A file with composed resources as they are on the cluster.")
@click.option("--required", multiple=True, type=_FILES, help="A file with objects that functions may ask for.")
@click.option("--context", "contexts", multiple=True, metavar="KEY=FILE", help="A value of the pipeline's context at its start.")
@click.option("-o", "--output", "form", type=click.Choice(["yaml", "json", "tree"]), default="yaml", show_default=True)
@click.option("--tree", is_flag=True, help="The same as -o tree.")
def command(
    files: tuple[Path, ...],
    compositions: tuple[Path, ...],
    xrds: tuple[Path, ...],
    observed: tuple[Path, ...],
    required: tuple[Path, ...],
    contexts: tuple[str, ...],
    form: str,
    tree: bool,
) -> None:
    """Show what claims and XRs become, without Docker, cluster or network.

    FILE holds claims or XRs ("-" is standard input). Their XRDs and Compositions are found in the named files first, then in the
    project's dist/.

    \b
    Examples:
      crossgate render my-claim.yaml --tree
      crossgate render xr.yaml --composition composition.yaml --xrd xrd.yaml
      crossgate render my-claim.yaml --observed observed.yaml -o json
    """
    config = Config.find()
    given = whole(_read(files, config), config.root, config.dist)
    chosen = [document for document in _read(compositions, config) if is_extension(document.body, "Composition")]
    platform = platform_inventory(config.dist, root=config.root)
    for unread in platform.judgement.could_not_check:
        click.echo(f"crossgate: warning: {unread.what} at {unread.where}: what stands there is not used", err=True)
    documents = (*chosen, *_read(xrds, config), *given, *sourcemap.Sources(config.root).placed(platform.documents))
    known = Known.of(documents, config.functions)
    if compositions:
        known = replace(known, compositions=replace(Known.of(chosen).compositions, revisions=known.compositions.revisions))
    schemas = Schemas.load(()).including(api.document for api in known.apis.composites.values())
    inputs = [document for document in given if Identity.of(document.body).kind not in KINDS]
    if not inputs:
        raise UsageError("there is nothing to render", ", ".join(map(str, files)), "name a file with a claim or an XR")
    context = dict(_context(item) for item in contexts)
    observed_bodies = [_named(document) for document in _read(observed, config)]
    required_bodies = [document.body for document in _read(required, config)]
    singles = [
        render_single(
            document,
            known,
            schemas,
            composition=only_for(document, known.compositions.by_name.values(), known) if compositions else None,
            observed=observed_bodies,
            required=required_bodies,
            context=context or None,
        )
        for document in inputs
    ]
    _print(singles, "tree" if tree else form, known, schemas)


def _read(paths: Sequence[Path], config: Config) -> tuple[Document, ...]:
    """Read files and folders; what cannot be read is an error here, because a rendering without it would mislead."""
    files = [path for path in paths if str(path) != _STDIN]
    inventory = load_paths(files, root=config.root) if files else Inventory()
    if len(files) < len(paths):
        inventory += inventory_of(sys.stdin.buffer.read(), "<stdin>")
    for fault in inventory.judgement.could_not_check:
        raise LoadError(fault.what, fault.where, fault.hint)
    for finding in inventory.judgement.findings:
        if finding.rule in ("manifest/not-an-object", "manifest/no-kind"):
            raise LoadError(finding.message, str(finding.place), finding.remediation)
    return inventory.documents


def _named(document: Document) -> Any:
    """Return an observed object: one without a name could be nobody's, and would be left out without a word."""
    if not Identity.of(document.body).name:
        raise LoadError("an observed object has no name", str(document.place(("metadata",))), "write it as kubectl get -o yaml shows it")
    return document.body


def _context(item: str) -> tuple[str, Any]:
    key, separator, file = item.partition("=")
    if not key or not separator or not file:
        raise UsageError("a context needs a key and a file", f"--context {item}", "write --context KEY=FILE")
    try:
        documents = load_text(Path(file).read_bytes(), file)
    except FileNotFoundError as error:
        raise UsageError("there is no such file", file, "name a file that holds the value") from error
    except OSError as error:
        raise LoadError(f"the context cannot be read: {error.strerror}", file, "name a file that may be read") from error
    if len(documents) != 1:
        raise UsageError(f"a context is one document, not {len(documents)}", file, "keep one YAML or JSON document in the file")
    return key, documents[0].body


def _print(singles: Sequence[Single], form: str, known: Known, schemas: Schemas) -> None:
    for single in singles:
        for remark in single.remarks:
            click.echo(f"crossgate: warning: {Identity.of(single.document.body)}: {remark}", err=True)
    if form == "json":
        outcome = [_outcome(single) for single in singles]
        click.echo(json.dumps(outcome, indent=2, ensure_ascii=False))
    elif form == "tree":
        from crossgate.cli.tree import draw  # noqa: PLC0415 (only this form needs it)

        click.echo(draw([resource for single in singles for resource in descended(single, known, schemas)]), nl=False)
    else:
        from crossgate.load.write import to_yaml  # noqa: PLC0415 (only this form needs it)
        from crossgate.render.reading_order import in_reading_order  # noqa: PLC0415 (likewise)

        bodies = (body for single in singles for body in (single.rendering.xr, *single.rendering.composed))
        click.echo(to_yaml(map(in_reading_order, bodies)), nl=False)


def _outcome(single: Single) -> dict[str, Any]:
    rendering = single.rendering
    return {"composed": rendering.composed, "xr": rendering.xr, "context": rendering.context, "warnings": list(rendering.warnings)}
