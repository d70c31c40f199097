"""A Dask cluster on two hosts, made of network namespaces: examples/mlkit on it gives what one machine gives.

Also if a worker is killed, a host is cut off, or the client dies. Part of `make test-long`; needs root and `ip`.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs `distributed`, as `temper-ml[dask]` has it")

REPOSITORY = Path(__file__).resolve().parents[2]
HOSTS = {"temper-a": "10.231.7.1", "temper-b": "10.231.7.2"}
SCHEDULER = f"tcp://{HOSTS['temper-a']}:8786"
# Dask gives a worker that says nothing five minutes; a test does not. It refuses less than eleven seconds for TCP.
QUICK_TO_NOTICE = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "20s",
}
BOUNDS = ["bounds", "--pass", "0.99", "--runs", "120", "--verify-runs", "40", "-q", "--format", "json"]


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def on(host, *command, **options):
    return subprocess.Popen(["ip", "netns", "exec", host, *map(str, command)], start_new_session=True, **options)


@pytest.fixture(scope="module")
def hosts():
    """Two namespaces joined by a pair of virtual devices."""
    try:
        for host in HOSTS:
            subprocess.run(["ip", "netns", "del", host], capture_output=True)
            ip("netns", "add", host)
        ip("link", "add", "veth-a", "netns", "temper-a", "type", "veth", "peer", "name", "veth-b", "netns", "temper-b")
        for (host, address), device in zip(HOSTS.items(), ("veth-a", "veth-b"), strict=True):
            ip("-n", host, "addr", "add", f"{address}/24", "dev", device)
            for each in ("lo", device):
                ip("-n", host, "link", "set", each, "up")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"network namespaces cannot be made here: {error}")
    yield
    for host in HOSTS:
        subprocess.run(["ip", "netns", "del", host], capture_output=True)


@pytest.fixture
def cluster(hosts, tmp_path):
    """A scheduler on one host and two workers on each; by name."""
    environment = {**os.environ, **QUICK_TO_NOTICE}
    # Into a file: it is what one looks at if a test fails.
    log = (tmp_path / "cluster.log").open("wb")
    quiet = {"env": environment, "stdout": log, "stderr": log, "cwd": tmp_path}
    python = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    ip("-n", "temper-b", "link", "set", "veth-b", "up")
    started = {
        "scheduler": on("temper-a", *python, "--host", HOSTS["temper-a"], "--port", "8786", "--no-dashboard", **quiet)
    }
    for host in HOSTS:
        for number in range(2):
            worker = [
                sys.executable,
                "-m",
                "distributed.cli.dask_worker",
                SCHEDULER,
                "--nthreads",
                "1",
                "--no-dashboard",
            ]
            place = ["--host", HOSTS[host], "--name", f"{host}-{number}", "--local-directory", tmp_path]
            started[f"{host}-{number}"] = on(host, *worker, *place, **quiet)
    try:
        wait_for_workers(4)
        yield started
    finally:
        for process in started.values():
            end(process)


def wait_for_workers(count):
    script = (
        "import distributed, sys\n"
        "client = distributed.Client(sys.argv[1], timeout=60)\n"
        "client.wait_for_workers(int(sys.argv[2]), timeout=120)\n"
    )
    assert on("temper-a", sys.executable, "-c", script, SCHEDULER, count).wait() == 0


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def project(tmp_path, name):
    ignored = shutil.ignore_patterns(".temper", "__pycache__", ".pytest_cache")
    return shutil.copytree(REPOSITORY / "examples/mlkit", tmp_path / name, ignore=ignored)


def temper(folder, *arguments):
    return on(
        "temper-a", sys.executable, "-m", "temper", *BOUNDS, *arguments, cwd=folder, stdout=subprocess.PIPE, text=True
    )


def found(text):
    document = json.loads(text)

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items() if key not in ("secs", "cpu_secs", "all_secs")}
        return [plain(each) for each in value] if isinstance(value, list) else value

    return plain([document["subjects"], document["findings"], document["bounds"].get("mutants")])


@pytest.fixture(scope="module")
def expected(hosts, tmp_path_factory):
    """What this machine gives."""
    folder = project(tmp_path_factory.mktemp("local"), "mlkit")
    return found(temper(folder, "--no-mutants").communicate()[0])


CLUSTER = ["--executor", f"dask://{SCHEDULER}"]


def test_two_hosts_give_what_one_gives(cluster, tmp_path, expected):
    assert found(temper(project(tmp_path, "mlkit"), "--no-mutants", *CLUSTER).communicate()[0]) == expected


def test_mutants_on_two_hosts_are_those_of_one(cluster, tmp_path):
    options = ["--tighten", "--mutant-fraction", "0.1", "tests/test_mlkit.py::test_kmeans_ratio"]
    here = temper(project(tmp_path, "here"), *options).communicate()[0]
    assert found(temper(project(tmp_path, "there"), *options, *CLUSTER).communicate()[0]) == found(here)


def runs_in(folder):
    import sqlite3

    try:
        store = sqlite3.connect(f"file:{folder}/.temper/store.db?mode=ro", uri=True)
        return store.execute("SELECT COUNT(*) FROM run").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def wait_until_at_work(folder, process):
    until = time.monotonic() + 300
    while runs_in(folder) < 20 and process.poll() is None:
        assert time.monotonic() < until, "no runs came in"
        time.sleep(0.05)


@pytest.mark.parametrize("fate", ["a worker is killed", "a host is cut off"])
def test_whatever_happens_to_workers_the_result_is_the_same(cluster, tmp_path, expected, fate):
    folder = project(tmp_path, "mlkit")
    command = temper(folder, "--no-mutants", *CLUSTER)
    wait_until_at_work(folder, command)
    if fate == "a worker is killed":
        end(cluster["temper-b-0"])
    else:
        ip("-n", "temper-b", "link", "set", "veth-b", "down")
    assert found(command.communicate(timeout=900)[0]) == expected


def test_a_killed_client_loses_nothing_that_was_kept(cluster, tmp_path, expected):
    folder = project(tmp_path, "mlkit")
    command = temper(folder, "--no-mutants", *CLUSTER)
    wait_until_at_work(folder, command)
    end(command)
    kept = runs_in(folder)
    assert found(temper(folder, "--no-mutants", *CLUSTER).communicate(timeout=900)[0]) == expected
    assert kept >= 10
