"""The download against moto: what is taken, what is refused, what is tried again, and that nothing half stays."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import IncompleteReadError, ReadTimeoutError

import made_models
from modelserver.errors import ArtifactError
from modelserver.model import artifact, loaded
from modelserver.settings import Settings
from modelserver.storage import s3

moto = pytest.importorskip("moto", reason="moto is not installed (extra 'test')")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, table_model: Path) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with moto.mock_aws():
        client = s3.client(Settings(region="us-east-1"))
        client.create_bucket(Bucket="models")
        client.put_bucket_versioning(Bucket="models", VersioningConfiguration={"Status": "Enabled"})
        for name in ("model.json", "model.safetensors"):
            client.upload_file(str(table_model / name), "models", f"people/7/{name}")
        yield client


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(bucket="models", model_path="people/7", model_dir=str(tmp_path / "models"), download_attempts=3)


def left(settings: Settings) -> list[str]:
    return sorted(path.name for path in Path(settings.model_dir).iterdir()) if Path(settings.model_dir).exists() else []


def fails(settings: Settings, client: Any) -> ArtifactError:
    with pytest.raises(ArtifactError) as caught:
        s3.download(settings, client, sleep=lambda _: None)
    assert left(settings) == [], "nothing half may stay"
    return caught.value


class Flaky:
    """A client whose object bodies fail; after `times` failures they are good again."""

    def __init__(self, client: Any, error: Any, times: int) -> None:
        self.client, self.error, self.times, self.waits = client, error, times, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def get_object(self, **request: Any) -> Any:
        answer = self.client.get_object(**request)
        if self.times > 0:
            self.times -= 1
            answer["Body"] = self
        return answer

    def iter_chunks(self, _: int) -> Iterator[bytes]:
        yield b"half"
        if self.error is not None:
            raise self.error


def test_a_prefix_is_a_model_folder(bucket: Any, settings: Settings, table_model: Path) -> None:
    digest = artifact.find(table_model).sha256
    path = s3.download(replace(settings, model_sha256=digest), bucket)
    assert left(settings) == ["model"]
    assert loaded.load(path).sha256 == digest
    assert s3.download(replace(settings, model_path="people/7/"), bucket) == path


def test_other_objects_under_the_prefix_are_not_fetched(bucket: Any, settings: Settings) -> None:
    for name in ("evil.pkl", "model.pth", "deeper/model.json", ""):
        bucket.put_object(Bucket="models", Key=f"people/7/{name}", Body=b"x")
    path = s3.download(settings, bucket)
    assert sorted(entry.name for entry in path.iterdir()) == ["model.json", "model.safetensors"]


def test_one_object_and_its_versions(bucket: Any, settings: Settings, tmp_path: Path) -> None:
    digests, versions = [], []
    for seed in range(2):
        manifest = made_models.numbers(4 + seed)
        file = made_models.write(manifest, tmp_path / f"{seed}.safetensors")
        versions.append(bucket.put_object(Bucket="models", Key="one.safetensors", Body=file.read_bytes())["VersionId"])
        digests.append(hashlib.sha256(file.read_bytes()).hexdigest())
    newest = s3.download(replace(settings, model_path="one.safetensors", model_sha256=digests[1]), bucket)
    assert loaded.load(newest).sha256 == digests[1]
    older = s3.download(replace(settings, model_path=f"one.safetensors?versionId={versions[0]}", model_sha256=digests[0]), bucket)
    assert loaded.load(older).sha256 == digests[0]
    assert fails_with(replace(settings, model_path="one.safetensors?versionId=" + "0" * 32), bucket) in (
        "missing_version",
        "download_failed",
    )


def fails_with(settings: Settings, client: Any) -> str:
    shutil.rmtree(settings.model_dir, ignore_errors=True)
    return fails(settings, client).reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_path": "absent"}, "missing_key"),
        ({"model_path": "absent.safetensors"}, "missing_key"),
        ({"bucket": "absent"}, "missing_bucket"),
        ({"model_path": "people/7/model.pth"}, "refused_format"),
        ({"model_path": "people/7/model.pkl"}, "refused_format"),
        ({"model_path": "people/7/model.json"}, "refused_format"),
        ({"model_path": "people/7?versionId=1"}, "invalid_path"),
        ({"model_path": "people/7?x=1"}, "invalid_path"),
        ({"model_sha256": "0" * 64}, "digest_mismatch"),
        ({"model_max_bytes": 1000}, "too_large"),
    ],
)
def test_each_final_failure_has_its_reason_and_leaves_nothing(
    bucket: Any, settings: Settings, changes: dict[str, Any], reason: str
) -> None:
    error = fails(replace(settings, **changes), bucket)
    assert (error.reason, error.retryable) == (reason, False)


@pytest.mark.parametrize(
    "error",
    [IncompleteReadError(actual_bytes=4, expected_bytes=9), ReadTimeoutError(endpoint_url="x"), ConnectionResetError(), None],
    ids=["cut", "time-out", "reset", "ends early"],
)
def test_a_stream_that_breaks_is_tried_again_a_bounded_number_of_times(bucket: Any, settings: Settings, error: Any) -> None:
    waits: list[float] = []
    path = s3.download(settings, Flaky(bucket, error, 2), sleep=waits.append)
    assert loaded.load(path).manifest.name == "people"
    assert len(waits) == 2
    shutil.rmtree(settings.model_dir)
    failure = fails(settings, Flaky(bucket, error, 100))
    assert (failure.reason, failure.retryable) == ("download_failed", True)
    assert "3 tries" in failure.detail


def test_the_waits_grow_and_differ_so_that_servers_do_not_come_back_together(bucket: Any, settings: Settings) -> None:
    runs: list[list[float]] = [[], [], []]
    for waits in runs:
        s3.download(replace(settings, download_attempts=5), Flaky(bucket, None, 4), sleep=waits.append)
        shutil.rmtree(settings.model_dir)
        assert all(0 <= wait <= 0.5 * 2 ** (index + 1) for index, wait in enumerate(waits))
    assert len({tuple(waits) for waits in runs}) == 3


def test_a_server_that_never_answers_is_given_up_in_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"http://127.0.0.1:{silent.getsockname()[1]}"
        wanted = replace(settings, s3_endpoint=where, region="us-east-1", download_timeout=0.3, download_attempts=2)
        failure = fails(wanted, s3.client(wanted))
    assert (failure.reason, failure.retryable) == ("download_failed", True)


def test_a_disk_that_is_full_is_named_and_not_tried_again(bucket: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert fails(settings, bucket).reason == "disk_full"


def test_an_object_that_the_disk_cannot_hold_is_refused_before_it_is_fetched(
    bucket: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 5, 5))
    assert fails(settings, bucket).reason == "disk_full"


def test_a_folder_that_changes_between_listing_and_reading_is_read_again(bucket: Any, settings: Settings, table_model: Path) -> None:
    class Changing(Flaky):
        def list_objects_v2(self, **request: Any) -> Any:
            answer = self.client.list_objects_v2(**request)
            if self.times > 0:
                self.times -= 1
                bucket.put_object(
                    Bucket="models", Key="people/7/model.json", Body=(table_model / "model.json").read_bytes() + b" " * (self.times + 1)
                )
            return answer

        def get_object(self, **request: Any) -> Any:
            return self.client.get_object(**request)

    path = s3.download(settings, Changing(bucket, None, 1), sleep=lambda _: None)
    assert (path / "model.json").read_bytes().endswith(b"}\n ")
