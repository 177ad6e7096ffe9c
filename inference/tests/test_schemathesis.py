"""schemathesis against a real server's OpenAPI document: no generated request meets a 500, and answers are as documented."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import made_models
import served

pytest.importorskip("schemathesis", reason="schemathesis is not installed (extra 'test')")

KINDS = {"table": made_models.table(), "image": made_models.image()}
RESPONSE_CHECKS = "status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"
CHECKS = f"not_a_server_error,negative_data_rejection,{RESPONSE_CHECKS}"


@pytest.mark.parametrize("kind", KINDS)
def test_no_generated_request_meets_a_server_error(kind: str, tmp_path: Path) -> None:
    model = made_models.write(KINDS[kind], tmp_path / "model")
    with served.process([str(model)], tmp_path, MAX_ROWS="50", MAX_BODY_BYTES="100000", IMAGE_TIMEOUT="0.2") as server:
        server.wait_ready()
        command = [sys.executable, "-m", "schemathesis.cli", "run", server.url + "/openapi.json", "--checks", CHECKS]
        command += [
            "--max-examples",
            "15",
            "--seed",
            "1",
            "--phases",
            "examples,coverage,fuzzing",
            "--suppress-health-check",
            "all",
            "--no-color",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "Traceback" not in server.log.read_text()
