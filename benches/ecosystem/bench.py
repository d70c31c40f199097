"""Tries Temper on real projects, as a new user would, and says where its first command is useful.

    python benches/ecosystem/bench.py [--budget 120s] [--cache FOLDER] [--record] [PROJECT ...]

For each project of projects.toml: `scan` of the whole project, `bounds` on its named file with fixed seeds kept and with
fixed seeds varied, and `check --suggest` on one module. Every command starts without samples. The table is compared with
the recorded one (results.json); `--record` replaces the recorded rows of the projects that were run.

The first command is useful if it decides at least half of the assertion sites of its file, or has a flaky, suspect or loose
finding. Wall-clock budgets mean something only on an otherwise idle machine.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from prepare import CannotPrepare, Prepared, Project, listed, prepare
from table import changes, markdown

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
# Another build of the program may be measured by naming it in TEMPER.
TEMPER = os.environ.get("TEMPER") or Path(sys.executable).parent / "temper"
RECORDED = HERE / "results.json"
WORTH_A_LOOK = {"flaky", "suspect", "loose"}
# A command that is still running then does not keep its budget at all; it is ended so that the table goes on.
PATIENCE = 4


def main() -> None:
    """Run the projects that were named, or all."""
    options = arguments()
    rows = {}
    for project in listed():
        if options.projects and project.name not in options.projects:
            continue
        print(f"{project.name} {project.version} ...", file=sys.stderr, flush=True)
        rows[project.name] = tried(project, options)
        # A table that is cut short keeps its rows.
        (options.cache / "rows.json").write_text(json.dumps(rows, indent=1))
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    print(markdown(rows))
    print("\n".join(changes(recorded, rows)))
    merged = dict(sorted({**recorded, **rows}.items()))
    folder = HERE if options.record else options.cache
    (folder / "results.json").write_text(json.dumps(merged, indent=1) + "\n")
    (folder / "results.md").write_text(markdown(merged) + "\n")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="only these")
    parser.add_argument("--budget", default="120s", help="of each `bounds`, as Temper takes it")
    parser.add_argument(
        "--cache", type=Path, default=REPOSITORY / "target" / "ecosystem", help="downloads and installs"
    )
    parser.add_argument("--record", action="store_true", help="replace the recorded rows")
    options = parser.parse_args()
    options.cache = options.cache.resolve()
    return options


def tried(project: Project, options: argparse.Namespace) -> dict:
    """The row of one project."""
    row = {"version": project.version, "file": project.file}
    try:
        prepared = prepare(project, options.cache)
    except (CannotPrepare, OSError) as error:
        return {**row, "cannot": str(error)}
    sites = scanned(prepared)
    row["scan"] = sites
    for seeds in ("keep", "vary"):
        row[seeds] = bounds(prepared, seeds, options.budget, sites["file"])
    row["suggest"] = suggested(prepared)
    return row


def scanned(prepared: Prepared) -> dict:
    """How many sites the project and its file have, and what was not understood."""
    done = run(prepared, ["scan", "--format", "json", "-q"], 300)
    inventory = (done["document"] or {}).get("inventory", {"sites": [], "not_understood": []})
    return {
        "project": len(inventory["sites"]),
        "file": sum(site["path"] == prepared.project.file for site in inventory["sites"]),
        "not_understood": len(inventory.get("not_understood", [])),
        "cpu_secs": done["cpu_secs"],
    }


def bounds(prepared: Prepared, seeds: str, budget: str, sites: int) -> dict:
    """What `temper bounds` says about the file."""
    shutil.rmtree(prepared.folder / ".temper", ignore_errors=True)
    limit = secs(budget) * PATIENCE + 60
    command = ["bounds", prepared.project.file, "--budget", budget, "--seeds", seeds, "--format", "json"]
    done = run(prepared, command, limit)
    result = {key: done[key] for key in ("exit", "cpu_secs", "wall_secs")}
    if done["document"] is None:
        return {**result, "is_useful": False, "why": done["said"] or "no report", "findings": []}
    return {**result, **judged(done["document"], sites)}


def judged(document: dict, sites: int) -> dict:
    """Whether the answer is useful, and the figures behind that."""
    subjects = [subject for subject in document["subjects"] if "verdict" in subject["evidence"]]
    verdicts = Counter(subject["evidence"]["verdict"] for subject in subjects)
    left_out = sum(document["bounds"]["left_out"].values())
    wanted = max(len(subjects), sites - left_out)
    decided = len(subjects) - verdicts["undecided"]
    findings = [f"{f['kind']} {f['path']}:{f['line']}" for f in document["findings"]]
    worth = sum(f["kind"] in WORTH_A_LOOK for f in document["findings"])
    constant = [s["evidence"] for s in subjects if is_constant(s["evidence"])]
    return {
        "is_useful": bool(worth) or (wanted > 0 and 2 * decided >= wanted),
        "why": f"{worth} findings" if worth else f"{decided} of {wanted} sites decided",
        "sites": wanted,
        "decided": decided,
        "verdicts": dict(sorted(verdicts.items())),
        "constant": len(constant),
        "constant_in_two": sum(e["verdict"] == "deterministic" and e["runs"] <= 2 for e in constant),
        "not_judged": dict(Counter(test["reason"] for test in document["bounds"]["not_judged"])),
        "runs": document["bounds"]["runs_taken"],
        "findings": findings,
    }


def is_constant(evidence: dict) -> bool:
    """Whether the value is known not to change: by the rule for two runs, or by thirty of them."""
    is_one_value = len(set(evidence.get("numbers", [0, 1]))) == 1
    return is_one_value and (evidence["verdict"] == "deterministic" or evidence["runs"] >= 30)


def suggested(prepared: Prepared) -> dict:
    """What `temper check --suggest` proposes for one module."""
    done = run(prepared, ["check", "--suggest", prepared.project.suggest], 300)
    lines = done["out"].splitlines()
    return {
        "exit": done["exit"],
        "annotations": sum(line.lstrip("+ ").startswith("@arg") for line in lines),
        "cpu_secs": done["cpu_secs"],
    }


def run(prepared: Prepared, command: list, limit: float) -> dict:
    """One command of Temper in the project's folder: exit code, output, processor time with all that it started."""
    started = time.monotonic()
    process = subprocess.Popen(
        [str(TEMPER), *command, "--python", str(prepared.python)],
        cwd=prepared.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    before = os.times()
    try:
        out, err = process.communicate(timeout=limit)
        said = first_error(err)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        said = f"still running after {limit:.0f} s"
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "exit": process.returncode,
        "out": out,
        "said": said,
        "document": document_of(out),
        "cpu_secs": round(cpu, 1),
        "wall_secs": round(time.monotonic() - started, 1),
    }


def document_of(out: str) -> dict | None:
    """The JSON report, if the output is one."""
    try:
        return json.loads(out)
    except ValueError:
        return None


def first_error(err: str) -> str:
    """The line that says why there is no report."""
    errors = [line for line in err.splitlines() if line.startswith("error")]
    return errors[0] if errors else ""


def secs(budget: str) -> float:
    """A budget as Temper writes it, in seconds."""
    return float(budget[:-1]) * {"s": 1, "m": 60, "h": 3600}[budget[-1]]


if __name__ == "__main__":
    main()
