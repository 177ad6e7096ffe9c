"""One loaded model with all that answering needs: its input readers, its batcher, its documents' parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from modelserver.answers import Answer, Answerer
from modelserver.batcher import Batcher
from modelserver.errors import Problem
from modelserver.inputs import frames, images
from modelserver.inputs.fetch import Fetcher
from modelserver.inputs.table import Table
from modelserver.model.exact import Floats
from modelserver.model.loaded import Model
from modelserver.settings import Settings

# A full batch that takes less is run in the event loop: shorter than what a probe or another request would notice.
INLINE_SECONDS = 0.001


class Service:
    """Answers requests with one model; made once it is loaded, in the event loop that serves.

    Args:
        model: warmed up.
        settings: limits.
        fetcher: gets images by address.
        on_batch: told the rows of each forward.
    """

    def __init__(self, model: Model, settings: Settings, fetcher: Fetcher, on_batch: Callable[[int], None] = lambda _: None) -> None:
        self.model = model
        self.manifest = model.manifest
        self.settings = settings
        self.fetcher = fetcher
        self.answerer = Answerer(model)
        self.table = Table(self.manifest.input.columns, settings.max_rows) if self.manifest.input.columns else None
        self.batcher: Batcher[Answer] = Batcher(
            self.answerer,
            max_batch=settings.max_batch,
            max_queue=settings.max_queue,
            inline=model.forward.seconds < INLINE_SECONDS,
            on_batch=on_batch,
        )
        self.headers: tuple[tuple[bytes, bytes], ...] = (
            (b"x-model-version", self.manifest.version.encode()),
            (b"x-model-sha256", model.sha256.encode()),
        )
        # Decoding images and frames: beside the event loop, never more than two at once.
        self._decoders = ThreadPoolExecutor(2, thread_name_prefix="decode")

    def start(self) -> None:
        """Begin to take requests."""
        self.batcher.start()

    async def stop(self) -> None:
        """End the threads."""
        self.batcher.stop()
        self._decoders.shutdown(wait=False, cancel_futures=True)
        await self.fetcher.close()

    def rows(self, rows: Floats) -> asyncio.Future[Answer]:
        """Answer rows that are already numbers."""
        return self.batcher.submit(rows)

    async def frame(self, body: bytes, kind: str) -> Floats:
        """Read a batch as CSV ("csv") or Arrow ("arrow")."""
        read = frames.from_csv if kind == "csv" else frames.from_arrow
        return await asyncio.get_running_loop().run_in_executor(self._decoders, read, body, self._need_table())

    async def image(self, data: bytes, at: str = "/image") -> Floats:
        """[1, channels, height, width] of one image's bytes."""
        contract = self.manifest.input.image
        if contract is None:
            raise Problem("unsupported_media_type", "the model takes rows of a table, not images")
        loop = asyncio.get_running_loop()
        pixels = await loop.run_in_executor(self._decoders, images.decode, data, contract, self.settings.image_max_pixels, at)
        return pixels[None]

    async def images(self, bodies: list[bytes], at: list[str]) -> Floats:
        """[n, channels, height, width] of several images."""
        return np.concatenate([await self.image(data, place) for data, place in zip(bodies, at, strict=True)])

    def _need_table(self) -> Table:
        if self.table is None:
            raise Problem("unsupported_media_type", "the model takes an image, not rows of a table")
        return self.table
