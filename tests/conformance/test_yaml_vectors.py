"""Answers of sigs.k8s.io/yaml 1.6 behind apimachinery's document reader, recorded from the real programs.

``text`` → ``documents`` as JSON (null ones are dropped by clients), ``error``: reading fails behind those,
``duplicate_keys``: strict reading reports it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import LoadError
from crossgate.load import inventory_of, load_text

VECTORS = [json.loads(line) for line in (Path(__file__).parent / "yaml.jsonl").read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_text_is_read_as_the_api_server_reads_it(vector: dict[str, Any]) -> None:
    expected = [document for document in vector["documents"] if document is not None]
    if vector.get("error"):
        with pytest.raises(LoadError) as caught:
            load_text(vector["text"], "manifest.yaml")
        assert caught.value.where.startswith("manifest.yaml:")
        documents = caught.value.documents
    else:
        documents = tuple(load_text(vector["text"], "manifest.yaml"))
    # As JSON texts, so that 1 and 1.0 and true are told apart.
    assert json.dumps([document.body for document in documents], sort_keys=True) == json.dumps(expected, sort_keys=True)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_keys_that_strict_reading_refuses_are_findings(vector: dict[str, Any]) -> None:
    findings = inventory_of(vector["text"], "manifest.yaml").judgement.findings
    assert any(finding.rule == "manifest/duplicate-key" for finding in findings) == vector.get("duplicate_keys", False)
