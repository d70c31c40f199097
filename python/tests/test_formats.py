"""Each ``--format`` through the installed command, read back by a parser that is not ours."""

import functools
import html.parser
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

MODULE = """
from temper import arg, froms, ints

@arg("text", froms(["<&|`\\n'", "plain"]))
@arg("n", ints(0, 9))
def breaks(text, n):
    if n > 3:
        raise ValueError(f"bad {text} & worse")

@arg("n", ints(0, 9))
def holds(n):
    return n

@arg("m", ints(0, 9))
def misnamed(n):
    return n
"""

TESTS = """
import random

def test_flaky():
    assert random.random() < 0.7

def test_fails():
    assert random.random() < -1.0
"""


def run(*arguments, cwd):
    command = [sys.executable, "-m", "temper", *arguments]
    result = subprocess.run(
        command, cwd=cwd, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=300
    )
    return result.returncode, result.stdout, result.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with a crash, a clean function, a wrong annotation, a flaky test and one that always fails."""
    folder = tmp_path_factory.mktemp("formats")
    (folder / "pytest.ini").write_text("")
    (folder / "subject.py").write_text(MODULE)
    (folder / "test_random.py").write_text(TESTS)
    return folder


@pytest.fixture(scope="module")
def checked(project):
    return json.loads(results("check", "json", project))


OPTIONS = {
    "check": ["--draws", "20", "--no-search"],
    "bounds": ["--runs", "100", "--no-mutants", "--verify-runs", "20"],
}


@functools.cache
def results(command, form, project):
    """What the command prints; the first call of `bounds` samples, later ones only look."""
    code, stdout, stderr = run(command, *OPTIONS[command], "--format", form, cwd=project)
    assert code == (3 if command == "bounds" else 1), stderr
    return stdout


def test_junit_has_a_case_for_every_subject(project, checked):
    root = ElementTree.fromstring(results("check", "junit", project))
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert set(cases) == {subject["name"] for subject in checked["subjects"]}
    (finding,) = checked["findings"]
    assert cases["breaks"].find("failure").get("message") == finding["message"]
    assert finding["call"] in cases["breaks"].find("failure").text
    assert cases["misnamed"].find("error") is not None
    assert len(cases["holds"]) == 0
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")


def test_a_test_that_could_not_be_judged_is_no_success(project):
    root = ElementTree.fromstring(results("bounds", "junit", project))
    ends = {case.get("name").split(" ")[0]: [child.tag for child in case] for case in root.iter("testcase")}
    assert ends == {"test_random.py::test_flaky": ["failure"], "test_random.py::test_fails": ["error"]}
    run_of_sarif = json.loads(results("bounds", "sarif", project))["runs"][0]
    assert run_of_sarif["invocations"][0]["executionSuccessful"] is False


def test_sarif_names_rule_place_and_fingerprint(project, checked):
    (log,) = json.loads(results("check", "sarif", project))["runs"]
    (finding,), (result,), (rule,) = checked["findings"], log["results"], log["tool"]["driver"]["rules"]
    assert result["ruleId"] == rule["id"] == "check/crash"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (finding["path"], finding["line"])
    assert result["partialFingerprints"] == {"temperId/v1": finding["id"]}


# The published schema of SARIF 2.1.0 (MIT, from @microsoft/jest-sarif), without its descriptions.
SARIF = REPOSITORY / "fixtures/schemas/sarif-2.1.0.json"


@pytest.mark.parametrize("command", OPTIONS)
def test_sarif_follows_its_schema(project, command):
    jsonschema.Draft4Validator(json.loads(SARIF.read_text())).validate(json.loads(results(command, "sarif", project)))


def test_github_marks_each_finding_on_one_line_before_the_text(project, checked):
    text = results("check", "text", project)
    marked = results("check", "github", project)
    assert marked.endswith(text)
    commands = marked.removesuffix(text).splitlines()
    pattern = re.compile(r"::(error|warning) file=subject\.py,line=\d+,title=[^,:]+::(.*)")
    assert [pattern.fullmatch(line)[1] for line in commands] == ["error", "error"]
    said = pattern.fullmatch(commands[0])[2].replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
    assert said.startswith(checked["findings"][0]["message"])


class Page(html.parser.HTMLParser):
    """The data that a page shows, and what it would load."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.data, self.is_data = [], "", False
        self.feed(text)
        self.data = json.loads(self.data)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not {"src", "onload"} & {name for name, _ in attrs}
        self.is_data = ("id", "data") in attrs

    def handle_endtag(self, tag):
        self.is_data = False

    def handle_data(self, data):
        if self.is_data:
            self.data += data

    @property
    def shown(self):
        return "".join(part["text"] for part in self.data["parts"])


@pytest.mark.parametrize("command", ["check", "bounds"])
def test_the_page_shows_all_and_loads_nothing(project, command):
    found = json.loads(results(command, "json", project))
    text = results(command, "text", project)
    page = Page(results(command, "html", project))
    assert page.tags.count("script") == 2 and not {"link", "img", "iframe"} & set(page.tags)
    assert text in page.shown
    items = {item["id"]: item for item in page.data["items"]}
    assert {finding["id"] for finding in found["findings"]} <= set(items)
    assert all(
        items[finding["id"]]["evidence"] == ("site" if command == "bounds" else "call") for finding in found["findings"]
    )


def test_one_run_is_written_in_every_form(project):
    reports = [f"--report={form}:one.{form}" for form in ("json", "html", "sarif", "junit", "md", "github", "gitlab")]
    code, text, _ = run("check", *OPTIONS["check"], *reports, cwd=project)
    assert code == 1
    (finding,) = json.loads((project / "one.json").read_text())["findings"]
    assert finding["id"] in text
    for form in ("html", "sarif", "junit", "md", "github", "gitlab"):
        assert finding["id"] in (project / f"one.{form}").read_text(), form


def test_markdown_tables_are_whole(project, checked):
    lines = results("check", "md", project).splitlines()
    assert lines[0] == "## temper check: 1 finding"
    rows = [line for line in lines if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert checked["findings"][0]["id"] in rows[2]


@pytest.mark.parametrize("form", ["md", "github", "html"])
def test_commands_without_findings_have_their_text_in_every_form(project, form):
    text = run("scan", cwd=project)[1]
    shown = run("scan", "--format", form, cwd=project)[1]
    assert text in (Page(shown).shown if form == "html" else shown)


def test_findings_can_be_told_not_to_fail(project):
    assert run("check", "--exit-zero", cwd=project)[0] == 0


def test_a_format_that_is_not_there_is_refused_with_those_that_are(project):
    code, _, stderr = run("scan", "--format", "pdf", cwd=project)
    assert code == 2
    assert "sarif" in stderr
