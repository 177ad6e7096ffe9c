"""The framework of the catalogue: APIs from pydantic models, Compositions with typed patches, claims, and the app that writes them."""

from .api import Api
from .claim import Claim, written_claims
from .composition import SECRETS_NAMESPACE, Composition
from .environment import Environment, kept
from .manifest import Folder, Manifest
from .model import Model, Required, Rule
from .origin import caller
from .platform import Platform
from .plus import manifests
from .refs import Ref
from .template import Template
from .xrd import Definition

__all__ = [
    "SECRETS_NAMESPACE",
    "Api",
    "Claim",
    "Composition",
    "Definition",
    "Environment",
    "Folder",
    "Manifest",
    "Model",
    "Platform",
    "Ref",
    "Required",
    "Rule",
    "Template",
    "caller",
    "kept",
    "manifests",
    "written_claims",
]
