"""What several machines cost: `python benches/scale/bench.py [cluster] [merge] [record]`; all of them without a name.

- cluster: processor time and time on the clock of `temper bounds` on a Dask cluster of four workers on this machine, and with
  local slots; tests of one second, computing and sleeping.
- merge: processor time of `temper merge` for a million samples.
- record: processor time of a suite with `pytest --temper-record` and without.

Processor time counts all that was started. Time on the clock means something only on an otherwise idle machine.
"""

import json
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPER = Path(sys.executable).parent / "temper"
COMPUTING = "    end = time.process_time() + 1.0\n    while time.process_time() < end:\n        pass\n"
SLEEPING = "    time.sleep(1.0)\n"


def suite(folder, body):
    lines = ["import random", "import time", ""]
    for number in range(4):
        lines += [f"def test_{number}():", body + "    assert random.random() < 0.9", ""]
    (folder / "test_long.py").write_text("\n".join(lines))


def children_secs():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command(folder, *arguments, runs=30):
    """Processor seconds and seconds on the clock of a command, and its report."""
    shutil.rmtree(folder / ".temper", ignore_errors=True)
    cpu, wall = children_secs(), time.monotonic()
    options = ["bounds", "--no-mutants", "--runs", str(runs), "--verify-runs", "1", "--format", "json", "-q"]
    done = subprocess.run([TEMPER, *options, *arguments], cwd=folder, capture_output=True, text=True)
    cpu, wall = children_secs() - cpu, time.monotonic() - wall
    return cpu, wall, json.loads(done.stdout)


def cluster_secs(cluster):
    """Processor seconds of the workers of a cluster and of all below them, ended children included."""
    ticks, total = os.sysconf("SC_CLK_TCK"), 0
    parents, stats = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)], stats[int(name)] = int(fields[1]), sum(map(int, fields[11:15]))
    wanted = {worker.pid for worker in cluster.workers.values()}
    for pid in parents:
        above = pid
        while above in parents and above not in wanted:
            above = parents[above]
        total += stats[pid] if above in wanted else 0
    return total / ticks


def bench_cluster():
    import dask
    import distributed

    # What Dask measures of its workers many times a second, which only wait here. The guide says how to turn it off.
    dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"})
    for name, body in (("computing", COMPUTING), ("sleeping", SLEEPING)):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            suite(folder, body)
            local = command(folder)
            with distributed.LocalCluster(
                n_workers=4, threads_per_worker=1, dashboard_address=None, silence_logs=50
            ) as cluster:
                before = cluster_secs(cluster)
                remote = command(folder, "--executor", f"dask://{cluster.scheduler_address}")
                worked = cluster_secs(cluster) - before
        same = [report["subjects"] for *_, report in (local, remote)]
        for subjects in same:
            for subject in subjects:
                subject["evidence"].pop("secs", None)
        print(f"{name}: local {local[0]:.1f} CPU s, {local[1]:.1f} s on the clock")
        print(
            f"{name}: four workers {remote[0] + worked:.1f} CPU s ({100 * ((remote[0] + worked) / local[0] - 1):+.1f} %), ",
            end="",
        )
        print(f"{remote[1]:.1f} s on the clock ({100 * (remote[1] / local[1] - 1):+.1f} %)")
        print(f"{name}: of that {remote[0]:.1f} CPU s in the command and {worked:.1f} in the workers; ", end="")
        taken = [
            sum(report["bounds"][key] for key in ("runs_taken", "runs_of_patches")) for *_, report in (local, remote)
        ]
        print(f"{taken[0]} runs here, {taken[1]} there; load {os.getloadavg()[0]:.0f}")
        print(f"{name}: same results: {same[0] == same[1]}")


def bench_merge(samples=1_000_000):
    with tempfile.TemporaryDirectory() as place:
        part, joined = Path(place) / "part", Path(place) / "joined"
        for folder in (part, joined):
            folder.mkdir()
            (folder / "pyproject.toml").write_text("[project]\nname = 'x'\nversion = '0'\n")
            suite(folder, "")
        command(part, "--pass", "0.5")
        multiply(part / ".temper/store.db", samples)
        cpu = children_secs()
        done = subprocess.run([TEMPER, "merge", part], cwd=joined, capture_output=True, text=True)
        cpu = children_secs() - cpu
        print(done.stdout.strip())
        print(f"merge: {samples:,} samples in {cpu:.1f} CPU s, {1e6 * cpu / samples:.1f} a million")


def multiply(store, samples):
    """Fills a store with copies of its runs under other seeds, until it has that many samples."""
    base = sqlite3.connect(store)
    columns = {table: [row[1] for row in base.execute(f"PRAGMA table_info({table})")] for table in ("run", "sample")}
    series, seed = base.execute("SELECT series, seed FROM run LIMIT 1").fetchone()
    for table in ("run", "sample"):
        names = ", ".join(name if name != "seed" else "? + value" for name in columns[table])
        base.execute(
            f"WITH RECURSIVE number(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < {samples}) "
            f"INSERT OR IGNORE INTO {table} SELECT {names} FROM {table}, number WHERE series = ? AND seed = ?",
            (-(1 << 62), series, seed),
        )
    base.commit()


def bench_record(repeats=7):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "mlkit"
        shutil.copytree(REPOSITORY / "examples/mlkit", folder, ignore=shutil.ignore_patterns(".temper", "__pycache__"))
        secs = {"plain": [], "recorded": []}
        for _ in range(repeats):
            for name, options in (("plain", []), ("recorded", ["--temper-record"])):
                before = children_secs()
                pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *options]
                subprocess.run(pytest, cwd=folder, capture_output=True, check=False)
                secs[name].append(children_secs() - before)
        plain, recorded = (statistics.median(secs[name]) for name in ("plain", "recorded"))
        print(f"record: {plain:.2f} CPU s without, {recorded:.2f} with: {recorded - plain:+.2f} s, ", end="")
        print(f"{100 * (recorded / plain - 1):+.1f} % (median of {repeats})")


if __name__ == "__main__":
    named = sys.argv[1:] or ["cluster", "merge", "record"]
    for name in named:
        {"cluster": bench_cluster, "merge": bench_merge, "record": bench_record}[name]()
