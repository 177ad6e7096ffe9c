"""``crossgate schema``: import, pull, list and export schemas."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.cli.complete import kind_names
from crossgate.config import SETTINGS, Config
from crossgate.errors import UsageError
from crossgate.schema import Schemas

INTO = click.option(
    "--into", type=click.Path(path_type=Path, file_okay=False), help="The schema directory.  [default: the project's first]"
)


@click.group("schema")
def command() -> None:
    """Import, pull, list and export the schemas that manifests are validated against.

    \b
    Example:
      crossgate schema import crds/
    """


@command.command("import", short_help="turn CRDs, XRDs and packages into schemas")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--source-version", "version", default="", metavar="VERSION", help="The version to note in the lock.")
@click.option("--kubernetes", metavar="VERSION", help="Import Kubernetes' own kinds of this version, such as 1.36.0.")
@INTO
def import_(paths: tuple[Path, ...], version: str, kubernetes: str | None, into: Path | None) -> None:
    """Turn CRDs, XRDs and packages (package.yaml) into compact schema files.

    A file is one source; a folder is one source, or one for each of its folders. lock.toml notes the name,
    version and digest of each, and which files it gave.

    \b
    Examples:
      crossgate schema import crds/
      crossgate schema import package.yaml --source-version v2.0.0
      crossgate schema import --kubernetes 1.36.0
    """
    from crossgate.schema.importing import import_kubernetes, import_paths  # noqa: PLC0415 (listing needs no importer)

    if not paths and not kubernetes:
        raise UsageError("there is nothing to import", "crossgate schema import", "name files or folders, or --kubernetes VERSION")
    target = _into(into)
    imported = import_paths(paths, target, version=version)
    if kubernetes:
        imported.append(import_kubernetes(target, kubernetes))
    for source in imported:
        click.echo(f"{source.name} {source.version}".rstrip() + f": {len(source.files)} schemas")


@command.command("pull", short_help="import the CRDs of a package from its registry")
@click.argument("package")
@click.option("--insecure", is_flag=True, help="Speak plain HTTP, for a registry on this machine.")
@INTO
def pull(package: str, insecure: bool, into: Path | None) -> None:
    """Import the CRDs of a Crossplane package from its OCI registry.

    PACKAGE is registry/repository:tag or registry/repository@sha256:…; everything is compared with its digest.

    \b
    Example:
      crossgate schema pull registry.example.org/acme/provider-storage:v2.0.0
    """
    from crossgate.schema.importing import import_text  # noqa: PLC0415 (listing needs no importer)
    from crossgate.schema.pull import pull as fetch  # noqa: PLC0415

    pulled = fetch(package, insecure=insecure)
    source = import_text(pulled.stream, pulled.name, _into(into), version=pulled.version, digest=pulled.digest)
    click.echo(f"{source.name} {source.version or source.digest}: {len(source.files)} schemas")


@command.command("list", short_help="list the kinds that have a schema")
@click.argument("pattern", default="", shell_complete=kind_names)
@click.option("--schemas", multiple=True, type=click.Path(path_type=Path, exists=True), help="Instead of the project's.")
def list_(pattern: str, schemas: tuple[Path, ...]) -> None:
    """List the kinds of the schema folders; PATTERN is a part of the name.

    The APIs of the project's own XRDs are known too, without being listed:
    a check reads them from the XRDs.

    \b
    Example:
      crossgate schema list bucket
    """
    found = False
    for kind in Schemas.load(schemas or Config.find().schemas).kinds():
        line = f"{kind.api_version} {kind.kind}"
        if pattern.lower() in line.lower():
            notes = [kind.scope.lower(), *(["not served"] if not kind.served else []), *(["deprecated"] if kind.deprecation else [])]
            click.echo(f"{line}  ({', '.join(notes)})")
            found = True
    if not found:
        what = f"no kind that is known has {pattern!r} in its name" if pattern else "no kind is known"
        raise UsageError(what, hint="import its CRD: crossgate schema import (what the project's own XRDs define is read from them)")


@command.command("settings", short_help="print the JSON Schema of crossgate.toml")
def settings() -> None:
    """Print the JSON Schema of crossgate.toml and [tool.crossgate].

    An editor with taplo completes and checks settings whose first line is #:schema and the file.

    \b
    Example:
      crossgate schema settings > build/crossgate.schema.json
    """
    click.echo(SETTINGS.read_text(encoding="utf-8"), nl=False)


@command.command("export", short_help="write JSON Schemas for editors")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--editor", is_flag=True, required=True, help="JSON Schemas for claims and settings for yaml-language-server.")
@click.option("--claims", default="apps/claims/**/*.yaml", show_default=True, metavar="PATTERN", help="The files that hold claims.")
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("build/editor"),
    show_default=True,
    help="The folder to write to, seen from the editor's workspace.",
)
def export(paths: tuple[Path, ...], editor: bool, claims: str, to: Path) -> None:
    """Write JSON Schemas with which an editor completes claims and underlines faults.

    PATHS hold the XRDs (default: the project's dist/).

    \b
    Example:
      crossgate schema export --editor
    """
    from crossgate.load import load_paths  # noqa: PLC0415 (listing needs no YAML reader)
    from crossgate.schema.editor import editor_files  # noqa: PLC0415
    from crossgate.schema.xrd import is_xrd  # noqa: PLC0415

    assert editor  # noqa: S101 (click requires it: the only form of export there is)
    config = Config.find()
    documents = load_paths(paths or [config.dist], root=config.root).documents
    xrds = [document.body for document in documents if is_xrd(document.body)]
    if not xrds:
        where = ", ".join(map(str, paths or [config.dist]))
        raise UsageError("there is no XRD to export", where, "name files or folders that hold CompositeResourceDefinitions")
    to.mkdir(parents=True, exist_ok=True)
    files = editor_files(xrds, claims, to.as_posix())
    for name, text in files.items():
        (to / name).write_text(text, encoding="utf-8")
    click.echo(f"{len(files) - 2} kinds in {to}; take {to / 'settings.json'} over into the editor's settings")


def _into(into: Path | None) -> Path:
    if into is not None:
        return into
    config = Config.find()
    configured = config.schemas or (config.root / "schemas",)
    return configured[0]
