"""The cdk8s app: ``cdk8s synth`` and ``crossgate synth`` run this file."""

import sys
from pathlib import Path

# Python puts this file's folder first, where platform.py would hide the standard library's module of that name
ROOT = Path(__file__).resolve().parents[1]
sys.path[:1] = [str(ROOT), str(ROOT / "constructs")]

from apps.platform import build  # noqa: E402 - the path must be right first

if __name__ == "__main__":
    build().synth()
