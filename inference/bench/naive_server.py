"""The server that one writes first: a def endpoint, a pydantic model, one pandas frame and one forward a request."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import torch
from fastapi import FastAPI
from pydantic import BaseModel, create_model

from modelserver.model.loaded import load

MODEL = load(Path(os.environ["BENCH_MODEL"]))
COLUMNS = [column.name for column in MODEL.manifest.input.columns]
Row = create_model("Row", **dict.fromkeys(COLUMNS, (float, ...)))  # type: ignore[call-overload]
app = FastAPI()


class Body(BaseModel):
    request_id: str
    rows: list[Row]  # type: ignore[valid-type] # the fields are known only when the model is loaded


@app.post("/predict")
def predict(body: Body) -> dict[str, object]:
    frame = pd.DataFrame([dict(row) for row in body.rows])[COLUMNS]
    with torch.inference_mode():
        scores = MODEL.forward.score(torch.from_numpy(MODEL.normalise(frame.to_numpy("float32"))))
    labels = MODEL.manifest.labels
    return {
        "request_id": body.request_id,
        "predictions": [{"class_label": labels[int(row.argmax())], "confidence": float(row.max())} for row in scores],
    }
