"""What a pickle would import, found by reading its opcodes, never by running it."""

from __future__ import annotations

import io
import pickletools
import zipfile

# All that the pickle of plain tensors needs (torch.save of a tuple of tensors, protocol 2).
PLAIN = frozenset(
    {"torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter", "collections OrderedDict"}
    | {f"torch {kind}Storage" for kind in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool")}
)
# Ways to name a callable that the scan does not follow: refused as such.
_OPAQUE = frozenset({"STACK_GLOBAL", "INST", "OBJ", "EXT1", "EXT2", "EXT4", "NEWOBJ", "NEWOBJ_EX"})


def fault(data: bytes) -> str:
    """Why the bytes (a torch.save file) are more than plain tensors; empty when they are not.

    Default deny: a torch.save zip with entries of any other kind, a broken or legacy file, an unknown global, all are faults.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            pickles = [entry for entry in entries if entry.filename.endswith(".pkl")]
            if len(pickles) != 1 or not pickles[0].filename.endswith("/data.pkl"):
                return "it is not a torch.save file with one data.pkl"
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
                return "it has compressed entries"
            return _pickle_fault(archive.read(pickles[0]))
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError):
        return "it is not a torch.save file"


def _pickle_fault(data: bytes) -> str:
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name in _OPAQUE:
                return f"its pickle uses {opcode.name}"
            if opcode.name == "GLOBAL" and argument not in PLAIN:
                return f"its pickle imports {str(argument).replace(' ', '.')[:120]}"
    except Exception as error:
        return f"its pickle is broken ({type(error).__name__})"
    return ""
