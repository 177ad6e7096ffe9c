"""RFC 9457 problem documents."""

from __future__ import annotations

import msgspec

from modelserver.errors import Problem

MEDIA_TYPE = b"application/problem+json"


class Document(msgspec.Struct, omit_defaults=True):
    """The members of RFC 9457 and three of ours: reason (the stable code), pointer (RFC 6901, into the body), request_id."""

    type: str
    title: str
    status: int
    detail: str
    reason: str
    request_id: str
    pointer: str | None = None


def document(problem: Problem, request_id: str) -> bytes:
    """The JSON of a problem."""
    return msgspec.json.encode(
        Document(
            f"urn:modelserver:problem:{problem.reason}",
            problem.title,
            problem.status,
            problem.detail,
            problem.reason,
            request_id,
            problem.pointer,
        )
    )
