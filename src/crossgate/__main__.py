"""``python -m crossgate``."""

from crossgate.cli import main

if __name__ == "__main__":
    main()
