"""What can go wrong, in three kinds.

ModelServerError
├── Problem       a request cannot be answered: becomes an RFC 9457 problem document with a status and a reason code
├── ArtifactError the model's files are refused or cannot be had: /readyz tells the reason, no request is served
└── UsageError    a setting or a command line is wrong: the process ends with exit code 2
"""

from __future__ import annotations

from collections.abc import Iterable


class ModelServerError(Exception):
    """The base of every error that this package raises on purpose."""


# Reason code → (HTTP status, title). The codes are a promise to clients: add, never rename.
REASONS: dict[str, tuple[int, str]] = {
    "malformed_json": (400, "The body is not JSON"),
    "malformed_csv": (400, "The body is not a CSV table"),
    "malformed_arrow": (400, "The body is not an Arrow stream"),
    "malformed_multipart": (400, "The body is not multipart form data"),
    "malformed_base64": (422, "The image is not base64"),
    "too_deep": (400, "The JSON is nested too deeply"),
    "not_found": (404, "There is nothing at this address"),
    "model_not_found": (404, "This server has another model"),
    "method_not_allowed": (405, "The address does not take this method"),
    "body_timeout": (408, "The body did not arrive in time"),
    "too_large": (413, "The body is too large"),
    "too_many_rows": (413, "There are too many rows"),
    "unsupported_media_type": (415, "The media type is not supported"),
    "unsupported_encoding": (415, "The content encoding is not supported"),
    "missing_field": (422, "A field is missing"),
    "unknown_field": (422, "A field is unknown"),
    "missing_column": (422, "A column is missing"),
    "unknown_column": (422, "A column is unknown"),
    "duplicate_column": (422, "A column is there twice"),
    "wrong_type": (422, "A value has the wrong type"),
    "null_value": (422, "A value is missing"),
    "not_finite": (422, "A number is not finite"),
    "out_of_range": (422, "A value is out of its range"),
    "unknown_category": (422, "A value is none of the categories"),
    "invalid_value": (422, "A value is invalid"),
    "empty": (422, "There is nothing to predict"),
    "invalid_shape": (422, "A tensor has the wrong shape"),
    "unsupported_datatype": (422, "A tensor has the wrong datatype"),
    "unknown_output": (422, "The model has no such output"),
    "invalid_image": (422, "The image cannot be decoded"),
    "image_too_large": (422, "The image has too many pixels"),
    "url_not_allowed": (422, "The image address is not allowed"),
    "url_fetch_failed": (422, "The image could not be fetched"),
    "url_too_large": (422, "The fetched image is too large"),
    "url_timeout": (422, "The image did not arrive in time"),
    "non_finite_output": (422, "The model has no finite answer for this input"),
    "not_ready": (503, "The model is not ready"),
    "queue_full": (503, "The server is busy"),
    "deadline_exceeded": (504, "The answer took too long"),
    "internal": (500, "The server failed"),
}


class Problem(ModelServerError):  # noqa: N818 - RFC 9457's word
    """A request that cannot be answered, and why.

    Args:
        reason: a key of REASONS; gives status and title.
        detail: one sentence for the caller; never contains the payload's values beyond a short name.
        pointer: RFC 6901 JSON pointer to the fault inside the body, "" when it is the whole body.
        headers: extra response headers, such as Retry-After.
    """

    def __init__(self, reason: str, detail: str, pointer: str | None = None, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.pointer = pointer
        self.headers = headers or {}
        self.status, self.title = REASONS[reason]


class ArtifactError(ModelServerError):
    """A model that cannot be served.

    Args:
        reason: a short code such as digest_mismatch, refused_format, access_denied.
        detail: what was found, where, and the way out.
        retryable: whether the same start may succeed later (a network fault), so that a restart makes sense.
    """

    def __init__(self, reason: str, detail: str, *, retryable: bool = False) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.retryable = retryable


class UsageError(ModelServerError):
    """A setting or an argument that makes no sense."""


def pointer(*parts: str | int) -> str:
    """The RFC 6901 JSON pointer of keys and indices, for example ``/rows/0/age``."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def shown(names: Iterable[str], limit: int = 5) -> str:
    """A short list of names for a message, each cut to 64 characters."""
    names = list(names)
    text = ", ".join(repr(name[:64]) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit} more"
