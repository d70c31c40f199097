"""The installed command and package, as a user has them after ``pip install``."""

import importlib.metadata
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPER = Path(sys.executable).parent / "temper"


def run(*arguments, cwd, command=(str(TEMPER),), **environment):
    """Run the command in a folder and give its exit code, standard output and standard error."""
    result = subprocess.run(
        [*command, *arguments],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return result.returncode, result.stdout, result.stderr


@pytest.fixture
def project(tmp_path):
    """A project with one approximate assertion."""
    (tmp_path / "pytest.ini").write_text("")
    (tmp_path / "test_it.py").write_text("def test_it():\n    assert abs(x()) < 0.5\n")
    return tmp_path


def test_the_distribution_needs_no_other():
    # Only what somebody asks for by name, as in `temper-ml[dask]`.
    assert all("extra ==" in required for required in importlib.metadata.requires("temper-ml") or ())


def test_import_gives_the_version_and_loads_nothing_heavy():
    script = "import sys, temper; print(temper.__version__, 'numpy' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert output.split() == [importlib.metadata.version("temper-ml"), "False"]


def test_the_script_and_the_module_say_the_same(project):
    script = run("scan", cwd=project)
    module = run("scan", cwd=project, command=(sys.executable, "-m", "temper"))
    assert script == module
    assert script[0] == 0


def test_the_exit_code_reaches_the_shell(project):
    code, _, stderr = run("scan", "nowhere", cwd=project)
    assert code == 2
    assert "nowhere" in stderr


def test_it_says_which_interpreter_it_is_installed_in(project):
    _, stdout, _ = run("scan", cwd=project)
    assert sys.executable in stdout


@pytest.mark.parametrize("arguments", [("scan",), ("config",)])
def test_json_follows_the_schema(project, arguments):
    schema = json.loads((REPOSITORY / "docs/reference/report.schema.json").read_text())
    _, stdout, _ = run(*arguments, "--format", "json", cwd=project)
    jsonschema.validate(json.loads(stdout), schema)


def test_the_jobs_follow_the_schema_and_end_with_findings(tmp_path):
    """Both jobs through the installed command, on copies of the examples."""
    schema = json.loads((REPOSITORY / "docs/reference/report.schema.json").read_text())
    examples = shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    bounds = ["bounds", "tests/test_mlkit.py::test_logreg_norm", "--runs", "200", "--format", "json"]
    for folder, arguments, kind in [("mlkit", bounds, "flaky"), ("densenet", ["check", "--format", "json"], "crash")]:
        code, stdout, stderr = run(*arguments, cwd=examples / folder)
        assert code == 1, stderr
        report = json.loads(stdout)
        jsonschema.validate(report, schema)
        assert json.loads((examples / folder / f".temper/records/{arguments[0]}.json").read_text()) == report
        assert [finding["kind"] for finding in report["findings"]] == [kind]
        code, _, stderr = run("replay", report["findings"][0]["id"], cwd=examples / folder)
        assert code == 1, stderr


def test_a_closed_pipe_is_not_an_error(project):
    command = f"{TEMPER} scan -v | head -n 1"
    result = subprocess.run(["sh", "-c", command], cwd=project, capture_output=True, text=True)
    assert result.stderr == ""


def test_ctrl_c_ends_with_130_and_what_there_is(project):
    for number in range(100):
        (project / f"test_{number}.py").write_text("def test_it():\n    assert abs(x()) < 0.5\n")
    has_begun = project / "begun"
    environment = {"PATH": "/usr/bin:/bin", "TEMPER_TEST_FAULT": f"slow:200:{has_begun}"}
    process = subprocess.Popen(
        [TEMPER, "scan"],
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not has_begun.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in stderr
    assert "approximate assertion" in stdout


@pytest.mark.parametrize("package", ["numpy", "scipy", "sklearn", "pandas"])
def test_scan_reads_the_tests_of_a_real_library(package):
    folder = Path(pytest.importorskip(package).__file__).parent
    code, stdout, stderr = run("scan", str(folder), "--format", "json", cwd=folder.parent)
    assert code == 0, stderr
    inventory = json.loads(stdout)["inventory"]
    assert len(inventory["sites"]) > 500
    assert inventory["files_read"] > 300


def test_the_command_line_loads_nothing_that_it_does_not_need():
    code = "import sys, temper.__main__; print(*sorted(name for name in sys.modules if name.startswith('temper')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["temper", "temper.__main__", "temper._engine"]


def test_every_public_name_is_there_when_it_is_asked_for():
    import temper
    from temper import public

    assert set(temper.__all__) == {*public.__all__, "__version__"}
    for name in temper.__all__:
        assert getattr(temper, name) is not None
    assert not hasattr(temper, "no_such_name")
    assert set(temper.__all__) <= set(dir(temper))
