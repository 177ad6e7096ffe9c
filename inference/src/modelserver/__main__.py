"""``python -m modelserver``."""

from __future__ import annotations

import sys

from modelserver.cli import main

if __name__ == "__main__":
    sys.exit(main())
