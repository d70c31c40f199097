"""Starts the command line: ``temper`` and ``python -m temper``."""

import sys

from temper import _engine


def main() -> int:
    """Run the command line with this process's arguments and return its exit code."""
    return _engine.main(["temper", *sys.argv[1:]], sys.executable or None)


if __name__ == "__main__":
    sys.exit(main())
