"""What was checked, said so that it can be signed: an in-toto Statement over the generated manifests, and its verification.

``attest`` makes the Statement, ``verify`` compares one with what stands here. Signing is the business of cosign and its kin
(docs/supply-chain.md).
"""

from __future__ import annotations

from crossgate.attest.statement import PREDICATE_TYPE, STATEMENT_TYPE, Attestation, attest, write
from crossgate.attest.verify import read, verify

__all__ = ["PREDICATE_TYPE", "STATEMENT_TYPE", "Attestation", "attest", "read", "verify", "write"]
