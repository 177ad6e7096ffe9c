"""Importing: which files become which source, what the lock says, and what goes again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from crossgate.cli.schema import command
from crossgate.errors import SchemaError
from crossgate.schema import Schemas
from crossgate.schema.importing import import_kubernetes, import_paths
from crossgate.schema.lock import read_lock


def _crd(kind: str, *, served: str = "true", group: str = "example.org") -> str:
    return (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec:\n"
        f"  group: {group}\n  scope: Cluster\n  names: {{kind: {kind}, plural: {kind.lower()}s}}\n"
        "  versions:\n"
        f"  - {{name: v1, served: {served}, storage: true, schema: {{openAPIV3Schema: {{type: object, description: long prose}}}}}}\n"
    )


def _files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*.json"))


def test_a_folder_of_folders_gives_a_source_each(tmp_path: Path) -> None:
    for name in ("argo", "kong"):
        (tmp_path / "crds" / name).mkdir(parents=True)
        (tmp_path / "crds" / name / "crd.yaml").write_text(_crd(name.title()))
    into = tmp_path / "schemas"
    assert [(source.name, source.files) for source in import_paths([tmp_path / "crds"], into)] == [
        ("argo", ("example.org/v1/Argo.json",)),
        ("kong", ("example.org/v1/Kong.json",)),
    ]
    assert _files(into) == ["example.org/v1/Argo.json", "example.org/v1/Kong.json"]
    assert "prose" not in (into / "example.org/v1/Argo.json").read_text()


def test_a_package_is_named_by_its_own_name(tmp_path: Path) -> None:
    package = tmp_path / "package.yaml"
    package.write_text(
        f"apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: provider-x}}\n---\n{_crd('A')}---\n{_crd('B')}"
    )
    (source,) = import_paths([package], tmp_path / "schemas", version="v2.0.0")
    assert (source.name, source.version, len(source.files)) == ("provider-x", "v2.0.0", 2)


def test_what_a_source_no_longer_gives_goes(tmp_path: Path) -> None:
    file, into = tmp_path / "crd.yaml", tmp_path / "schemas"
    file.write_text(f"{_crd('A')}---\n{_crd('B')}")
    import_paths([file], into)
    first = read_lock(into)["crd"].digest
    file.write_text(_crd("B"))
    import_paths([file], into)
    assert _files(into) == ["example.org/v1/B.json"]
    assert read_lock(into)["crd"].digest != first


def test_a_kind_that_two_sources_give_belongs_to_the_later(tmp_path: Path) -> None:
    into = tmp_path / "schemas"
    for name in ("old", "new"):
        (tmp_path / f"{name}.yaml").write_text(_crd("A"))
        import_paths([tmp_path / f"{name}.yaml"], into)
    assert {name: source.files for name, source in read_lock(into).items()} == {"new": ("example.org/v1/A.json",)}
    import_paths([tmp_path / "old.yaml"], into)
    assert _files(into) == ["example.org/v1/A.json"]


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    file, into = tmp_path / "crd.yaml", tmp_path / "schemas"
    file.write_text(_crd("A"))
    import_paths([file], into)
    before = {path: path.read_bytes() for path in into.rglob("*") if path.is_file()}
    import_paths([file], into)
    assert {path: path.read_bytes() for path in into.rglob("*") if path.is_file()} == before


def test_versions_that_are_not_served_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(_crd("A", served="false"))
    with pytest.raises(SchemaError, match="no CRD and no XRD"):
        import_paths([file], tmp_path / "schemas")


def test_kubernetes_kinds_come_from_the_wheel_of_a_version(tmp_path: Path) -> None:
    source = import_kubernetes(tmp_path, "1.36.0")
    assert source.version == "1.36.0"
    assert {"core/v1/Secret.json", "apps/v1/Deployment.json", "rbac.authorization.k8s.io/v1/ClusterRole.json"} <= set(source.files)
    assert not [file for file in source.files if "beta" in file or "alpha" in file], "servers do not offer them by default"
    schemas = Schemas.load([tmp_path])
    assert {kind.kind: kind.scope for kind in schemas.kinds() if kind.kind in ("Namespace", "Role", "Node")} == {
        "Namespace": "Cluster",
        "Node": "Cluster",
        "Role": "Namespaced",
    }
    with pytest.raises(SchemaError, match=r"no Kubernetes 9\.9\.9"):
        import_kubernetes(tmp_path, "9.9.9")


def test_the_committed_schemas_are_those_of_their_lock(root: Path) -> None:
    """A file that no source gave, or a source whose file is gone, was changed by hand."""
    folder = root / "schemas"
    named = sorted(file for source in read_lock(folder).values() for file in source.files)
    assert named == _files(folder)
    assert sum(file.stat().st_size for file in folder.rglob("*.json")) < 2_000_000


def test_a_broken_lock_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "lock.toml").write_text("[[source]]\nname = 'x'\n")
    with pytest.raises(SchemaError) as raised:
        read_lock(tmp_path)
    assert raised.value.where == str(tmp_path / "lock.toml")


def test_the_command_line_imports_and_lists(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(_crd("Disk"))
    run = CliRunner()
    done = run.invoke(command, ["import", str(tmp_path / "crd.yaml"), "--into", str(tmp_path / "schemas")], catch_exceptions=False)
    assert done.output == "crd: 1 schemas\n"
    done = run.invoke(command, ["list", "disk", "--schemas", str(tmp_path / "schemas")], catch_exceptions=False)
    assert done.output == "example.org/v1 Disk  (cluster)\n"
