"""An XRD and a CRD that are right, to be broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Body = dict[str, Any]
Make = Callable[..., Body]


@pytest.fixture
def xrd() -> Make:
    """Make an XRD whose claim has these fields in its spec."""

    def make(fields: Body | None = None, **spec: Any) -> Body:
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields or {}, **spec}}}
        return {
            "apiVersion": "apiextensions.crossplane.io/v1",
            "kind": "CompositeResourceDefinition",
            "metadata": {"name": "xstores.example.org"},
            "spec": {
                "group": "example.org",
                "names": {"kind": "XStore", "plural": "xstores"},
                "claimNames": {"kind": "Store", "plural": "stores"},
                "versions": [{"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}],
            },
        }

    return make


@pytest.fixture
def crd() -> Make:
    """Make a CRD whose kind has this schema for its spec."""

    def make(spec: Body | None = None, **version: Any) -> Body:
        schema = {"type": "object", "properties": {"spec": spec or {"type": "object"}}}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "stores.example.org"},
            "spec": {
                "group": "example.org",
                "scope": "Namespaced",
                "names": {"kind": "Store", "plural": "stores"},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}],
            },
        }

    return make
