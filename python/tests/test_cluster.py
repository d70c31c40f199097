"""Work on a Dask cluster, a real one: the results are those of this machine, whoever dies on the way."""

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time

import pytest
from temper.cluster import project_copy

distributed = pytest.importorskip("distributed", reason="needs `distributed`, as `temper-ml[dask]` has it")

TESTS = """
import os
import pathlib
import random
import time

from helper import scale


def pause():
    time.sleep(float(pathlib.Path(__file__).with_name("pause.txt").read_text()))


def test_sound():
    pause()
    assert random.gauss(0, 1) * scale() < 9


def test_flaky():
    pause()
    assert random.random() < 0.7


def test_constant():
    assert 1 / 3 * float(os.environ["CLUSTER_SCALE"]) < 0.5
"""
QUICK = ("--pass", "0.95", "--runs", "60", "--verify-runs", "20", "-q", "--format", "json")


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "test_work.py").write_text(TESTS)
    (root / "helper.py").write_text("def scale():\n    return 1.0 + 0.0\n")
    (root / "pause.txt").write_text("0")
    return root


def bounds(project, *arguments, **environment):
    command = [sys.executable, "-m", "temper", "bounds", *QUICK, *arguments]
    environment = {**os.environ, "CLUSTER_SCALE": "1", **environment}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)


def found(done):
    """What was found, without how long it took and where."""
    document = json.loads(done.stdout or pytest.fail(done.stderr))

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items() if key not in ("secs", "cpu_secs")}
        return [plain(each) for each in value] if isinstance(value, list) else value

    bounds = document["bounds"]
    kept = {key: bounds[key] for key in ("runs_taken", "not_judged", "stopped", "mutants") if key in bounds}
    return plain([document["subjects"], document["findings"], kept])


def elsewhere(project):
    """The same project in another folder, without samples."""
    other = project.parent / "other"
    other.mkdir()
    for path in project.iterdir():
        if path.is_file():
            (other / path.name).write_bytes(path.read_bytes())
    return other


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


def test_a_cluster_gives_the_results_of_this_machine(project, cluster):
    arguments = ("--tighten", "--operators", "arithmetic")
    here = bounds(project, *arguments)
    there = bounds(elsewhere(project), *arguments, "--executor", f"dask://{cluster.scheduler_address}")
    assert here.returncode == there.returncode == 1, there.stderr
    assert found(there) == found(here)
    # A variable may name the cluster too, and what it did is kept here.
    again = bounds(elsewhere_of(project), *arguments, TEMPER_EXECUTOR=f"dask://{cluster.scheduler_address}")
    assert json.loads(again.stdout)["bounds"]["runs_taken"] == 0


def elsewhere_of(project):
    return project.parent / "other"


def test_a_worker_that_is_killed_changes_nothing(project, cluster):
    (project / "pause.txt").write_text("0.02")
    expected = found(bounds(elsewhere(project), "--no-mutants"))
    victim, killed = cluster.workers[0].pid, []

    def kill():
        until = time.monotonic() + 60
        while not is_at_work(victim) and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    there = bounds(project, "--no-mutants", "--executor", f"dask://{cluster.scheduler_address}")
    killer.join()
    assert killed and there.returncode == 1, there.stderr
    assert found(there) == expected


def is_at_work(worker):
    """Whether a worker of the cluster has started to do pieces of work."""
    with open(f"/proc/{worker}/task/{worker}/children") as file:
        children = file.read().split()
    for child in children:
        try:
            with open(f"/proc/{child}/cmdline", "rb") as file:
                if b"\0serve\0" in file.read():
                    return True
        except OSError:
            pass
    return False


def test_without_the_library_the_command_that_installs_it_is_named(project, tmp_path):
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "distributed.py").write_text("raise ImportError('no module named distributed')\n")
    done = bounds(project, "--executor", "dask://tcp://127.0.0.1:1", PYTHONPATH=str(tmp_path / "without"))
    assert done.returncode == 2
    assert "needs the package `distributed`" in done.stderr
    assert "-m pip install 'temper-ml[dask]'" in done.stderr


def test_a_scheduler_that_is_not_there_is_said(project):
    done = bounds(project, "--executor", "dask://tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert "no Dask scheduler answers at `tcp://127.0.0.1:1`" in done.stderr
    done = bounds(project, "--executor", "slurm")
    assert done.returncode == 2 and 'it takes "local" or a cluster such as "dask://' in done.stderr


def names(archive):
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        return sorted(packed.getnames())


def test_what_tests_may_need_is_sent_and_the_rest_stays(tmp_path):
    root = tmp_path / "project"
    for name in (
        "a.py",
        "data/x.csv",
        "pkg/_fast.so",
        ".venv/lib.py",
        "env/pyvenv.cfg",
        "env/x.py",
        "__pycache__/a.pyc",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "big.bin").touch()
    os.truncate(root / "big.bin", project_copy.MOST_BYTES + 1)
    (root / "inside").symlink_to("a.py")
    (root / "outside").symlink_to("/etc/passwd")
    digest, archive, large = project_copy.pack(root)
    assert names(archive) == ["a.py", "data/x.csv", "inside", "pkg/_fast.so"]
    assert large == ["big.bin"]
    # In a repository what git ignores stays, but for small code and data.
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / ".gitignore").write_text("*.so\n*.log\n.venv\nenv\nbig.bin\n")
    (root / "run.log").write_text("much")
    _, archive, large = project_copy.pack(root)
    assert names(archive) == [".gitignore", "a.py", "data/x.csv", "inside", "pkg/_fast.so"]
    # Equal content has an equal name, whenever it was written.
    os.utime(root / "a.py", (1, 1))
    (root / ".gitignore").unlink()
    assert project_copy.pack(root)[0] != digest
    copy = project_copy.unpack(archive, tmp_path)
    assert (tmp_path / copy / "data/x.csv").read_text() == "data/x.csv"
