"""The same model behind LitServe with its batching on.

No `from __future__ import annotations` here: LitServe looks at the type of `request` at run time.
"""

import os
import sys
from pathlib import Path
from typing import Any

import litserve
import numpy as np

from modelserver.model.loaded import load


class Api(litserve.LitAPI):  # type: ignore[misc] # publishes no types
    def setup(self, device: str) -> None:
        self.model = load(Path(os.environ["BENCH_MODEL"]))
        self.columns = [column.name for column in self.model.manifest.input.columns]

    def decode_request(self, request: dict[str, Any]) -> np.ndarray[Any, Any]:
        return np.array([request["rows"][0][name] for name in self.columns], np.float32)

    def batch(self, inputs: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        return np.stack(inputs)

    def predict(self, batch: np.ndarray[Any, Any]) -> Any:
        return self.model.predict(batch)

    def unbatch(self, output: Any) -> list[Any]:
        return list(output)

    def encode_response(self, output: np.ndarray[Any, Any]) -> dict[str, Any]:
        return {"class_label": self.model.manifest.labels[int(output.argmax())], "confidence": float(output.max())}


if __name__ == "__main__":
    server = litserve.LitServer(Api(max_batch_size=64, batch_timeout=0.002), accelerator="cpu", workers_per_device=1)
    server.run(port=int(sys.argv[1]), host="127.0.0.1", generate_client_file=False, log_level="error", access_log=False)
