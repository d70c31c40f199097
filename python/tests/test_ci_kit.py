"""The Action and the pre-commit hooks run commands that exist, with options that exist."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPER = Path(sys.executable).parent / "temper"


def read(name):
    return YAML(typ="safe").load((REPOSITORY / name).read_text())


@pytest.fixture
def project(tmp_path):
    """A project with one function that crashes and one test that cannot fail."""
    (tmp_path / "pytest.ini").write_text("")
    (tmp_path / "subject.py").write_text(
        "from temper import arg, ints\n\n@arg('n', ints(0, 9))\ndef breaks(n):\n    return 1 // (n - n)\n"
    )
    (tmp_path / "test_one.py").write_text("import random\ndef test_one():\n    assert random.random() < 2.0\n")
    return tmp_path


@pytest.mark.parametrize("hook", read(".pre-commit-hooks.yaml"), ids=lambda hook: hook["id"])
def test_a_hook_runs_on_the_files_that_it_is_given(hook, project):
    program, *arguments = hook["entry"].split()
    assert program == "temper"
    result = subprocess.run(
        [TEMPER, *arguments, "subject.py"], cwd=project, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == (1 if hook["id"] == "temper-check" else 0), result.stderr


# The only function belongs to the second of two parts; the first has nothing to do.
@pytest.mark.parametrize(("command", "shard", "code"), [("bounds", "", 0), ("check", "2/2", 1), ("check", "1/2", 5)])
def test_the_action_writes_summary_page_and_sarif(command, shard, code, project, tmp_path):
    (step,) = (step for step in read("action.yml")["runs"]["steps"] if "COMMAND" in step.get("env", {}))
    summary = project / "summary.md"
    environment = {
        **os.environ,
        "PATH": f"{TEMPER.parent}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(summary),
        "COMMAND": command,
        "ARGUMENTS": "--quiet",
        "SINCE": "",
        "BUDGET": "60s",
        "SHARD": shard,
    }
    result = subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=project, env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == code, result.stdout + result.stderr
    if code == 5:
        return
    assert summary.read_text().startswith(f"## temper {command}: ")
    assert (project / "temper.html").exists() and (project / "temper.sarif").exists()


def test_every_input_of_the_action_is_used():
    action = read("action.yml")
    text = (REPOSITORY / "action.yml").read_text()
    for name in action["inputs"]:
        assert f"inputs.{name}" in text.split("runs:")[1], name
