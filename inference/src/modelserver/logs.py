"""Logs as JSON lines on standard output: event, time, level and named fields; never payloads."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec

_LOGGER = logging.getLogger("modelserver")


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.name != "modelserver":
            line["logger"] = record.name
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line, enc_hook=str).decode()


def configure(level: str) -> None:
    """Send every log of the process through the JSON format."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(_Formatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in ("uvicorn", "uvicorn.error", "botocore", "boto3", "urllib3", "httpcore", "PIL"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level.upper())))


def is_verbose() -> bool:
    """Whether answered requests are logged too (LOG_LEVEL=debug)."""
    return _LOGGER.isEnabledFor(logging.DEBUG)


def event(name: str, *, level: int = logging.INFO, exc_info: bool | BaseException = False, **fields: Any) -> None:
    """One line."""
    if _LOGGER.isEnabledFor(level):
        _LOGGER.log(level, name, extra={"fields": fields}, exc_info=exc_info)
