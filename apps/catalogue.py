"""Write docs/catalogue: a page for each API, from the models and from what the claims in dist/ become. ``make catalogue`` runs it."""

import sys
from pathlib import Path

# as in main.py: Python puts this file's folder first, where platform.py would hide the standard library's module of that name
ROOT = Path(__file__).resolve().parents[1]
sys.path[:1] = [str(ROOT), str(ROOT / "constructs")]

from apps.platform import APIS  # noqa: E402 - the path must be right first

from crossgate.load import load_paths  # noqa: E402
from crossgate.schema import Schemas  # noqa: E402
from mlplatform.core.catalogue import pages  # noqa: E402


def main() -> None:
    """Write every page, and remove those of APIs that are gone."""
    folder = ROOT / "docs" / "catalogue"
    written = pages(APIS, load_paths([ROOT / "dist"], root=ROOT).documents, Schemas.load([ROOT / "schemas"]))
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in written:
            old.unlink()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"wrote docs/catalogue: {len(written)} pages")


if __name__ == "__main__":
    main()
