"""Objects of the app: each knows the folder and file of ``dist/`` it goes to and the author's line that made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from . import node  # noqa: F401  # isort: skip - it must run before cdk8s is imported
import cdk8s
import constructs

from crossgate.errors import SynthError
from crossgate.model import Place
from crossgate.paths import Path, format_path

from .origin import caller

_HEAD = ("apiVersion", "kind", "metadata")
_METADATA = ("name", "namespace", "labels", "annotations")


@contextmanager
def constructing() -> Iterator[None]:
    """Say what cdk8s refuses at the author's line; its own errors point at this framework and bring a stack of JavaScript."""
    try:
        yield
    except RuntimeError as error:
        raise SynthError(str(error).partition("\n")[0], str(caller()), "give each object of a folder its own name") from None


class Folder(cdk8s.Chart):
    """A folder of ``dist/``. Its number is the sync wave of what is in it: ``20-compositions`` goes after ``10-xrds``."""

    def __init__(self, scope: constructs.Construct, path: str) -> None:
        with constructing():
            super().__init__(scope, path, disable_resource_name_hashes=True)
        self.path = path
        self.manifests: list[Manifest] = []
        self.by_id: dict[str, Manifest] = {}

    @property
    def wave(self) -> str:
        """Return Argo CD's sync wave (annotations are strings)."""
        digits = self.path.partition("-")[0]
        if not digits.isdigit():
            raise SynthError(f"the folder {self.path!r} has no number", "", "name it like 20-compositions: the number is its sync wave")
        return str(int(digits))


class Manifest(cdk8s.ApiObject):
    """A Kubernetes object.

    ``sources`` are the author's places by path in the object; the empty path is the object itself. ``written_in`` is set for an object
    that somebody wrote in YAML: the file, relative to the project, and the document's number in it. ``file`` is its name in the folder.
    """

    def __init__(
        self,
        scope: Folder,
        id: str,  # every construct calls it so
        body: Mapping[str, Any],
        *,
        file: str = "",
        sources: Mapping[Path, Place] | None = None,
        written_in: tuple[str, int] | None = None,
        options: tuple[str, ...] = (),
    ) -> None:
        metadata = body.get("metadata", {})
        unknown = [key for key in metadata if key not in _METADATA]
        if unknown:
            raise SynthError(f"metadata.{unknown[0]} is not for authors to write", str(caller()), f"known are {', '.join(_METADATA)}")
        if (earlier := scope.by_id.get(id)) is not None:
            here = (sources or {}).get(()) or caller()
            raise SynthError(
                f"{body['kind']} {metadata['name']} is written twice",
                str(here),
                f"the other stands at {earlier.sources[()]}: keep one of them",
            )
        with constructing():
            super().__init__(scope, id, api_version=body["apiVersion"], kind=body["kind"], metadata=metadata)
        self.body = body
        self.file = file or f"{body['kind'].lower()}-{metadata['name']}.yaml"
        self.sources: dict[Path, Place] = dict(sources) if sources else {(): caller()}
        self.written_in = written_in
        self.options = options
        scope.manifests.append(self)
        scope.by_id[id] = self

    def content(self) -> Mapping[str, Any]:
        """Return the object; what is below its head may still grow until the app is synthesized."""
        return self.body

    def finish(self) -> None:
        """Hand everything below the head to cdk8s."""
        for key, value in self.content().items():
            if key not in _HEAD:
                self._refuse_lost((key,), value)
                self.add_json_patch(cdk8s.JsonPatch.add(f"/{key}", value))

    def _refuse_lost(self, path: Path, value: Any) -> None:
        """Refuse what would not survive the way through JavaScript: null fields vanish, integers beyond 2^53 are rounded."""
        if isinstance(value, dict):
            for key, inner in value.items():
                self._refuse_lost((*path, key), inner)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                self._refuse_lost((*path, index), inner)
        elif value is None or (isinstance(value, int) and abs(value) > 2**53):
            raise SynthError(
                f"{format_path(path)} of {self.body['kind']} {self.name} is {value}, which would be lost",
                str(self.sources[()]),
                "leave the field out, or write the number as a string",
            )
