"""What Temper itself writes and removes harms nothing of the user's."""

import os
import subprocess
import sys
from pathlib import Path

TEMPER = Path(sys.executable).with_name("temper")
MODULE = "from temper import *\nimport os\n\n\n@args(n=ints(0, 3))\ndef f(n):\n    return 1 // n\n"


def check(folder, *arguments):
    return subprocess.run([TEMPER, "check", "--draws", "20", *arguments], cwd=folder, capture_output=True, text=True)


def test_links_in_our_folder_are_replaced_and_not_followed(tmp_path):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "m.py").write_text(MODULE)
    for name in ("check.json", "check.json.new", "records/check.json", "records/check.new"):
        link = tmp_path / ".temper" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(tmp_path / "precious")
    found = check(tmp_path, "m.py", "--output", "out.txt")
    assert found.returncode == 1, found.stderr
    assert (tmp_path / "precious").read_text() == "mine"
    (tmp_path / "out.txt").unlink()
    (tmp_path / "out.txt").symlink_to(tmp_path / "precious")
    assert check(tmp_path, "m.py", "--output", "out.txt").returncode == 1
    assert (tmp_path / "precious").read_text() == "mine" and not (tmp_path / "out.txt").is_symlink()


def test_a_folder_of_ours_that_is_a_link_is_refused(tmp_path):
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / "m.py").write_text(MODULE)
    (project / "pyproject.toml").write_text("")
    (project / ".temper").symlink_to(elsewhere)
    found = check(project, "m.py")
    assert "is a link, and Temper does not follow links" in found.stderr, found.stderr
    assert os.listdir(elsewhere) == []
