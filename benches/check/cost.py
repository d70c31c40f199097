"""How the cost of `temper check` grows with the number of functions, search included: processor time of the whole command."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

COUNTS = (10, 100, 500)
# Four unlike functions, which take turns.
FUNCTIONS = (
    "@args(n=ints(1, 99), rate=floats(0, 1))\ndef f{0}(n, rate):\n    return [rate / k for k in range(1, n + 1)]\n",
    '@args(x=np_arrays("float64", "n k"), w=np_arrays("float64", "k"))\ndef f{0}(x, w):\n    return x @ w if x.size else 0\n',
    "@args(words=lists(texts(max_len=4), max_len=6), least=ints(0, 3))\ndef f{0}(words, least):\n"
    "    return sorted(word for word in words if len(word) >= least)\n",
    "@args(a=ints(0, 1000), b=ints(0, 1000))\ndef f{0}(a, b):\n    if a > 500 and b == a // 2:\n        return a - b\n"
    "    return a + b if a < b else 0\n",
)


def cost(count):
    """Processor seconds of one run over that many functions, and how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        head = "from temper import args, floats, ints, lists, np_arrays, texts\n\n\n"
        body = "\n\n".join(FUNCTIONS[at % len(FUNCTIONS)].format(at) for at in range(count))
        (project / "many.py").write_text(head + body)
        (project / "pyproject.toml").write_text('[project]\nname = "many"\nversion = "0"\n')
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "temper", "check", "--budget", "none"]
        ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, ended.stdout.strip().splitlines()[-1:]


def main():
    """Prints a line for each number of functions."""
    for count in COUNTS:
        spent, said = cost(count)
        print(f"  {count:>4} functions: {spent:7.1f} CPU s, {1000 * spent / count:6.1f} ms each   {' '.join(said)}")
    print("  (wanted: 100 functions in at most 60 CPU s, and the same time for each)")


if __name__ == "__main__":
    main()
