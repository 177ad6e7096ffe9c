"""Every setting, read once from the environment that the ModelService Composition (or a person) sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from modelserver.errors import UsageError

_HEX64 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Settings:
    """What the server runs with; sizes in bytes, times in seconds."""

    bucket: str = ""
    model_path: str = ""
    model_sha256: str = ""
    s3_endpoint: str = ""
    region: str = ""
    model_dir: str = "/tmp/modelserver"  # noqa: S108 - the only writable mount of the container; staging inside has a random name
    model_max_bytes: int = 20 * 2**30
    download_attempts: int = 5
    download_timeout: float = 30.0
    host: str = "0.0.0.0"  # noqa: S104 - a pod's server listens on the pod's address
    port: int = 8000
    drain_seconds: float = 10.0
    request_timeout: float = 10.0
    max_body_bytes: int = 10 * 2**20
    max_held_bytes: int = 128 * 2**20
    max_rows: int = 10_000
    max_batch: int = 64
    max_queue: int = 1024
    threads: int = 1
    device: str = "cpu"
    image_schemes: tuple[str, ...] = ("https",)
    image_hosts: tuple[str, ...] = ()
    image_max_bytes: int = 10 * 2**20
    image_max_pixels: int = 40_000_000
    image_timeout: float = 5.0
    image_max_redirects: int = 3
    log_level: str = "info"
    trace_endpoint: str = ""


# Environment variable → field of Settings. AWS_* are the names that boto3 and EKS already use.
VARIABLES = {
    "S3_BUCKET_NAME": "bucket",
    "MODEL_PATH": "model_path",
    "MODEL_SHA256": "model_sha256",
    "AWS_ENDPOINT_URL_S3": "s3_endpoint",
    "AWS_REGION": "region",
    "MODEL_DIR": "model_dir",
    "MODEL_MAX_BYTES": "model_max_bytes",
    "DOWNLOAD_ATTEMPTS": "download_attempts",
    "DOWNLOAD_TIMEOUT": "download_timeout",
    "HOST": "host",
    "PORT": "port",
    "DRAIN_SECONDS": "drain_seconds",
    "REQUEST_TIMEOUT": "request_timeout",
    "MAX_BODY_BYTES": "max_body_bytes",
    "MAX_HELD_BYTES": "max_held_bytes",
    "MAX_ROWS": "max_rows",
    "MAX_BATCH": "max_batch",
    "MAX_QUEUE": "max_queue",
    "THREADS": "threads",
    "DEVICE": "device",
    "IMAGE_SCHEMES": "image_schemes",
    "IMAGE_HOSTS": "image_hosts",
    "IMAGE_MAX_BYTES": "image_max_bytes",
    "IMAGE_MAX_PIXELS": "image_max_pixels",
    "IMAGE_TIMEOUT": "image_timeout",
    "IMAGE_MAX_REDIRECTS": "image_max_redirects",
    "LOG_LEVEL": "log_level",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "trace_endpoint",
}


def from_environment(environ: Mapping[str, str]) -> Settings:
    """Read the settings; an empty variable counts as absent.

    Raises:
        UsageError: a number is not one, is not positive, or a digest has not 64 hex digits.
    """
    values: dict[str, str | int | float | tuple[str, ...]] = {}
    for variable, field in VARIABLES.items():
        text = environ.get(variable, "").strip()
        if text:
            values[field] = _parse(variable, text, getattr(Settings, field))
    settings = Settings(**values)  # type: ignore[arg-type] # each value was parsed to the type of its field's default
    if settings.model_sha256 and not _HEX64.fullmatch(settings.model_sha256):
        raise UsageError("MODEL_SHA256 is not 64 lower-case hex digits: take the output of 'modelserver digest'")
    if settings.log_level not in ("debug", "info", "warning", "error"):
        raise UsageError(f"LOG_LEVEL is {settings.log_level!r}: use debug, info, warning or error")
    return settings


def _parse(variable: str, text: str, default: object) -> str | int | float | tuple[str, ...]:
    if isinstance(default, tuple):
        return tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if isinstance(default, str):
        return text.lower() if variable in ("MODEL_SHA256", "LOG_LEVEL") else text
    try:
        number = int(text) if isinstance(default, int) else float(text)
    except ValueError:
        raise UsageError(f"{variable} is {text!r}: it must be a number") from None
    lowest = 0 if variable in ("IMAGE_MAX_REDIRECTS", "DRAIN_SECONDS", "PORT") else 1e-9
    if not lowest <= number < float("inf"):
        raise UsageError(f"{variable} is {text!r}: it must be positive")
    return number
