"""The XRD of an API as an object of the app."""

from __future__ import annotations

from typing import Any

from .api import Api
from .manifest import Folder, Manifest


class Definition(Manifest):
    """An API's CompositeResourceDefinition; its fields point at the lines of the API's models."""

    def __init__(self, scope: Folder, api: Api[Any]) -> None:
        body = api.definition()
        name = body["metadata"]["name"]
        super().__init__(scope, name, body, file=f"{name}.yaml", sources=api.sources())
