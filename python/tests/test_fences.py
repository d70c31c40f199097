"""The fences around checked functions, through the installed command."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import temper

REPOSITORY = Path(__file__).resolve().parents[2]
HOME_FILE = ".ssh/id_test"


def command(project, *arguments, prefix=(), python=sys.executable, **environment):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(project.parent), **environment}
    return subprocess.run(
        [*prefix, python, "-m", "temper", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture
def project(tmp_path):
    """A project in a home that has a secret, next to a folder that is not the project's."""
    target = tmp_path / "project"
    shutil.copytree(REPOSITORY / "fixtures/projects/check_fences", target, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_text("precious")
    (tmp_path / ".ssh").mkdir()
    (tmp_path / HOME_FILE).write_text("the secret key")
    return target


def status(folder):
    found = {path: path.stat() for path in sorted(folder.rglob("*"))}
    return [(path.name, one.st_mode, one.st_mtime_ns, one.st_ctime_ns, one.st_nlink) for path, one in found.items()]


def subjects(result):
    assert result.stdout, result.stderr
    document = json.loads(result.stdout)
    return {s["name"]: (s["verdict"], s["evidence"].get("reason", "")) for s in document["subjects"]}, document


def test_refusals_are_never_crashes_and_secrets_are_not_seen(project):
    outside = project.parent / "outside"
    before = status(outside)
    given = {"SECRET_TOKEN": "the token", "NAMED_VARIABLE": "told"}
    result = command(
        project, "check", "--no-search", "--draws", "20", "--format", "json", "--pass-env", "NAMED_*", **given
    )
    found, document = subjects(result)
    assert status(outside) == before
    assert [f["subject"] for f in document["findings"]] == ["own_refusal"]
    assert "the secret key" not in result.stdout and "the token" not in result.stdout
    for name in ("sqlite_uri", "sqlite_attach", "wrapped"):
        assert found[name] == (
            "undecided",
            f"needs `--allow-write {outside}`: a write to {found[name][1].split()[6]} was refused",
        )
    assert found["link"][0] == "undecided" and f"--allow-write {outside}" in found["link"][1]
    assert found["datagram"][0] == "undecided" and "--allow-net" in found["datagram"][1]
    assert found["secret_file"] == (
        "undecided",
        f"needs `--allow-read {project.parent / HOME_FILE}`: reading {project.parent / HOME_FILE} was refused",
    )
    for name in ("secret_variable", "named_variable", "home", "temporary_file"):
        assert found[name] == ("clean", ""), name
    # Whoever followed a hint that names `/`, or no path, would open everything.
    for name, (_, reason) in found.items():
        assert "--allow-write /`" not in reason and "Errno" not in reason, name
    # What only the kernel can refuse.
    if "fences:" not in result.stderr:
        assert f"--allow-write {outside}" in found["hidden"][1]
        assert found["metadata"][0] == "undecided"
        assert found["secret_file_in_c"][0] == "clean"


def test_what_is_allowed_can_be_read(project):
    result = command(project, "check", "-k", "secret_file", "--allow-read", str(project.parent / ".ssh"))
    assert "ValueError: the secret key" in result.stdout


def test_missing_fences_are_said_once_and_can_be_an_error(project):
    result = command(project, "check", "-k", "temporary_file", TEMPER_TEST_FAULT="no-fences")
    assert result.returncode == 0
    assert [line for line in result.stderr.splitlines() if line.startswith("fences:")] == [
        "fences: this machine has no namespaces, Landlock, seccomp; less is kept from code that is checked, see SECURITY.md"
    ]
    result = command(project, "check", "--require-fences", "-k", "temporary_file", TEMPER_TEST_FAULT="no-fences")
    assert result.returncode == 4
    assert "error: fences are missing on this machine: namespaces, Landlock, seccomp" in result.stderr


def test_a_link_in_the_place_of_a_file_of_ours_is_not_followed(project):
    (project / "precious").write_text("mine")
    (project / ".temper").mkdir()
    for name in ("check.json", "check.json.new"):
        (project / ".temper" / name).symlink_to("../precious")
    result = command(project, "check", "-k", "temporary_file")
    assert result.returncode == 0, result.stderr
    assert (project / "precious").read_text() == "mine"
    shutil.rmtree(project / ".temper")
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    (project / ".temper").symlink_to(elsewhere)
    command(project, "check", "-k", "temporary_file")
    assert list(elsewhere.iterdir()) == []


def python_for_everybody():
    """An interpreter of this version that another user may start; ours may lie in a home folder."""
    name = f"python3.{sys.version_info.minor}"
    return next((path for folder in ("/usr/bin", "/usr/local/bin") if (path := Path(folder, name)).exists()), None)


@pytest.fixture
def ordinary(project):
    """Runs the command in the project as a user who owns it, and has no other rights."""
    setpriv, python = shutil.which("setpriv"), python_for_everybody()
    if os.geteuid() != 0 or setpriv is None or python is None:
        pytest.skip("needs root, `setpriv` and an interpreter of the system to become somebody else")
    nobody = [setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups", "--bounding-set", "-all"]
    for folder in (project.parent, *project.parent.parents):
        if folder.owner() == "root" and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    for path in (project, *project.rglob("*"), project.parent / "outside", project.parent / "outside" / "kept"):
        os.chown(path, 65534, 65534)
    installed = str(Path(temper.__file__).parents[1])
    probe = subprocess.run([*nobody, "env", f"PYTHONPATH={installed}", python, "-c", "import temper"], check=False)
    if probe.returncode != 0:
        pytest.skip("somebody else may not read this installation")
    given = {"PYTHONPATH": installed, "TMPDIR": "/tmp"}
    return lambda *arguments, **more: command(project, *arguments, prefix=nobody, python=python, **given, **more)


# Only whoever cannot remove from a locked folder was tempted to unlock it, through whatever lies there under its name.
def test_cleaning_up_changes_no_modes_of_the_project(project, ordinary):
    module = project / "fenced.py"
    module.write_text(
        "import os\nfrom temper import args, ints\n\n@args(n=ints(0, 3))\ndef locks(n):\n    os.chmod('.', 0o500)\n"
    )
    for path in project.iterdir():
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = {path: path.stat().st_mode for path in project.iterdir()}
    for run in (ordinary, lambda *arguments: command(project, *arguments)):
        result = run("check")
        assert result.returncode == 0, result.stdout + result.stderr
        assert {path: path.stat().st_mode for path in before} == before


def test_an_ordinary_user_has_the_same_fences(project, ordinary):
    before = status(project.parent / "outside")
    result = ordinary("check", "--no-search", "--draws", "20", "--format", "json", SECRET_TOKEN="the token")
    found, document = subjects(result)
    assert status(project.parent / "outside") == before
    assert {f["subject"] for f in document["findings"]} == {"own_refusal", "named_variable"}
    assert found["temporary_file"] == found["secret_variable"] == ("clean", "")
    if "fences:" not in result.stderr:
        assert found["metadata"][0] == "undecided"


ATTACKER = """
import os, sys
shared, outside = sys.argv[1:]
won = []
print("ready", flush=True)
while not os.path.exists(os.path.join(shared, "stop")):
    names = set(os.listdir(shared))
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\\0")
        except OSError:
            continue
        names.update(os.path.relpath(word, shared) for word in words if word.startswith(shared + "/"))
    for name in names - {"stop", "."}:
        path = os.path.join(shared, name)
        # Make the folder first, or put a link in its place: whoever then uses it writes there.
        for attempt in (lambda: os.mkdir(path, 0o777), lambda: os.symlink(outside, path)):
            try:
                attempt()
            except OSError:
                continue
        for attempt in (
            lambda: os.rename(path, path + ".away"),
            lambda: os.symlink(outside, os.path.join(path, "log")),
            lambda: os.listdir(path),
        ):
            try:
                if os.lstat(path).st_uid != os.getuid():
                    attempt()
                    won.append(name)
            except OSError:
                continue
print(sorted(set(won)))
"""


def test_another_user_cannot_take_over_scratch(project):
    setpriv, python = shutil.which("setpriv"), python_for_everybody()
    if os.geteuid() != 0 or setpriv is None or python is None:
        pytest.skip("needs root, `setpriv` and an interpreter of the system to become somebody else")
    shared = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        shared.chmod(0o1777)
        before = status(project.parent / "outside")
        outside = str(project.parent / "outside")
        nobody = [setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        attack = [*nobody, python, "-c", ATTACKER, shared, outside]
        attacker = subprocess.Popen(attack, stdout=subprocess.PIPE, text=True)
        assert attacker.stdout.readline() == "ready\n"
        result = command(project, "check", "-k", "temporary_file", TMPDIR=str(shared))
        (shared / "stop").touch()
        assert result.returncode == 0, result.stdout + result.stderr
        assert attacker.communicate()[0] == "[]\n"
        assert status(project.parent / "outside") == before
        # What it made under our names, after we had removed them, was not used.
        for path in shared.iterdir():
            assert path.name == "stop" or path.is_symlink() or list(path.iterdir()) == [], path
    finally:
        shutil.rmtree(shared)
