"""The app writes folders in sync order, in the bytes that are committed, and keeps the way back to its authors."""

from __future__ import annotations

from pathlib import Path

import cdk8s
import pytest

from crossgate.errors import SynthError
from crossgate.load import load_paths, sourcemap
from crossgate.model import Place
from mlplatform.core import Api, Composition, Definition, Environment, Manifest, Model, Platform
from mlplatform.core import transforms as t


class Spec(Model):
    """Wanted."""

    name: str
    """Its name."""
    size: int = 1


class Status(Model):
    url: str | None = None


class Settings(Model):
    project: str


API = Api(group="example.org", kind="XThing", claim_kind="Thing", spec_model=Spec, status_model=Status)
ENVIRONMENT = Environment("settings", "cloud", Settings)


@pytest.fixture
def platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Platform:
    monkeypatch.setenv("CDK8S_OUTDIR", str(tmp_path / "dist"))
    return Platform()


def config_map(name: str = "c", **data: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def read(tmp_path: Path) -> dict[str, dict[str, object]]:
    documents = load_paths([tmp_path / "dist"], root=tmp_path).documents
    return {document.file.removeprefix("dist/"): document.body for document in documents}


def test_the_number_of_a_folder_is_the_sync_wave_as_a_string(platform: Platform, tmp_path: Path) -> None:
    """Argo CD ignores an annotation that is no string; and XRD before Composition before claim is an order of folders."""
    Manifest(platform.folder("07-things/of-team"), "c", config_map())
    platform.synth()
    body = read(tmp_path)["07-things/of-team/configmap-c.yaml"]
    assert body["metadata"] == {"name": "c", "annotations": {"argocd.argoproj.io/sync-wave": "7"}}


def test_a_folder_without_number_has_no_place_in_the_order(platform: Platform) -> None:
    Manifest(platform.folder("things"), "c", config_map())
    with pytest.raises(SynthError, match="has no number"):
        platform.synth()


def test_kinds_whose_crd_comes_in_the_same_sync_skip_the_dry_run(platform: Platform, tmp_path: Path) -> None:
    folder = platform.folder("1-a")
    mine = {"argocd.argoproj.io/sync-options": "Prune=false"}
    Manifest(folder, "a", {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "a", "annotations": mine}})
    Manifest(folder, "b", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "b"}})
    platform.synth()
    made = read(tmp_path)
    options = [body["metadata"]["annotations"].get("argocd.argoproj.io/sync-options") for body in made.values()]  # type: ignore[index]
    assert options == [None, "Prune=false,SkipDryRunOnMissingResource=true"]


def test_strings_that_yaml_would_read_as_something_else_stay_strings(platform: Platform, tmp_path: Path) -> None:
    strings = {"a": "y", "b": "1e3", "c": "0o7", "d": "08", "e": "null", "f": "2024-01-01", "g": "12:30:00", "h": "a\nb\n", "y": "on"}
    Manifest(platform.folder("1-a"), "c", config_map(**strings))
    platform.synth()
    assert read(tmp_path)["1-a/configmap-c.yaml"]["data"] == strings


@pytest.mark.parametrize("value", [None, 2**53 + 1, -(2**60)])
def test_what_javascript_would_lose_is_refused(platform: Platform, value: object) -> None:
    """cdk8s drops null fields and rounds large integers without a word."""
    Manifest(platform.folder("1-a"), "c", config_map(list=[{"x": value}]))
    with pytest.raises(SynthError, match=r"data\.list\[0\]\.x of ConfigMap c is .* would be lost"):
        platform.synth()


def test_metadata_that_cdk8s_would_drop_is_refused(platform: Platform) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "generateName": "c-"}}
    with pytest.raises(SynthError, match=r"metadata\.generateName"):
        Manifest(platform.folder("1-a"), "c", body)


def test_two_objects_never_share_a_file(platform: Platform) -> None:
    folder = platform.folder("1-a")
    Manifest(folder, "a", config_map(), file="same.yaml")
    Manifest(folder, "b", config_map("d"), file="same.yaml")
    with pytest.raises(SynthError, match=r"two objects go to 1-a/same\.yaml"):
        platform.synth()


def test_objects_of_plain_cdk8s_are_written_too(platform: Platform, tmp_path: Path) -> None:
    cdk8s.ApiObject(platform.folder("1-a"), "x", api_version="v1", kind="Secret", metadata=cdk8s.ApiObjectMetadata(name="s"))
    platform.synth()
    assert list(read(tmp_path)) == ["1-a/secret-s.yaml"]


def test_a_file_that_is_no_longer_made_goes_and_a_foreign_one_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that leaves the app must leave the cluster; but synth removes only what it wrote itself."""
    monkeypatch.setenv("CDK8S_OUTDIR", str(tmp_path / "dist"))
    for names in ("ab", "a"):
        app = Platform()
        for name in names:
            Manifest(app.folder(f"1-{name}"), name, config_map(name))
        app.synth()
        (tmp_path / "dist" / "README.txt").write_text("mine")
    assert sorted(path.name for path in (tmp_path / "dist").rglob("*")) == [".crossgate-sources", "1-a", "README.txt", "configmap-a.yaml"]


def test_the_same_app_writes_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for run in "ab":
        monkeypatch.setenv("CDK8S_OUTDIR", str(tmp_path / run))
        app = Platform()
        thing(app)
        app.synth()
        made.append({path.relative_to(tmp_path / run): path.read_bytes() for path in (tmp_path / run).rglob("*") if path.is_file()})
    assert made[0] == made[1]
    assert len(made[0]) == 3


def thing(app: Platform) -> Composition:
    Definition(app.folder("10-xrds"), API)
    composition = Composition(app.folder("20-compositions"), "thing", API, provider="x", named_by=API.spec.name, environment=ENVIRONMENT)
    template = composition.add("it", {"apiVersion": "v1", "kind": "ConfigMap"}).named("%s-%s-it")
    template.patch(API.spec.size, "data.size", t.convert("string"))
    template.patch(ENVIRONMENT.fields.project, "data.project", required=True)
    template.report("data.url", API.status.url)
    template.connection("url", field="data.url")
    return composition


def test_every_patch_and_field_leads_back_to_its_line(platform: Platform, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    root = request.config.rootpath
    thing(platform)
    platform.synth()
    documents = sourcemap.Sources(tmp_path, root).placed(load_paths([tmp_path / "dist"], root=tmp_path).documents)
    definition, composition = documents

    def line(place: Place) -> str:
        assert root / place.file == Path(__file__)
        return Path(__file__).read_text().splitlines()[place.line - 1].strip()

    template = ("spec", "pipeline", 1, "input", "resources", 0)
    assert line(composition.place()).startswith("composition = Composition(")
    assert line(composition.place((*template, "base", "kind"))).startswith("template = composition.add(")
    assert line(composition.place((*template, "patches", 0, "toFieldPath"))).endswith('.named("%s-%s-it")')
    assert line(composition.place((*template, "patches", 2))).startswith("template.patch(ENVIRONMENT")
    assert line(composition.place((*template, "connectionDetails", 0))).startswith("template.connection(")
    schema = ("spec", "versions", 0, "schema", "openAPIV3Schema", "properties")
    assert line(definition.place((*schema, "spec", "properties", "size", "default"))).startswith("size: int = 1")
    assert line(definition.place((*schema, "status", "properties", "url"))).startswith("url: str")
    assert line(definition.place()).startswith("API = Api(")


def test_the_pipeline_reads_the_environment_before_it_patches(platform: Platform, tmp_path: Path) -> None:
    thing(platform)
    platform.synth()
    spec = read(tmp_path)["20-compositions/thing.yaml"]["spec"]
    steps = [step["functionRef"]["name"] for step in spec["pipeline"]]  # type: ignore[index]
    assert steps == ["function-environment-configs", "function-patch-and-transform", "function-auto-ready"]
