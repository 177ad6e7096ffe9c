"""From the model's numbers to named answers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from modelserver.errors import Problem, pointer
from modelserver.model.exact import Floats
from modelserver.model.loaded import Model

TOP = 5


class Ranked(msgspec.Struct, gc=False):
    """One label of the ranking."""

    class_label: str
    confidence: float


class Prediction(msgspec.Struct, gc=False):
    """The answer for one input of a classification; confidences are exact float32 values."""

    class_label: str
    confidence: float
    top: list[Ranked]


class Value(msgspec.Struct, gc=False):
    """The answer for one row of a regression."""

    value: float


class Answer(msgspec.Struct, gc=False):
    """The answers for one request's k inputs: scores [k, labels or 1], and the numbers of the best few labels, best first."""

    scores: Floats
    order: list[list[int]]
    finite: bool

    def check(self, at: str) -> None:
        """Raises Problem non_finite_output when a score is NaN or infinite; `at` points at the inputs in the body."""
        if not self.finite:
            row = int(np.argwhere(~np.isfinite(self.scores))[0][0])
            raise Problem(
                "non_finite_output", "the model has no finite answer for this input", at + pointer(row) if len(self.scores) > 1 else at
            )


class Answerer:
    """Runs the model on several requests at once and ranks the labels; this is the batcher's work."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._labels = model.manifest.labels
        self._top = min(TOP, len(self._labels))

    def __call__(self, requests: Sequence[Floats]) -> list[Answer]:
        """One Answer for each request's rows, in order."""
        scores = self._model.predict(requests[0] if len(requests) == 1 else np.concatenate(requests))
        order: list[list[int]] = (-scores).argsort(1, "stable")[:, : self._top].tolist() if self._top else []
        finite = bool(np.isfinite(scores).all())
        out: list[Answer] = []
        start = 0
        for rows in requests:
            end = start + len(rows)
            part = scores[start:end]
            out.append(Answer(part, order[start:end], finite or bool(np.isfinite(part).all())))
            start = end
        return out

    def predictions(self, answer: Answer, at: str = "/rows") -> list[Prediction] | list[Value]:
        """The answers with names; `at` points at the inputs in the body.

        Raises:
            Problem: non_finite_output.
        """
        answer.check(at)
        if not self._top:
            return [Value(value) for value in answer.scores[:, 0].tolist()]
        labels, score = self._labels, answer.scores.item
        out: list[Prediction] = []
        for row, indices in enumerate(answer.order):
            top = [Ranked(labels[index], score(row, index)) for index in indices]
            out.append(Prediction(top[0].class_label, top[0].confidence, top))
        return out
