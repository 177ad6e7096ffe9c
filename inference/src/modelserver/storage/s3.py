"""Getting a model from S3: bounded in time and tries, hashed while it streams, nothing half is ever left behind."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from modelserver.errors import ArtifactError
from modelserver.model import artifact, digest
from modelserver.settings import Settings

_CHUNK = 1 << 20
_FINAL = {"NoSuchKey": "missing_key", "NoSuchVersion": "missing_version", "NoSuchBucket": "missing_bucket", "404": "missing_key"}
_DENIED = {"AccessDenied", "403", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"}


def client(settings: Settings) -> Any:
    """A boto3 client with time-outs; the tries are counted here, not inside it, so that they cover the body's stream too."""
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=min(5.0, settings.download_timeout),
        read_timeout=settings.download_timeout,
        retries={"total_max_attempts": 1},
        s3={"addressing_style": "path"} if settings.s3_endpoint else {},
    )
    return boto3.client("s3", endpoint_url=settings.s3_endpoint or None, region_name=settings.region or None, config=config)


def download(settings: Settings, s3: Any, *, sleep: Callable[[float], None] = time.sleep) -> Path:
    """Fetch the model of the settings and give the path of its folder or file.

    MODEL_PATH is the key of a .safetensors or .pt2 (``?versionId=…`` after it names a version), or the prefix of a model folder.
    The files arrive in a staging folder of a random name inside MODEL_DIR; only when all are there and the digest is right is it renamed.

    Raises:
        ArtifactError: missing_key, access_denied, digest_mismatch, disk_full, download_failed (retryable), …
    """
    key, _, query = settings.model_path.partition("?")
    version = parse_qs(query).get("versionId", [""])[0]
    if query and not version:
        raise ArtifactError("invalid_path", f"MODEL_PATH: {query!r} is not versionId=…")
    base = Path(settings.model_dir)
    last = ""
    for attempt in range(settings.download_attempts):
        if attempt:
            sleep(random.uniform(0, min(20.0, 0.5 * 2**attempt)))  # noqa: S311 - jitter
        try:
            base.mkdir(parents=True, exist_ok=True)
            staging = Path(tempfile.mkdtemp(prefix=".staging-", dir=base))
            try:
                return _install(_fetch(settings, s3, key, version, staging), staging, base, settings.model_sha256)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
        except ArtifactError as error:
            if not error.retryable:
                raise
            last = error.detail
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EFBIG):
                reason = "disk_full" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else "disk_not_writable"
                raise ArtifactError(reason, f"{base}: {error.strerror}") from None
            last = str(error)
    raise ArtifactError("download_failed", f"gave up after {settings.download_attempts} tries: {last}", retryable=True)


def _install(parts: dict[str, str], staging: Path, base: Path, wanted: str) -> Path:
    single = next(iter(parts)) if artifact.MANIFEST not in parts else ""
    actual = parts[single] if single else digest.of_parts(parts)
    if wanted and actual != wanted:
        raise ArtifactError("digest_mismatch", f"the artifact in the bucket has sha256 {actual}, MODEL_SHA256 is {wanted}")
    final = base / "model"
    if final.exists():
        shutil.rmtree(final)
    staging.rename(final)
    return final / single if single else final


def _fetch(settings: Settings, s3: Any, key: str, version: str, staging: Path) -> dict[str, str]:
    """Name → SHA-256 of the files that were written to the staging folder."""
    budget = _Budget(settings.model_max_bytes)
    if Path(key).suffix and not key.endswith("/"):
        artifact.check_name(key)
        name = "model" + Path(key).suffix
        return {name: _object(settings, s3, {"Key": key} | ({"VersionId": version} if version else {}), staging / name, budget)}
    if version:
        raise ArtifactError(
            "invalid_path", "MODEL_PATH: versionId belongs to one object; a model folder has several (give the digest instead)"
        )
    found = _list(settings, s3, key.rstrip("/") + "/")
    weights = artifact.choose_weights(set(found), f"s3://{settings.bucket}/{key}")
    parts: dict[str, str] = {}
    for name in (artifact.MANIFEST, weights):
        request = {"Key": key.rstrip("/") + "/" + name, "IfMatch": found[name]}  # what was listed, not what replaced it meanwhile
        parts[name] = _object(settings, s3, request, staging / name, budget)
    return parts


def _list(settings: Settings, s3: Any, prefix: str) -> dict[str, str]:
    """Name → entity tag of the objects right under a prefix."""
    answer = _call(
        lambda: s3.list_objects_v2(Bucket=settings.bucket, Prefix=prefix, Delimiter="/", MaxKeys=1000), f"s3://{settings.bucket}/{prefix}"
    )
    found = {item["Key"].removeprefix(prefix): item["ETag"] for item in answer.get("Contents", ())}
    found.pop("", None)  # the marker object of the folder itself
    if not found:
        raise ArtifactError("missing_key", f"s3://{settings.bucket}/{prefix} has no object")
    return found


def _object(settings: Settings, s3: Any, request: dict[str, str], target: Path, budget: _Budget) -> str:
    where = f"s3://{settings.bucket}/{request['Key']}"
    answer = _call(lambda: s3.get_object(Bucket=settings.bucket, **request), where)
    size = int(answer["ContentLength"])
    budget.take(size, where)
    if shutil.disk_usage(target.parent).free < size:
        raise ArtifactError("disk_full", f"{target.parent} has less than the {size} bytes of {where}")
    hashed, received = hashlib.sha256(), 0
    with target.open("wb") as file:
        for chunk in _chunks(answer["Body"], where):
            received += len(chunk)
            if received > size:
                break
            hashed.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    if received != size:
        raise ArtifactError("cut_off", f"{where}: {received} of {size} bytes arrived", retryable=True)
    return hashed.hexdigest()


def _chunks(body: Any, where: str) -> Any:
    stream = body.iter_chunks(_CHUNK)
    while True:
        chunk = _call(lambda: next(stream, None), where)
        if chunk is None:
            return
        yield chunk


def _call(action: Callable[[], Any], where: str) -> Any:
    """Run one step of the conversation with S3 and name its failure: final, or worth another try."""
    from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, ParamValidationError
    from urllib3.exceptions import HTTPError

    try:
        return action()
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in _DENIED or status in (401, 403):
            raise ArtifactError("access_denied", f"{where}: {code}: the credentials may not read it") from None
        if code in _FINAL:
            raise ArtifactError(_FINAL[code], f"{where}: {code}") from None
        retryable = status >= 500 or status in (408, 412, 429) or code in ("SlowDown", "PreconditionFailed", "RequestTimeout")
        raise ArtifactError("download_failed", f"{where}: {code or status}", retryable=retryable) from None
    except (NoCredentialsError, ParamValidationError) as error:
        raise ArtifactError("access_denied", f"{where}: {error}") from None
    except (BotoCoreError, HTTPError, ConnectionError, TimeoutError) as error:
        raise ArtifactError("download_failed", f"{where}: {type(error).__name__}", retryable=True) from None


class _Budget:
    def __init__(self, most: int) -> None:
        self._left = most

    def take(self, size: int, where: str) -> None:
        self._left -= size
        if self._left < 0:
            raise ArtifactError("too_large", f"{where}: {size} bytes are more than MODEL_MAX_BYTES leaves")
