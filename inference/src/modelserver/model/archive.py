"""A .pt2 of torch.export, opened under default deny: every entry must be one that is known to hold only numbers or inert text.

torch.export.load is never called: it unpickles sample inputs, weights with use_pickle and opaque_obj constants, loads compiled
libraries and evaluates
size expressions. What is refused here would run code there; what is accepted is read as bytes and JSON and run by `program`.
Layout: the archive constants of torch (csrc/export/pt2_archive_constants.h) and its schema.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import msgspec

from modelserver.errors import ArtifactError
from modelserver.model import pickle_scan

_MODEL = "models/model.json"
_WEIGHTS = "data/weights/model_weights_config.json"
_CONSTANTS = "data/constants/model_constants_config.json"
_SAMPLES = "data/sample_inputs/model.pt"
_FIXED = {"archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little"}
_INERT = {".data/version", ".data/serialization_id"}
_ALLOWED = re.compile(r"data/weights/weight_\d+|data/constants/tensor_\d+|extra/[A-Za-z0-9._-]+")
_RUNS = (
    (re.compile(r"data/aotinductor/.*"), "compiled code"),
    (re.compile(r"data/constants/opaque_obj_.*"), "an opaque object, a pickle that runs code when it is loaded"),
    (re.compile(r"data/constants/custom_obj_.*"), "a custom class object, a pickle that runs code when it is loaded"),
    (re.compile(r"data/(weights|constants)/.*\.pt"), "pickled weights of an older torch"),
    (re.compile(r"(data\.pkl|code/.*|constants\.pkl|data/\d+)"), "TorchScript or a torch.save pickle"),
)
JSON_MAX_BYTES = 64 * 2**20


class Archive:
    """An open .pt2 whose entries have all been checked.

    Raises:
        ArtifactError: broken_archive, refused_entry (something that could run, or is unknown).
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise ArtifactError("broken_archive", f"{path.name}: {error}") from None
        try:
            self._entries = self._scan()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def read(self, entry: str, limit: int | None = None) -> bytes:
        """The bytes of an entry (its name without the root folder)."""
        info = self._entries.get(entry)
        if info is None:
            raise ArtifactError("broken_archive", f"{self.name}: {entry} is not there")
        if limit is not None and info.file_size > limit:
            raise ArtifactError("broken_archive", f"{self.name}: {entry} has more than {limit} bytes")
        try:
            return self._zip.read(info)
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
            raise ArtifactError("broken_archive", f"{self.name}: {entry}: {error}") from None

    def beside(self, name: str) -> bytes:
        """The text that the exporter saved beside the program (``extra_files``)."""
        if f"extra/{name}" not in self._entries:
            raise ArtifactError(
                "missing_file", f"{self.name} has no {name}: torch.export.save(…, extra_files={{{name!r}: …}}), or a folder with both"
            )
        return self.read(f"extra/{name}", JSON_MAX_BYTES)

    def graph(self) -> dict[str, Any]:
        """The serialised ExportedProgram as plain JSON values."""
        return self._json(_MODEL)

    def weights(self) -> dict[str, dict[str, Any]]:
        """Name → payload entry of parameters and buffers."""
        return self._payload(_WEIGHTS)

    def constants(self) -> dict[str, dict[str, Any]]:
        """Name → payload entry of tensor constants."""
        return self._payload(_CONSTANTS)

    def _scan(self) -> dict[str, zipfile.ZipInfo]:
        entries: dict[str, zipfile.ZipInfo] = {}
        roots = {info.filename.partition("/")[0] for info in self._zip.infolist()}
        for info in self._zip.infolist():
            entry = info.filename.partition("/")[2]
            if len(roots) != 1 or entry in entries or info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
                raise ArtifactError(
                    "refused_entry", f"{self.name}: {info.filename[:120]!r} is repeated, compressed, encrypted or in another root"
                )
            entries[entry] = info
        if "archive_format" not in entries:
            raise ArtifactError(
                "refused_entry", f"{self.name} is no archive of torch.export (TorchScript and torch.save files are refused)"
            )
        for entry in entries:
            self._check(entry)
        self._entries = entries
        for entry, value in _FIXED.items():
            if entry in entries and self.read(entry, 64) != value:
                raise ArtifactError("refused_entry", f"{self.name}: {entry} is not {value.decode()!r}")
        if _SAMPLES in entries:
            fault = pickle_scan.fault(self.read(_SAMPLES, JSON_MAX_BYTES))
            if fault:
                raise ArtifactError("refused_entry", f"{self.name}: the sample inputs are not plain tensors: {fault}")
        return entries

    def _check(self, entry: str) -> None:
        if entry in _FIXED or entry in _INERT or entry in (_MODEL, _WEIGHTS, _CONSTANTS, _SAMPLES) or _ALLOWED.fullmatch(entry):
            return
        why = next((why for pattern, why in _RUNS if pattern.fullmatch(entry)), "no entry that this server knows")
        raise ArtifactError("refused_entry", f"{self.name}: {entry[:120]!r} is {why}")

    def _json(self, entry: str) -> dict[str, Any]:
        try:
            value = msgspec.json.decode(self.read(entry, JSON_MAX_BYTES))
        except (msgspec.DecodeError, RecursionError) as error:
            raise ArtifactError("broken_archive", f"{self.name}: {entry}: {error}") from None
        if not isinstance(value, dict):
            raise ArtifactError("broken_archive", f"{self.name}: {entry} is not an object")
        return value

    def _payload(self, entry: str) -> dict[str, dict[str, Any]]:
        config = self._json(entry).get("config")
        if not isinstance(config, dict):
            raise ArtifactError("broken_archive", f"{self.name}: {entry} has no config")
        for name, payload in config.items():
            if not isinstance(payload, dict) or payload.get("use_pickle") is not False:
                raise ArtifactError("refused_entry", f"{self.name}: {name[:80]!r} has use_pickle, which runs code when it is loaded")
            if not re.fullmatch(r"(weight|tensor)_\d+", str(payload.get("path_name"))):
                raise ArtifactError(
                    "refused_entry", f"{self.name}: {name[:80]!r} is {str(payload.get('path_name'))[:80]!r}, not a plain tensor"
                )
        return config
