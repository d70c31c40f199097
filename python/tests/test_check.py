"""``temper check`` and ``temper replay`` through the installed command, on the fixture projects."""

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
FIXTURES = REPOSITORY / "fixtures" / "projects"


def run(*arguments, cwd, **environment):
    """Run the command in a folder and give its exit code, standard output and standard error."""
    result = subprocess.run(
        [sys.executable, "-m", "temper", *arguments],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    return result.returncode, result.stdout, result.stderr


def copy(name, folder, parent=FIXTURES):
    target = folder / name
    shutil.copytree(parent / name, target, ignore=shutil.ignore_patterns("__pycache__", ".temper"))
    return target


def check_json(*arguments, cwd):
    code, stdout, stderr = run("check", "--format", "json", *arguments, cwd=cwd)
    assert stdout, stderr
    document = json.loads(stdout)
    schema = json.loads((REPOSITORY / "docs/reference/report.schema.json").read_text())
    jsonschema.validate(document, schema)
    return code, document, stderr


def evaluate(findings, project):
    """Paste the reported calls into a fresh interpreter; by call, the exception it ends with, as `Type: message`."""
    texts = [(f["call"], f"import numpy as np\n{f['evidence']['import']}\nresult = {f['call']}\n") for f in findings]
    script = f"""
import json, traceback
ended = {{}}
for call, text in {texts!r}:
    scope = {{"__name__": "__main__"}}
    ended[call] = "passed"
    try:
        exec(text, scope)
        for _ in scope["result"] if hasattr(scope["result"], "__next__") else ():
            pass
    except BaseException as error:
        ended[call] = "".join(traceback.format_exception_only(error)).strip().splitlines()[0]
print("ended", json.dumps(ended))
"""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], cwd=project, capture_output=True, text=True, timeout=120
    )
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("ended ")] or [result.stderr]
    return json.loads(line.removeprefix("ended "))


def assert_reproduced(findings, project):
    """The reported calls end in the exceptions that the findings say."""
    ended = evaluate(findings, project)
    for finding in findings:
        names = [text.split(":")[0].rpartition(".")[2] for text in (ended[finding["call"]], finding["exception"])]
        assert names[0] == names[1], finding


BUGS = {
    ("p01_dense_units.py", "init_mlp"): "TypeError",
    ("p02_batch_softmax.py", "softmax"): "ValueError",
    ("p03_empty_batch.py", "scale_batch"): "ValueError",
    ("p04_conv_out.py", "conv_buffer"): "ValueError",
    ("p05_matmul_dependent.py", "linear"): "ValueError",
    ("p06_dtype_inplace.py", "to_unit_range"): "_UFuncOutputCastingError",
    ("p07_off_by_one_windows.py", "make_windows"): "IndexError",
    ("p08_kwargs_config.py", "learning_rate"): "KeyError",
    ("p09_masked_class.py", "Momentum.__init__"): "ZeroDivisionError",
    ("p09_masked_class.py", "Momentum.step"): "AttributeError",
    ("p10_generator_yield.py", "batches"): "ValueError",
}


@pytest.mark.parametrize("name", ["check_bugs", "check_annotest_bugs"])
def test_every_seeded_bug_is_found_and_nothing_else(tmp_path, name):
    project = copy(name, tmp_path)
    code, document, stderr = check_json(cwd=project)
    assert code == 1, stderr
    found = {(Path(f["path"]).name, f["subject"]): f for f in document["findings"]}
    assert {key: f["exception"].split(":")[0] for key, f in found.items()} == BUGS
    assert len(document["findings"]) == len(BUGS)
    assert_reproduced(document["findings"], project)
    for finding in document["findings"]:
        line = (project / finding["path"]).read_text().splitlines()[finding["line"] - 1]
        assert "# BUG" in line, finding
        assert finding["evidence"]["recurs"], finding
        # A person would write no more than this for any of them.
        assert len(finding["call"]) <= 120, finding["call"]
    assert all(subject["evidence"]["rejected"] == 0 for subject in document["subjects"])


def test_the_paper_s_example_is_found_on_valid_inputs_only(tmp_path):
    project = copy("densenet", tmp_path, REPOSITORY / "examples")
    code, document, stderr = check_json(cwd=project)
    assert code == 1, stderr
    (finding,) = document["findings"]
    assert finding["exception"] == "TypeError: 'float' object cannot be interpreted as an integer"
    (subject,) = document["subjects"]
    assert subject["evidence"]["rejected"] == 0 and subject["evidence"]["valid"] >= 200
    assert evaluate([finding], project) == {finding["call"]: finding["exception"]}
    assert len(finding["call"]) < 80, finding["call"]


def test_a_finding_has_one_id_in_all_forms_and_is_replayed_by_it(tmp_path):
    project = copy("densenet", tmp_path, REPOSITORY / "examples")
    _, document, _ = check_json(cwd=project)
    (finding,) = document["findings"]
    for form in ("text", "md", "github", "sarif", "junit", "html"):
        assert finding["id"] in run("check", "--format", form, cwd=project)[1], form
    code, stdout, stderr = run("replay", finding["id"], cwd=project)
    assert code == 1, stderr
    assert finding["exception"] in stdout and finding["call"] in stdout
    source = project / "nets" / "dense.py"
    source.write_text(source.read_text().replace("(depth - 4) / 3", "(depth - 4) // 3").replace("/ 2\n", "// 2\n"))
    code, stdout, stderr = run("replay", finding["id"], cwd=project)
    assert (code, "passes now" in stdout) == (0, True), stdout + stderr
    code, _, stderr = run("replay", "C7", cwd=project)
    assert code == 2 and "no finding `C7`" in stderr


def test_the_same_seed_gives_the_same_findings_and_ids(tmp_path):
    project = copy("check_bugs", tmp_path)
    first, second = (check_json("-k", "p09", cwd=project)[1]["findings"] for _ in range(2))
    assert [(f["id"], f["call"]) for f in first] == [(f["id"], f["call"]) for f in second]


MESSAGES = [
    "annotation `@arg(widht)` names no argument of `unknown_argument`",
    "`ints` has no parameter `minimum`; it takes `min`, `max`",
    "annotation `@arg(rate)` allows no value",
    "annotation `@arg(layers)` names `depth`, which is no argument and no shape variable of `unknown_name`",
    "the annotations of `a`, `b` depend on each other in a circle",
    "no inputs found for `unsatisfiable`: 0 of 10,000 draws met `@require(lambda n, m: hash((n, m)) == 12345)`",
    "no input of `contradiction` can meet `@require(a > 20)`",
    "no inputs found for `uses_broken_generator`: what builds them raised every time",
    "argument `other` of `missing` has no annotation and no default",
    "`@require('n >')` is no Python expression",
    "`@ensure` names `outcome`, which is no argument of `wrong_name_in_ensure`",
    "`np_arrays` takes a dtype of numpy as `dtype`, not 'float33'",
    "the worker could not import `bad.not_importable`",
]


def test_one_bad_annotation_costs_one_function(tmp_path):
    project = copy("check_bad_annotations", tmp_path)
    code, document, stderr = check_json(cwd=project)
    assert code == 1
    for message in MESSAGES:
        assert f"error: {message}\n" in stderr
    # The generator that raises is a separate subject, and `right` is tested as if nothing were wrong.
    assert {f["subject"] for f in document["findings"]} == {"broken_generator", "right"}
    assert stderr.count("error: ") == len(MESSAGES)
    verdicts = {s["name"]: s["verdict"] for s in document["subjects"]}
    assert verdicts["other_names"] == "clean"
    assert "`ints` calls it `min`, not `min_value`" in stderr
    assert "ModuleNotFoundError: No module named 'a_module_that_is_nowhere'" in stderr
    for line in stderr.splitlines():
        if line.startswith("  --> "):
            assert ".py:" in line, line


def test_every_kind_of_subject_is_tested(tmp_path):
    project = copy("check_subjects", tmp_path)
    code, document, stderr = check_json(cwd=project)
    assert code == 1, stderr
    lines = (project / "kinds" / "functions.py").read_text().splitlines()
    crashes = {f["subject"]: f for f in document["findings"] if f["kind"] == "crash"}
    for subject, finding in crashes.items():
        assert "crash" in lines[finding["line"] - 1], (subject, finding)
    expected = "plain coroutine lazy hinted same_length keywords star uses_generators Model.method Model.static"
    assert set(expected.split()) | {"Model.of", "Grid.__init__", "Counter.__init__", "Counter.advance"} == set(crashes)
    kinds = {f["subject"]: f["kind"] for f in document["findings"] if f["kind"] != "crash"}
    assert kinds == {"broken_promise": "postcondition", "slow": "timeout", "kinds.script": "import"}
    verdicts = {s["name"]: s["verdict"] for s in document["subjects"]}
    assert verdicts["documented"] == verdicts["clean"] == "clean"
    assert not {"left_alone", "boxes", "pairs", "only_hints"} & set(verdicts)
    assert len([f for f in document["findings"] if f["subject"] == "uses_generators"]) == 2
    assert crashes["Counter.advance"]["call"] == "Counter(2).advance(0)"
    assert crashes["plain"]["call"] == "plain(7)"


def test_plain_hints_make_subjects_only_when_asked(tmp_path):
    project = copy("check_subjects", tmp_path)
    _, document, _ = check_json("--hints", "-k", "only_hints", cwd=project)
    (finding,) = document["findings"]
    assert finding["call"] == "only_hints(3)"


def test_harm_is_contained_and_reported_as_what_it_is(tmp_path):
    project = copy("check_hostile", tmp_path)
    code, document, stderr = check_json(cwd=project)
    assert code == 1, stderr
    assert (project / "precious" / "data.txt").read_text() == "keep me\n"
    assert not (project / "touched").exists()
    reasons = {s["name"]: s["evidence"].get("reason", "") for s in document["subjects"]}
    verdicts = {s["name"]: s["verdict"] for s in document["subjects"]}
    assert "--allow-write" in reasons["deletes"] and "--allow-write" in reasons["writes"]
    assert "--allow-net" in reasons["connects"]
    assert "--allow-subprocess" in reasons["forks"] and "--allow-subprocess" in reasons["runs"]
    assert verdicts["loops"] == "undecided" and "took longer" in reasons["loops"]
    assert verdicts["writes_here"] == verdicts["kind"] == "clean"
    messages = {f["subject"]: f["exception"] for f in document["findings"]}
    assert messages["eats"].startswith("MemoryError")
    assert "signal 11 (segmentation fault)" in messages["segfaults"]
    assert "exited by itself with code 3" in messages["exits"]
    assert "MemoryError" in messages["eats_slowly"] or "ran out of memory" in messages["eats_slowly"]
    assert "ran out of memory (abort: memory allocation of 8192" in messages["aborts_without_memory"]
    assert set(messages) == {"eats", "eats_slowly", "aborts_without_memory", "segfaults", "exits"}
    assert all(f["evidence"]["recurs"] for f in document["findings"])


def test_nothing_to_do_is_not_green(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "plain.py").write_text("def f(n):\n    return n\n")
    code, _, stderr = run("check", cwd=tmp_path)
    assert code == 5 and "no annotated functions" in stderr
    (tmp_path / "plain.py").write_text("from temper import *\n@arg('m', ints())\ndef f(n):\n    return n\n")
    code, stdout, _ = run("check", cwd=tmp_path)
    assert code == 4 and "1 could not be checked" in stdout
    (tmp_path / "plain.py").write_text("from temper import *\n@arg('n', ints())\ndef f(n):\n    return n\n")
    code, stdout, _ = run("check", cwd=tmp_path)
    assert code == 0 and "no findings" in stdout


INTERRUPTED = """
import pathlib, time
from temper import arg, ints, timeout

@arg("n", ints(0, 9))
def quick(n):
    return n

@timeout(600)
@arg("n", ints(0, 9))
def waits(n):
    pathlib.Path("MARKER").touch()
    while True:
        time.sleep(0.01)
"""


def test_the_record_of_an_interrupted_run_is_kept_and_not_clean(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    marker = tmp_path / "marks" / "started"
    marker.parent.mkdir()
    (tmp_path / "code.py").write_text(INTERRUPTED.replace("MARKER", str(marker)))
    command = [sys.executable, "-m", "temper", "check", "--jobs", "1", "--allow-write", str(marker.parent)]
    process = subprocess.Popen(
        command, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not marker.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, "interrupted" in stdout) == (130, True), stdout + stderr
    record = json.loads((tmp_path / ".temper/records/check.json").read_text())
    assert record["interrupted"] is True
    verdicts = {subject["name"]: subject["verdict"] for subject in record["subjects"]}
    assert verdicts == {"quick": "clean", "waits": "undecided"}


def test_the_project_is_left_as_it_was(tmp_path):
    project = copy("check_bugs", tmp_path)
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    run("check", "-k", "p01", cwd=project)
    after = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".temper" not in path.parts}
    assert before == after
