"""`temper check --suggest` over documented functions of real packages: how many are known, need no edit, or crash.

The packages are installed into target/suggest with pinned versions (500 MB). The table of each module is printed, and a sum.
Functions without a docstring are not counted. A function needs no edit if its proposal is clean or crashes in a way that the
docstring does not exclude. `READ` says what a person found who read each crash against the docstring.
`--save FILE` keeps every crash with what the docstring says about the parameters, to be read.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from temper.check.docstrings import Docstring

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
# What the docstring says about the call of each crash, by file, function and exception; read by hand. "true": it allows the call.
# "silent": it says nothing about this case. "validation": a library below refuses the input in words. "contradicted": it excludes
# the call.
READ = {
    "sklearn/metrics/_classification.py": {"hinge_loss ZeroDivisionError": "silent"},
    "sklearn/metrics/_ranking.py": {
        "label_ranking_loss ZeroDivisionError": "silent",
        "dcg_score ZeroDivisionError": "silent",
        "ndcg_score ZeroDivisionError": "silent",
    },
    "sklearn/preprocessing/_data.py": {
        "PowerTransformer.fit ValueError": "validation",
        "PowerTransformer.fit_transform ValueError": "validation",
        "power_transform ValueError": "validation",
    },
    "scipy/signal/_signaltools.py": {"deconvolve OverflowError": "silent"},
    "scipy/stats/_stats_py.py": {
        "cumfreq ValueError": "silent",
        "relfreq ValueError": "silent",
        "expectile ZeroDivisionError": "silent",
    },
    # A tree with more nodes than memory has room for; it ends in one of these ways.
    "networkx/generators/classic.py": {
        "balanced_tree MemoryError": "silent",
        "balanced_tree the process ran out of memory (abort": "silent",
    },
    "librosa/util/utils.py": {"localmax IndexError": "true", "localmin IndexError": "true"},
    "numpy_financial/_financial.py": {"irr LinAlgError": "true"},
}


def class_of(name, function, shown):
    """What the docstring says about a crash; another exception of the same function was not read."""
    return READ.get(name, {}).get(f"{function} {shown.partition(':')[0]}", "not read")


def python():
    """The interpreter of the environment with the packages, which is made the first time."""
    found = FOLDER / "bin" / "python"
    if not (FOLDER / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        subprocess.run([str(found), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (FOLDER / "installed").write_text("\n".join(PACKAGES))
    return found


def documented(path):
    """The functions and methods of a file with a docstring, by name; constructors have that of their class."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = ast.get_docstring(node)
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    of_class = ast.get_docstring(node) if each.name == "__init__" else None
                    found[f"{node.name}.{each.name}"] = ast.get_docstring(each) or of_class
    return {name: text for name, text in found.items() if text}


def save(file, name, found, texts):
    """Adds a line for every crash, with what the docstring says about the parameters."""
    for end, function, shown in found:
        if end == "crash":
            described = Docstring(texts[function]).parameters.values()
            parameters = {each.name: f"{each.kind} | {each.text}" for each in described}
            line = {"file": name, "function": function, "shown": shown, "parameters": parameters}
            file.write(json.dumps(line) + "\n")


def table(name, interpreter, site):
    """How each documented function of a file ended: pairs of its name and the line of the table."""
    command = [
        sys.executable,
        "-m",
        "temper",
        "check",
        "--suggest",
        "--budget",
        "none",
        "--python",
        str(interpreter),
        name,
    ]
    ended = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    lines = ended.stdout.partition("\nTried:\n")[2].splitlines()
    if not lines:
        print(f"{name}: {ended.stderr.strip()[-2000:]}")
    counted, known = documented(site / name), re.search(r"(\d+) with every argument known", lines[-1] if lines else "")
    found = []
    for line in lines[:-1]:
        match = re.match(r"  (\w+(?: tried)?)\s+\S+:\d+   (\S+)   ?(.*)", line)
        if match is not None and match[2] in counted:
            found.append((match[1], match[2], match[3]))
    return found, known[1] if known else "0"


def main():
    """Prints the table of each file, and how many functions ended in which way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--save", type=Path, help="a file that gets a line of JSON for every crash")
    arguments = parser.parse_args()
    interpreter, total = python(), Counter()
    site = next((FOLDER / "lib").glob("python*")) / "site-packages"
    read = Counter()
    for name in arguments.files:
        found, _ = table(name, interpreter, site)
        if arguments.save is not None:
            with arguments.save.open("a") as file:
                save(file, name, found, documented(site / name))
        read.update(class_of(name, function, shown) for end, function, shown in found if end == "crash")
        ends = Counter(end for end, _, _ in found)
        unknown = sum("not every argument is known" in shown for _, _, shown in found)
        total.update(ends)
        total["unknown"] += unknown
        print(f"{name}: {len(found)} documented functions, {unknown} not known: {dict(ends)}")
        for end, function, shown in found:
            if end != "clean":
                said = f" ({class_of(name, function, shown)})" if end == "crash" else ""
                print(f"  {end + said:<20} {function}   {shown}")
    unknown = total.pop("unknown")
    summary(total, unknown, read)


def summary(total, unknown, read):
    """Prints the shares of all functions, and what the docstrings say about the crashes."""
    functions, crashes = total.total(), read.total()
    print(f"\n{functions} documented functions: {dict(total)}")
    if functions:
        print(f"  every argument known: {100 * (functions - unknown) / functions:.0f} %")
        no_edit = total["clean"] + crashes - read["contradicted"] - read["not read"]
        print(f"  need no edit: {100 * no_edit / functions:.0f} % (wanted: 60)")
    if crashes:
        share = 100 * read["contradicted"] / crashes
        print(f"  findings: {crashes}, by what their docstrings say: {dict(read)}")
        print(f"  from a proposal that the docstring contradicts: {share:.0f} % (wanted: at most 5)")


if __name__ == "__main__":
    main()
