"""The Dockerfile by a parser, its requirements, and the Deployment that runs the image."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from dockerfile_parse import DockerfileParser

from modelserver.cli import parser
from modelserver.serve import QUIET_LIMIT_SECONDS
from modelserver.settings import VARIABLES, Settings, from_environment

ROOT = Path(__file__).parents[1]
REPOSITORY = ROOT.parent


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str]]:
    parser = DockerfileParser(path=str(ROOT / "Dockerfile"))
    return [(item["instruction"], item["value"]) for item in parser.structure if item["instruction"] != "COMMENT"]


def last_stage(instructions: list[tuple[str, str]]) -> dict[str, str]:
    start = max(index for index, (name, _) in enumerate(instructions) if name == "FROM")
    return dict(instructions[start:])


def variables(text: str) -> dict[str, str]:
    return dict(re.findall(r"([A-Z0-9_]+)=(\S+)", text))


def test_the_image_runs_without_root_in_exec_form_with_a_healthcheck(instructions: list[tuple[str, str]]) -> None:
    stage = last_stage(instructions)
    user, _, group = stage["USER"].partition(":")
    assert int(user) >= 10_000
    assert int(group) >= 10_000, "numbers, so that runAsNonRoot can be checked by the kubelet"
    assert json.loads(stage["ENTRYPOINT"]) == ["modelserver"]
    assert json.loads(stage["CMD"]) == ["run"]
    assert stage["STOPSIGNAL"] == "SIGTERM"
    options, _, command = stage["HEALTHCHECK"].partition("CMD ")
    assert "--timeout" in options
    compile(json.loads(command)[-1], "healthcheck", "exec")
    assert "/healthz" in command
    assert int(stage["EXPOSE"]) == Settings.port == int(variables(stage["ENV"])["PORT"])


def test_what_is_written_lies_under_tmp_so_that_the_root_can_be_read_only(instructions: list[tuple[str, str]]) -> None:
    stage = last_stage(instructions)
    assert variables(stage["ENV"])["MODEL_DIR"].startswith("/tmp/")
    assert stage["WORKDIR"] == "/tmp"
    assert Settings.model_dir.startswith("/tmp/")
    assert not {"VOLUME", "ADD"} & {name for name, _ in instructions}


def test_cpu_and_gpu_are_build_arguments_and_images_are_pinned(instructions: list[tuple[str, str]]) -> None:
    arguments = {value.partition("=")[0] for name, value in instructions if name == "ARG"}
    assert {"VARIANT", "TORCH_INDEX_URL", "TORCH_VERSION", "PYTHON_IMAGE"} <= arguments
    images = [value.partition("=")[2] for name, value in instructions if name == "ARG" and value.startswith("PYTHON_IMAGE")]
    assert re.fullmatch(r"python:\d+\.\d+-slim-\w+", images[0])
    installs = [value for name, value in instructions if name == "RUN" and "pip install" in value]
    assert all("--require-hashes" in value or "--no-deps" in value for value in installs)
    assert not any("sudo" in value or "curl" in value for _, value in instructions)


def test_the_readme_tells_how_to_get_a_cpu_build(instructions: list[tuple[str, str]]) -> None:
    told = (ROOT / "README.md").read_text()
    arguments = {value.partition("=")[0] for name, value in instructions if name == "ARG"}
    given = set(re.findall(r"--build-arg (\w+)=", told))
    assert given == {"VARIANT", "TORCH_INDEX_URL"}
    assert given <= arguments
    assert re.search(r"pip install torch --index-url <[^>]+>", told)
    assert "3 GB" in told


def test_what_is_copied_is_in_the_build_context(instructions: list[tuple[str, str]]) -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for name, value in instructions:
        if name == "COPY" and "--from" not in value:
            for source in value.split()[:-1]:
                assert (ROOT / source).exists(), source
                assert source.rstrip("/") in allowed, source


def test_requirements_are_pinned_with_hashes_without_addresses_and_cover_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[\[><=;]", line)[0] for line in [*project["dependencies"], *project["optional-dependencies"]["otel"]]} - {"torch"}
    listed = (ROOT / "requirements" / "base.in").read_text().splitlines()
    assert wanted <= {re.split(r"[\[><=;]", line)[0] for line in listed if line and not line.startswith("#")}
    for name in ("base", "gpu"):
        text = (ROOT / "requirements" / f"{name}.txt").read_text()
        pins = re.findall(r"^([a-z0-9][a-z0-9._-]*)==[^\s]+ \\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
        assert wanted <= set(pins)
        assert ("torch" in pins) == (name == "gpu")
        assert not re.search(r"https?://|--index-url|--find-links", text)
    gpu = (ROOT / "requirements" / "gpu.txt").read_text()
    versions = {name: re.search(rf"^{name}==(\S+)", gpu, re.MULTILINE) for name in ("torch", "torchvision")}
    dockerfile = (ROOT / "Dockerfile").read_text()
    for name, found in versions.items():
        assert found is not None
        assert f"ARG {name.upper()}_VERSION={found[1]}\n" in dockerfile


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from objects(item)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item)


def resources() -> list[dict[str, Any]]:
    """Every template of a ModelService Composition that makes a Deployment, with its patches."""
    found = []
    for path in sorted((REPOSITORY / "dist").glob("**/*.y*ml")):
        text = path.read_text(encoding="utf-8")
        if "inference-server" in text and "kind: Composition" in text:
            for document in yaml.safe_load_all(text):
                found += [item for item in objects(document) if "patches" in item and item.get("name") == "deployment"]
    return found


RESOURCES = resources()
# What the Composition says for images of other makers; this server makes no use of it (README).
FOR_OTHERS = {"CACHE_URL", "CACHE_TOKEN"}


@pytest.mark.skipif(not RESOURCES, reason="the platform's manifests (dist/) have no ModelService Composition here")
@pytest.mark.parametrize("resource", RESOURCES, ids=range(len(RESOURCES)))
def test_the_deployment_of_the_composition_fits_the_image(resource: dict[str, Any], instructions: list[tuple[str, str]]) -> None:
    """Ports, probes, environment, arguments, folders and user of both must be the same, on every cloud."""
    stage = last_stage(instructions)
    (deployment,) = (item for item in objects(resource["base"]) if item.get("kind") == "Deployment" and "template" in item.get("spec", {}))
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["name"] == "inference-server"

    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert set(ports.values()) == {int(stage["EXPOSE"])}
    for probe, path in (("startupProbe", "/healthz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
        get = container[probe]["httpGet"]
        assert get["path"] == path
        assert ports.get(get["port"], get["port"]) == int(stage["EXPOSE"])

    environment = {variable["name"]: variable for variable in container["env"]}
    targets = {patch["toFieldPath"].rpartition("containers[0].")[2] for patch in resource["patches"] if "toFieldPath" in patch}
    for index, (name, variable) in enumerate(environment.items()):
        field = "valueFrom.secretKeyRef.name" if "valueFrom" in variable else "value"
        assert variable.get("value") or f"env[{index}].{field}" in targets, f"{name} never gets a value"
    appended = {
        name
        for patch in resource["patches"]
        if patch.get("toFieldPath", "").endswith("containers[0].env")
        for item in objects(patch)
        for name in re.findall(r'"name":"([A-Z0-9_]+)"', str(item.get("fmt", "")))
    }
    assert "MODEL_SHA256" in appended
    assert environment.keys() | appended <= VARIABLES.keys() | FOR_OTHERS, "a variable that the server does not read"
    settings = from_environment({name: variable["value"] for name, variable in environment.items() if variable.get("value")})
    assert settings.port == int(stage["EXPOSE"])

    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert {mount["name"] for mount in mounts.values()} == volumes.keys()
    for folder in ("/tmp", settings.model_dir):
        assert not mounts[folder].get("readOnly"), "the read-only root needs a writable folder here"
    assert "Gi" in volumes[mounts[settings.model_dir]["name"]]["emptyDir"]["sizeLimit"]
    assert settings.model_max_bytes < int(volumes[mounts[settings.model_dir]["name"]]["emptyDir"]["sizeLimit"][:-2]) * 2**30

    assert "command" not in container, "the image's exec form must receive SIGTERM"
    arguments = parser().parse_args(container.get("args", json.loads(stage["CMD"])))
    if arguments.model is None:
        assert {"S3_BUCKET_NAME", "MODEL_PATH"} <= environment.keys()
    else:
        assert str(arguments.model) in mounts, "the model lies in a volume"

    security = {**pod["securityContext"], **container["securityContext"]}
    assert security["runAsNonRoot"] is True
    assert security["readOnlyRootFilesystem"] is True
    assert f"{security['runAsUser']}:{security['runAsGroup']}" == stage["USER"]
    assert pod["terminationGracePeriodSeconds"] > settings.drain_seconds + QUIET_LIMIT_SECONDS + settings.request_timeout + 1
