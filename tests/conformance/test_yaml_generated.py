"""4,000 generated texts and the answers of sigs.k8s.io/yaml 1.6 (go-yaml v2.4.4) behind apimachinery's document reader.

They were made of fragments that stress the reader (indicators in odd places, tabs, marks, tags, anchors, numbers in
every spelling, mutations of real manifests), chosen so that every error message of go-yaml occurs. The form of a
line is that of ``yaml.jsonl``.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from crossgate.load.reading import read

VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in gzip.decompress((Path(__file__).parent / "yaml-generated.jsonl.gz").read_bytes()).decode().split("\n")
    if line
]


def answer(text: str) -> tuple[str, bool]:
    """Return the documents as JSON, and whether reading failed behind them."""
    reading = read(text, "f.yaml")
    return json.dumps([document.body for document in reading.documents], sort_keys=True), reading.fault is not None


def test_generated_texts_are_read_as_the_api_server_reads_them() -> None:
    wrong = [
        (vector["text"], found, expected)
        for vector in VECTORS
        if (found := answer(vector["text"]))
        != (
            expected := (
                json.dumps([document for document in vector["documents"] if document is not None], sort_keys=True),
                vector.get("error", False),
            )
        )
    ]
    assert wrong == []
    assert len(VECTORS) == 4000


def test_duplicate_keys_are_found_where_strict_reading_finds_them() -> None:
    for vector in VECTORS:
        reading = read(vector["text"], "f.yaml")
        if reading.fault is None:
            hidden = {id(document) for document in reading.hidden}
            found = any(id(document) not in hidden for document, *_ in reading.duplicates)
            assert found == vector.get("duplicate_keys", False), vector["text"]
