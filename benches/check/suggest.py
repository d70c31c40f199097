"""`temper check --suggest` over documented functions of real packages: how many are known, need no edit, or crash.

The packages are installed into target/suggest with pinned versions. What is printed is the table of each module, and a sum.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "target" / "suggest"
PACKAGES = (
    "numpy==2.3.5",
    "scipy==1.17.1",
    "scikit-learn==1.9.1",
    "einops==0.8.2",
    "networkx==3.6.1",
    "mlxtend==0.25.0",
    "numpy-financial==1.0.0",
    "librosa==0.11.0",
)
FILES = (
    "sklearn/metrics/_regression.py",
    "sklearn/metrics/_classification.py",
    "sklearn/metrics/_ranking.py",
    "sklearn/preprocessing/_data.py",
    "scipy/signal/_signaltools.py",
    "scipy/stats/_stats_py.py",
    "librosa/util/utils.py",
    "einops/einops.py",
    "networkx/generators/classic.py",
    "mlxtend/evaluate/accuracy.py",
    "numpy_financial/_financial.py",
)


def python():
    """The interpreter of the environment with the packages, which is made the first time."""
    found = FOLDER / "bin" / "python"
    if not found.exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        subprocess.run([str(found), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return found


def main():
    """Prints the table of each file, and how many functions ended in which way."""
    interpreter, total, known = python(), Counter(), 0
    site = next((FOLDER / "lib").glob("python*")) / "site-packages"
    for name in FILES:
        command = [sys.executable, "-m", "temper", "check", "--suggest", "--python", str(interpreter), name]
        ended = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
        table = ended.stdout.partition("\nTried:\n")[2].splitlines()
        print(f"{name}: {table[-1] if table else ended.stderr.strip()}")
        print("\n".join(line for line in table[:-1] if line.split()[:1] in (["crash"], ["refused"])))
        total.update(line[2:12].strip() for line in table[:-1])
        found = re.search(r"(\d+) with every argument known", table[-1]) if table else None
        known += int(found[1]) if found else 0
    functions = total.total()
    print(f"\n{functions} functions: {dict(total)}")
    if functions:
        print(f"  every argument known: {known} ({100 * known / functions:.0f} %)")
        print(
            f"  clean or crash without an edit: {100 * (total['clean'] + total['crash']) / functions:.0f} % (wanted: 60)"
        )


if __name__ == "__main__":
    main()
