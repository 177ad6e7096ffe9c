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

from modelserver.settings import VARIABLES, Settings

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


def deployments() -> list[dict[str, Any]]:
    """Every Deployment inside a ModelService Composition of the platform's manifests."""
    found = []
    for path in sorted((REPOSITORY / "dist").glob("**/*.y*ml")):
        text = path.read_text(encoding="utf-8")
        if "inference-server" in text and "kind: Composition" in text:
            for document in yaml.safe_load_all(text):
                found += [item for item in objects(document) if item.get("kind") == "Deployment" and "template" in item.get("spec", {})]
    return found


def test_the_deployment_of_the_composition_fits_the_image(instructions: list[tuple[str, str]]) -> None:
    """Ports, probes, environment and user of both must be the same."""
    found = deployments()
    if not found:
        pytest.skip("the platform's manifests (dist/) have no ModelService Composition here")
    stage = last_stage(instructions)
    user = int(stage["USER"].partition(":")[0])
    for deployment in found:
        pod = deployment["spec"]["template"]["spec"]
        container = next(item for item in pod["containers"] if item["name"] == "inference-server")
        ports = {port.get("name"): port["containerPort"] for port in container["ports"]}
        assert int(stage["EXPOSE"]) in ports.values()
        for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
            get = container[probe]["httpGet"]
            assert get["path"] == path
            assert ports.get(get["port"], get["port"]) == int(stage["EXPOSE"])
        given = {variable["name"] for variable in container["env"]}
        assert {"S3_BUCKET_NAME", "MODEL_PATH"} <= given
        ours = {name for name in given if name.startswith(("S3_", "MODEL_", "MAX_", "IMAGE_"))}
        assert ours <= VARIABLES.keys(), "a variable that the server does not read"
        security = {**pod.get("securityContext", {}), **container.get("securityContext", {})}
        assert security["runAsNonRoot"] is True
        assert security["readOnlyRootFilesystem"] is True
        assert security.get("runAsUser", user) == user
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert "/tmp" in mounts, "the read-only root needs a writable /tmp"
        assert "command" not in container, "the image's exec form must receive SIGTERM"
        assert pod.get("terminationGracePeriodSeconds", 30) > Settings.drain_seconds + 5 + Settings.request_timeout
