"""Whether `temper check --budget` is kept: seconds on the clock, with functions that work, wait or import for longer."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cost import FUNCTIONS

HEAD = "import time\nfrom temper import arg, args, floats, ints, lists, np_arrays, texts, timeout\n\n\n"
LATE = "@timeout(9000)\n@arg('n', ints(0, 9))\ndef waits(n):\n    time.sleep(6000)\n"
# By name: what the module holds.
MODULES = {
    "2,000 functions": HEAD + "\n\n".join(FUNCTIONS[at % len(FUNCTIONS)].format(at) for at in range(2000)),
    "a function that sleeps": HEAD + LATE,
    "an import that sleeps": f"{HEAD}time.sleep(6000)\n\n\n{LATE}",
}


def took(text, budget):
    """Seconds that a check of a module with this text took."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "late.py").write_text(text)
        (project / "pyproject.toml").write_text('[project]\nname = "late"\nversion = "0"\n')
        command = [sys.executable, "-m", "temper", "check", "--budget", budget, "--time-limit", "9000s"]
        started = time.monotonic()
        subprocess.run(command, cwd=project, capture_output=True, check=False)
        return time.monotonic() - started


def main():
    """Prints a line for each module and budget."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("budgets", nargs="*", type=int, default=[5, 20, 120], help="seconds")
    print("seconds that `temper check --budget` took (wanted: at most 5 % or 2 s more)")
    for budget in parser.parse_args().budgets:
        for name, text in MODULES.items():
            spent = took(text, f"{budget}s")
            is_kept = spent <= max(1.05 * budget, budget + 2)
            print(f"  --budget {budget:>3}s   {name:<24} {spent:7.2f} s   {'kept' if is_kept else 'NOT KEPT'}")


if __name__ == "__main__":
    main()
