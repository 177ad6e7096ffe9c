"""`modelserver run` against a real S3 server: versions, wrong secret, missing key, wrong digest, cut connection, full disk."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

import made_models
import s3_server
import served
from modelserver.model import artifact

DOWNLOAD = """
import json, os
from modelserver.errors import ArtifactError
from modelserver.settings import from_environment
from modelserver.storage import s3

settings = from_environment(os.environ)
try:
    s3.download(settings, s3.client(settings))
except ArtifactError as error:
    print(json.dumps([error.reason, os.listdir(settings.model_dir)]))
"""


@dataclass
class Store:
    url: str
    port: int
    digest: str
    versions: list[str]
    digests: list[str]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("s3")
    port = served.free_port()
    with s3_server.running(folder, port) as url:
        client = s3_server.client(url)
        client.create_bucket(Bucket="models")
        client.put_bucket_versioning(Bucket="models", VersioningConfiguration={"Status": "Enabled"})
        model = made_models.write(made_models.numbers(30, (256, 256)), folder / "model")
        for name in ("model.json", "model.safetensors"):
            client.upload_file(str(model / name), "models", f"people/7/{name}")
        versions, digests = [], []
        for width in (4, 5):
            file = made_models.write(made_models.numbers(width), folder / f"{width}.safetensors")
            versions.append(client.put_object(Bucket="models", Key="one.safetensors", Body=file.read_bytes())["VersionId"])
            digests.append(artifact.find(file).sha256)
        yield Store(url, port, artifact.find(model).sha256, versions, digests)


def environment(store: Store, **changes: str) -> dict[str, str]:
    return {
        "S3_BUCKET_NAME": "models",
        "MODEL_PATH": "people/7",
        "AWS_ENDPOINT_URL_S3": store.url,
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": s3_server.KEY,
        "AWS_SECRET_ACCESS_KEY": s3_server.SECRET,
        "DOWNLOAD_ATTEMPTS": "2",
        "DOWNLOAD_TIMEOUT": "20",
    } | changes


def outcome(store: Store, folder: Path, **changes: str) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """What /readyz says in the end, the headers that name the model, and the files that are left."""
    with served.process([], folder, **environment(store, **changes)) as server:
        seen: list[str] = []
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline:
            try:
                answer = httpx.get(server.url + "/readyz", timeout=60)
            except httpx.TransportError:
                time.sleep(0.05)
                continue
            body = answer.json()
            seen.append(body["status"])
            if body["status"] != "loading":
                left = [str(path.relative_to(folder)).partition("/")[2] for path in folder.glob("models-*/**/*") if path.is_file()]
                alive = httpx.get(server.url + "/healthz", timeout=60).status_code
                return {**body, "code": answer.status_code, "alive": alive, "seen": seen}, dict(answer.headers), sorted(left)
            time.sleep(0.02)
    raise AssertionError(server.log.read_text())


def test_a_folder_with_its_digest_becomes_ready_and_unready_says_loading_before(store: Store, tmp_path: Path) -> None:
    body, headers, left = outcome(store, tmp_path, MODEL_SHA256=store.digest)
    assert (body["code"], body["status"], headers["x-model-sha256"]) == (200, "ready", store.digest)
    assert left == ["model/model.json", "model/model.safetensors"]
    assert "loading" in body["seen"]


def test_an_older_version_by_its_id_and_the_newest_without(store: Store, tmp_path: Path) -> None:
    _, headers, _ = outcome(store, tmp_path, MODEL_PATH=f"one.safetensors?versionId={store.versions[0]}")
    assert headers["x-model-sha256"] == store.digests[0]
    _, headers, _ = outcome(store, tmp_path, MODEL_PATH="one.safetensors")
    assert headers["x-model-sha256"] == store.digests[1]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "access_denied"),
        ({"AWS_ACCESS_KEY_ID": "nobody"}, "download_failed"),
        ({"MODEL_PATH": "absent.safetensors"}, "missing_key"),
        ({"MODEL_PATH": "absent/folder"}, "missing_key"),
        ({"S3_BUCKET_NAME": "absent"}, "missing_bucket"),
        ({"MODEL_SHA256": "0" * 64}, "digest_mismatch"),
    ],
)
def test_each_final_failure_is_shown_and_leaves_nothing(store: Store, tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    body, _, left = outcome(store, tmp_path, **changes)
    assert (body["code"], body["reason"], body["alive"], left) == (503, reason, 200, [])


def test_a_connection_cut_in_the_middle_is_tried_again(store: Store, tmp_path: Path) -> None:
    proxy = s3_server.CuttingProxy(store.port, cuts=1, after=100_000)
    try:
        body, headers, _ = outcome(store, tmp_path, AWS_ENDPOINT_URL_S3=proxy.url, MODEL_SHA256=store.digest)
    finally:
        proxy.close()
    assert proxy.cuts == 0, "the cut must have happened"
    assert (body["status"], headers["x-model-sha256"]) == ("ready", store.digest)


def test_a_connection_that_is_always_cut_ends_and_asks_for_a_new_start(store: Store, tmp_path: Path) -> None:
    proxy = s3_server.CuttingProxy(store.port, cuts=10_000, after=100_000)
    try:
        body, _, left = outcome(store, tmp_path, AWS_ENDPOINT_URL_S3=proxy.url)
    finally:
        proxy.close()
    assert (body["code"], body["reason"], body["alive"], left) == (503, "download_failed", 503, [])


def test_a_disk_that_is_too_small(store: Store, tmp_path: Path) -> None:
    """A real file system of 64 KiB, in a mount namespace of its own."""
    unshare = shutil.which("unshare")
    small = tmp_path / "small"
    small.mkdir()
    mount = f"mount -t tmpfs -o size=64k tmpfs {small}"
    if unshare is None or subprocess.run([unshare, "-m", "sh", "-c", mount], check=False, capture_output=True).returncode:
        pytest.skip("mounting a small file system needs unshare and root")
    env = environment(store, MODEL_DIR=str(small)) | {"PYTHONPATH": str(served.PACKAGE), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    command = [unshare, "-m", "sh", "-c", f'{mount} && exec "$0" -c "$1"', sys.executable, DOWNLOAD]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == ["disk_full", []]
