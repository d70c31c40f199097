"""The documentation: every page has its text, every block that shows output says where it comes from, and every option exists."""

import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from ruamel.yaml import YAML

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPER = Path(sys.executable).parent / "temper"


def script(name):
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SHOWN, HOOKS = script("shown_output"), script("docs_hooks")


def nav_pages(entries):
    for entry in entries:
        for value in entry.values():
            yield from nav_pages(value) if isinstance(value, list) else [value]


def test_every_page_of_the_site_has_its_text():
    pages = list(nav_pages(YAML(typ="safe").load((REPOSITORY / "mkdocs.yml").read_text())["nav"]))
    for page in pages:
        text = (REPOSITORY / "docs" / page).read_text()
        mark, inserted = HOOKS.INSERTED.get(page, ("", lambda: ""))
        assert mark in text, page
        assert text.startswith("# ") and len(text) + len(inserted()) > 200, page
    in_folder = {str(path.relative_to(REPOSITORY / "docs")) for path in (REPOSITORY / "docs").rglob("*.md")}
    assert in_folder == set(pages), "a page that no menu leads to"


def test_every_output_that_is_shown_says_where_it_comes_from():
    for page in SHOWN.pages():
        for block in SHOWN.shown_blocks(page):
            assert block.kind is not None, (
                f"{block}: a comment above says where it comes from, or the fence has a language"
            )
            assert block.kind == "recorded" or block.source in SHOWN.SCENARIOS, block


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (["a 1", "...", "c 2.5 s"], None),
        (["a 1", "b b..."], None),
        (["c 9 s", "a 1"], "a 1"),
        (["a 2"], "a 2"),
    ],
)
def test_lines_are_looked_for_in_their_order(shown, missing):
    block = SHOWN.ShownBlock(REPOSITORY / "README.md", 1, "<!-- output: mlkit -->", shown)
    assert block.missing_line("a 1\nb b b\nc 2 s\n") == missing


@cache
def options_of(command):
    done = subprocess.run([TEMPER, command, "--help"], capture_output=True, text=True, timeout=60, check=True)
    return set(re.findall(r"--[a-z][a-z-]*", done.stdout))


def test_every_option_in_the_documentation_exists():
    written = set()
    for page in SHOWN.pages():
        text = page.read_text()
        for command, rest in re.findall(
            r"\btemper (bounds|check|model|scan|report|accept|apply|clean|merge)\b([^\n`|#]*)", text
        ):
            written |= {(command, option) for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", rest.split(" -- ")[0])}
    assert len(written) > 30
    assert {(command, option) for command, option in written if option not in options_of(command)} == set()
