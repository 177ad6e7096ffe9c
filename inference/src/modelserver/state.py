"""Where the server is in its life, and why: the one thing that probes, handlers and the drain share."""

from __future__ import annotations

from dataclasses import dataclass, field

from modelserver.errors import Problem
from modelserver.service import Service

LOADING, READY, DRAINING, FAILED = "loading", "ready", "draining", "failed"


@dataclass
class State:
    """phase: loading → ready → draining, or failed. `reason` is the code that /readyz shows while the server is not ready."""

    phase: str = LOADING
    reason: str = "starting"
    detail: str = "the server has just started"
    retryable: bool = False
    service: Service | None = field(default=None)

    def loading(self, reason: str, detail: str) -> None:
        """A step of the start has begun."""
        self.reason, self.detail = reason, detail

    def ready(self, service: Service) -> None:
        """The model answers from now on."""
        self.service = service
        if self.phase == LOADING:
            self.phase, self.reason, self.detail = READY, "", ""

    def failed(self, reason: str, detail: str, *, retryable: bool) -> None:
        """The model cannot be had; after a retryable failure /healthz fails, so that the kubelet starts the container again."""
        self.phase, self.reason, self.detail, self.retryable = FAILED, reason, detail, retryable

    def draining(self) -> None:
        """SIGTERM came: no new traffic should be sent, what arrives is still answered."""
        self.phase, self.reason, self.detail = DRAINING, "draining", "the server is about to end"

    def require(self) -> Service:
        """The service, also while draining.

        Raises:
            Problem: not_ready.
        """
        if self.service is None:
            raise Problem("not_ready", f"{self.reason}: {self.detail}", headers={"retry-after": "5"})
        return self.service
