"""The scratch folder of workers: what links lead to is not touched, and what was made there goes."""

import os
import stat

import pytest
from temper.worker import scratch


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_removing_changes_nothing_behind_links(tmp_path):
    outside = tmp_path / "project"
    outside.mkdir(mode=0o755)
    module = outside / "m.py"
    module.write_text("x = 1\n")
    module.chmod(0o644)
    place = tmp_path / "scratch"
    (place / "inner").mkdir(parents=True)
    scratch.mirror(str(outside), str(place))
    (place / "inner" / "folder").symlink_to(outside)
    # What `os.chmod(".", 0o500)` in a checked function leaves behind.
    (place / "inner").chmod(0o000)
    place.chmod(0o500)
    scratch.remove(str(place))
    assert not place.exists()
    assert (mode(module), mode(outside)) == (0o644, 0o755)


def test_folders_deeper_than_a_path_may_be_long_are_removed(tmp_path):
    place = tmp_path / "scratch"
    place.mkdir()
    here = os.open(place, os.O_RDONLY)
    for _ in range(2100):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    scratch.remove(str(place))
    assert os.listdir(tmp_path) == []


def test_a_folder_of_another_kind_is_not_entered(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in scratch.SCRATCH_VARIABLES:
        monkeypatch.setenv(name, "")
    with pytest.raises(PermissionError):
        scratch.enter(str(tmp_path / "link"))
