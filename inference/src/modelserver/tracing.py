"""OpenTelemetry, opt-in: one server span a request when OTEL_EXPORTER_OTLP_ENDPOINT is set and ``modelserver[otel]`` is installed.

The SDK reads its other settings (headers, sampling, resource) from its own environment variables.
"""

from __future__ import annotations

from modelserver.errors import UsageError
from modelserver.http.exchange import Message, Receive, Scope, Send
from modelserver.http.front import Front


class Traced:
    """Wraps the application; spans have method, path, status and request id, never payloads."""

    def __init__(self, front: Front, tracer: object, extract: object) -> None:
        self._front = front
        self._tracer = tracer
        self._extract = extract

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI 3."""
        if scope["type"] != "http":
            await self._front(scope, receive, send)
            return
        carrier = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"] if name in (b"traceparent", b"tracestate")
        }
        attributes = {"http.request.method": scope["method"], "url.path": scope["path"][:200]}
        from opentelemetry.trace import SpanKind

        context = self._extract(carrier)  # type: ignore[operator] # opentelemetry publishes no types here
        with self._tracer.start_as_current_span(  # type: ignore[attr-defined] # likewise
            f"{scope['method']} request", context=context, kind=SpanKind.SERVER, attributes=attributes
        ) as span:

            async def noted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    for name, value in message["headers"]:
                        if name in (b"x-request-id", b"x-model-version", b"x-model-sha256"):
                            span.set_attribute(name.decode(), value.decode())
                await send(message)

            await self._front(scope, receive, noted)


def traced(front: Front) -> Traced:
    """The application with tracing to the endpoint of the environment.

    Raises:
        UsageError: the extra is not installed.
    """
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.propagate import extract
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise UsageError("OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not there: install 'modelserver[otel]'") from None
    provider = TracerProvider(resource=Resource.create({"service.name": "modelserver"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return Traced(front, provider.get_tracer("modelserver"), extract)
