"""Gets the projects of projects.toml: download, unpack, install. What is done is kept, so that a second run starts at once.

Downloads come from the index that pip is set up with. Each project has one folder in the cache: its source tree, and an
environment with what it needs.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import tomllib

HERE = Path(__file__).resolve().parent
INSTALL_SECS = 1200


class CannotPrepare(Exception):
    """The project could not be fetched or installed; the text says why."""


@dataclass(frozen=True)
class Project:
    """One entry of projects.toml."""

    name: str
    version: str
    sha256: str
    file: str
    suggest: str
    archive: str = ""
    needs: tuple = ()
    system: dict | None = None

    @property
    def archive_name(self) -> str:
        """The file name of the source distribution."""
        return self.archive or f"{self.name}-{self.version}.tar.gz"


@dataclass(frozen=True)
class Prepared:
    """A project that is ready to be tried."""

    project: Project
    folder: Path
    python: Path


def listed() -> list[Project]:
    """The projects, in the order of the file."""
    with (HERE / "projects.toml").open("rb") as file:
        return [Project(**entry) for entry in tomllib.load(file)["project"]]


def prepare(project: Project, cache: Path) -> Prepared:
    """The project with its environment, made if it is not there yet."""
    home = cache / f"{project.name}-{project.version}"
    home.mkdir(parents=True, exist_ok=True)
    folder = unpack(project, download(project, cache / "downloads"), home)
    return Prepared(project, folder, install(project, folder, home))


def download(project: Project, downloads: Path) -> Path:
    """The source distribution, checked against its digest."""
    downloads.mkdir(parents=True, exist_ok=True)
    path = downloads / project.archive_name
    if not path.exists():
        part = path.with_suffix(".part")
        with urllib.request.urlopen(address(project), timeout=120) as answer, part.open("wb") as file:
            shutil.copyfileobj(answer, file)
        part.rename(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != project.sha256:
        raise CannotPrepare(f"{path} does not have the digest that projects.toml names")
    return path


def address(project: Project) -> str:
    """Where the index has the archive."""
    page = f"{index()}/{project.name}/"
    request = urllib.request.Request(page, headers={"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.5"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text, kind = answer.read().decode(), answer.headers.get("content-type", "")
    if "json" in kind:
        files = {file["filename"]: file["url"] for file in json.loads(text)["files"]}
    else:
        files = {name: link for link, name in re.findall(r'<a[^>]*href="([^"]+)"[^>]*>([^<]+)</a>', text)}
    if project.archive_name not in files:
        raise CannotPrepare(f"the index has no {project.archive_name}")
    return urljoin(page, files[project.archive_name]).split("#")[0]


def index() -> str:
    """The package index that pip is set up with."""
    configured = os.environ.get("PIP_INDEX_URL")
    if not configured:
        asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        configured = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    if not configured:
        from pip._internal.models.index import PyPI

        configured = PyPI.simple_url
    return configured.rstrip("/")


def unpack(project: Project, archive: Path, home: Path) -> Path:
    """The source tree. It is unpacked only once: builds in place are kept."""
    tree = home / "tree"
    if not tree.exists():
        part = home / "tree.part"
        shutil.rmtree(part, ignore_errors=True)
        if archive.suffix == ".zip":
            zipfile.ZipFile(archive).extractall(part)
        else:
            with tarfile.open(archive) as packed:
                packed.extractall(part, filter="data")
        part.rename(tree)
    roots = [entry for entry in tree.iterdir() if entry.is_dir()]
    if len(roots) != 1 or not (roots[0] / project.file).exists():
        raise CannotPrepare(f"{project.archive_name} has no {project.file}")
    return roots[0]


def install(project: Project, folder: Path, home: Path) -> Path:
    """The interpreter of the project's environment."""
    python = home / "venv" / "bin" / "python"
    wanted = hashlib.sha256(repr((project.needs, project.system)).encode()).hexdigest()
    done = home / "installed"
    if done.exists() and done.read_text() == wanted:
        return python
    shutil.rmtree(home / "venv", ignore_errors=True)
    options = ["--system-site-packages"] if project.system else []
    run([base_interpreter(project), "-m", "venv", *options, home / "venv"], home)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--upgrade", "pip"], home)
    run([*pip, "pytest", *project.needs, "-e", folder], home)
    done.write_text(wanted)
    return python


def base_interpreter(project: Project) -> str:
    """The Python that the environment is made from: one that has the system's module, if the project needs one."""
    if not project.system:
        return sys.executable
    places = [Path(folder) / "python3" for folder in os.environ["PATH"].split(os.pathsep)]
    for place in places:
        probe = [place, "-c", f"import {project.system['module']}"]
        if place.exists() and subprocess.run(probe, capture_output=True).returncode == 0:
            return str(place)
    raise CannotPrepare(f"no Python here has {project.system['module']}: install {project.system['package']}")


def run(command: list, home: Path) -> None:
    """Run one step; its output is kept in the project's folder."""
    with (home / "install.log").open("ab") as log:
        try:
            code = subprocess.run(list(map(str, command)), stdout=log, stderr=log, timeout=INSTALL_SECS).returncode
        except subprocess.TimeoutExpired:
            raise CannotPrepare(f"took more than {INSTALL_SECS} s to install; see {home / 'install.log'}") from None
    if code != 0:
        raise CannotPrepare(f"could not be installed; see {home / 'install.log'}")
