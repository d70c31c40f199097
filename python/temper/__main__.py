"""Starts the command line: ``temper`` and ``python -m temper``."""

import os
import signal
import sys

from temper import _engine


def main() -> int:
    """Run the command line with this process's arguments and return its exit code."""
    # The command line handles Ctrl-C itself; Python's handler would turn it into a KeyboardInterrupt afterwards.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    package_folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return _engine.main(["temper", *sys.argv[1:]], sys.executable or None, package_folder)


if __name__ == "__main__":
    sys.exit(main())
