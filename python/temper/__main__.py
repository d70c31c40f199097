"""Starts the command line: ``temper`` and ``python -m temper``."""

import signal
import sys

from temper import _engine


def main() -> int:
    """Run the command line with this process's arguments and return its exit code."""
    # The command line handles Ctrl-C itself; Python's handler would turn it into a KeyboardInterrupt afterwards.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _engine.main(["temper", *sys.argv[1:]], sys.executable or None)


if __name__ == "__main__":
    sys.exit(main())
