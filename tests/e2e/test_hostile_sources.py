"""A source map that means harm: a pull request brings any map, and what it says hides nothing from the gate."""

from __future__ import annotations

import hashlib
import json
from typing import Any

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

BAD = "  network: 0.0.0.0/0\n"


def test_a_source_map_of_the_pull_request_hides_no_manifest(repo: Repo) -> None:
    """It says that synth made something harmless of a file that is bad; the base knows of no such file, so it is judged as it stands."""
    repo.git("mv", "dist/40-claims", "claims")
    repo.commit()
    repo.git("branch", "-f", "main", "HEAD")
    good = (repo.root / "claims/shop/orders.yaml").read_text()
    bad = repo.write("claims/shop/orders.yaml", good + BAD)
    copy = repo.write("dist/orders.yaml", good)
    source, digest = (hashlib.sha256(file.read_bytes()).hexdigest() for file in (bad, copy))
    entry = {"file": "orders.yaml", "digest": digest, "identity": ["shop.example.org/v1", "Store", "shop", "orders"]}
    lines = [{"sources": {"claims/shop/orders.yaml": source}}, {**entry, "writtenIn": ["claims/shop/orders.yaml", 0]}]
    repo.write("dist/.crossgate-sources", "".join(f"{json.dumps(line)}\n" for line in lines))
    code, report = repo.check("claims", "dist")
    assert code == 1
    assert "network/open-cidr" in {finding["rule"] for finding in report["findings"]}
    assert any("claims/shop/orders.yaml" in str(claim) for claim in repo.plan("claims", "dist")["claims"])
