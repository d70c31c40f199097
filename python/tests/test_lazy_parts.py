"""Parts of libraries that are loaded on first use are there before a test runs: each of its forks would load them again."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("numpy", reason="needs numpy")

TEST = """
import sys
import numpy as np

def test_value():
    assert "numpy.random" in sys.modules
    assert np.random.random() < 5.0
"""


def test_numpy_random_is_loaded_once_for_all_runs(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "test_value.py").write_text(TEST)
    command = [sys.executable, "-m", "temper", "bounds", "--format", "json", "-q", "--python", sys.executable]
    # Plugins of pytest may load it by themselves.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (subject,) = json.loads(done.stdout)["subjects"]
    assert subject["evidence"]["verdict"] == "sound"
