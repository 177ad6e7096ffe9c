"""Over HTTP, from many clients at once, the answer still has the bits of the model called directly in another process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import numpy as np
import pytest
import torch

import made_models
import served

COUNT = 1000


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_models.write(made_models.numbers(30), tmp_path_factory.mktemp("bits") / "model")


def test_a_thousand_inputs_alone_and_in_batches(model: Path, tmp_path: Path) -> None:
    manifest = made_models.numbers(30)
    network = made_models.network(manifest)
    values = np.random.default_rng(3).standard_normal((COUNT, 30)).astype(np.float32)
    mean, std = torch.tensor(manifest.preprocessing.mean), torch.tensor(manifest.preprocessing.std)
    with torch.inference_mode():
        wanted = np.stack([torch.softmax(network((torch.from_numpy(row) - mean)[None] / std), dim=1)[0].numpy() for row in values])
    rows = [{f"x{index}": float(value) for index, value in enumerate(row)} for row in values]

    def scores(predictions: list[dict[str, object]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        order = [{item["class_label"]: item["confidence"] for item in prediction["top"]} for prediction in predictions]  # type: ignore[attr-defined]
        return np.array([[row[label] for label in manifest.labels] for row in order], np.float32)

    async def alone(url: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = [{}] * COUNT
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:

            async def some(start: int) -> None:
                for index in range(start, COUNT, 32):
                    response = await client.post("/predict", json={"rows": [rows[index]]})
                    found[index] = response.json()["predictions"][0]

            await asyncio.gather(*(some(start) for start in range(32)))
        return found

    with served.process([str(model)], tmp_path) as server:
        server.wait_ready()
        singles = asyncio.run(alone(server.url))
        together = httpx.post(server.url + "/predict", json={"rows": rows}, timeout=60).json()["predictions"]
        lines = [",".join(rows[0]), *(",".join(repr(value) for value in row.values()) for row in rows)]
        table = httpx.post(server.url + "/predict", content="\n".join(lines), headers={"content-type": "text/csv"}, timeout=60).json()[
            "predictions"
        ]
        batches = httpx.get(server.url + "/metrics", timeout=60).text
    assert scores(singles).tobytes() == wanted.tobytes()
    assert scores(together).tobytes() == wanted.tobytes()
    assert scores(table).tobytes() == wanted.tobytes()
    single = next(line for line in batches.splitlines() if line.startswith('modelserver_batch_rows_bucket{le="1.0"}'))
    assert float(single.split()[-1]) < COUNT, "some of the thousand must have shared a forward, else the batches were not tried"
    assert json.loads(server.log.read_text().splitlines()[-1])["event"] == "model_ready"
