"""The further subjects of ``temper check``: hidden crashes, nested functions, scripts, side files, results, emitted tests."""

import ast
import importlib.util
import json
import os
import subprocess
import sys

import pytest
from test_check import assert_reproduced, check_json, copy, run


def crashes(document, kind="crash"):
    return {f["subject"]: f for f in document["findings"] if f["kind"] == kind}


def marked(project, file, word):
    lines = (project / file).read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if word in line}


def pytest_run(folder, *arguments):
    """Run pytest in a folder; its exit code, and by the word in front the tests with what they ended in."""
    plain = ["-q", "-rA", "--color=no", "-p", "no:cacheprovider", "-p", "no:randomly"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *plain, *arguments, "."],
        cwd=folder,
        env={**os.environ, "COLUMNS": "400"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    ended = {"PASSED": {}, "FAILED": {}, "XFAIL": {}, "XPASS": {}, "ERROR": {}}
    for line in result.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word in ended:
            name, _, reason = rest.partition(" - ")
            ended[word][name.rpartition("::")[2]] = reason
    assert not ended["ERROR"], result.stdout[-3000:]
    return result.returncode, ended


def assert_red_as_found(failed, findings, folder):
    """The tests that fail are those of the findings, each with its exception."""
    said = {}
    for file in folder.glob("test_*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.endswith("_property"):
                said[node.name] = ast.get_docstring(node)
    assert set(failed) == set(said) and len(said) == len(findings), (failed, said)
    places = {f"{f['exception']} at {f['path']}:{f['line']}".replace('"', "'"): f for f in findings}
    for name, reason in failed.items():
        finding = places[said[name]]
        expected = finding["exception"].split(":")[0] if finding["kind"] == "crash" else ""
        # Others are assertions, or ends of a separate process.
        assert reason.rpartition(".")[2].startswith(expected) or expected in reason, (name, reason)


# Functions inside others, and how a call of each begins.
NESTED = {
    "loss.<locals>.inner": "temper.nested('inner', loss)(",
    "Model.build.<locals>.layer": "temper.nested('layer', Model.build)(Model(1), ",
    "Model.scale.<locals>.scaled": "temper.nested('scaled', Model.scale.fget)(Model(1))(",
    "deep.<locals>.middle.<locals>.inmost": "temper.nested('inmost', deep)(",
    "stream.<locals>.step": "temper.nested('step', stream)(",
}


def test_the_misses_that_the_paper_lists_are_found(tmp_path):
    project = copy("check_masking", tmp_path)
    code, document, stderr = check_json("--scripts", cwd=project)
    assert code == 1, stderr
    found = {(f["path"], f["line"]) for f in document["findings"]}
    expected = {("masking/misses.py", line) for line in marked(project, "masking/misses.py", "# crash")}
    assert found == expected | {("masking/script.py", line) for line in marked(project, "masking/script.py", "# crash")}
    assert all(f["evidence"]["recurs"] for f in document["findings"])
    verdicts = {(s["path"], s["name"]): s for s in document["subjects"]}
    assert verdicts["masking/tool.py", "__main__"]["verdict"] == "undecided"
    assert "arguments" in verdicts["masking/tool.py", "__main__"]["evidence"]["reason"]
    # The constructor that never works is one finding; what needs it is not called broken too.
    assert verdicts["masking/misses.py", "Broken.use"]["verdict"] == "failed"
    found = crashes(document)
    for name, start in NESTED.items():
        assert found[name]["call"].startswith(start), found[name]["call"]
    assert_reproduced([found[name] for name in NESTED], project)
    nested = found["loss.<locals>.inner"]
    code, stdout, stderr = run("replay", nested["id"], cwd=project)
    assert (code, nested["call"] in stdout) == (1, True), stdout + stderr


def test_without_scripts_main_blocks_are_left_alone(tmp_path):
    _, document, _ = check_json(cwd=copy("check_masking", tmp_path))
    assert "__main__" not in {s["name"] for s in document["subjects"]}


def test_repaired_misses_are_clean(tmp_path):
    project = copy("check_masking", tmp_path)
    misses, script = project / "masking/misses.py", project / "masking/script.py"
    text = misses.read_text()
    for old, new in [
        ("[0, 1, 2, 3][stride]", "stride"),
        ("1 / (total - 7)", "1 / (total + 7)"),
        ("bias / len(y)", "bias / (len(y) + 1)"),
        ("1 / (4 - i)", "1 / (4 + i)"),
        ('{}["missing"]', "{}"),
        ("1 / (n - 3)", "1 / (n + 3)"),
        ("self.value / k", "self.value / (k + 1)"),
        ("self.width / units", "self.width / (units + 1)"),
        ("self.width / k", "self.width / (k + 1)"),
        ("width / n", "width / (n + 1)"),
        ("count / n", "count / (n + 1)"),
    ]:
        assert old in text, old
        text = text.replace(old, new)
    misses.write_text(text)
    script.write_text(script.read_text().replace('"batch"', '"epochs"'))
    (project / "masking/tool.py").unlink()
    code, document, stderr = check_json("--scripts", cwd=project)
    assert (code, document["findings"]) == (0, []), stderr


def test_hints_describe_inputs_and_results(tmp_path):
    project = copy("check_hints", tmp_path)
    code, document, stderr = check_json("--emit", "generated", cwd=project)
    assert code == 1, stderr
    found = crashes(document)
    assert set(found) == {"by_enum", "by_dataclass", "by_multiple", "by_shape"}
    lines = marked(project, "hints/typed.py", "# crash")
    assert {f["line"] for f in found.values()} == lines
    assert found["by_enum"]["call"] == "by_enum(1, mode=Mode.TEST)"
    assert_reproduced(found.values(), project)
    promises = crashes(document, "postcondition")
    assert promises["wrong_shape"]["exception"].startswith("returned shape (1, 2), not (k n) with k = 2, n = 1")
    assert promises["wrong_dtype"]["exception"] == "returned dtype float64, not float32"
    assert set(promises) == {"wrong_shape", "wrong_dtype"}
    _, ended = pytest_run(project / "generated")
    assert_red_as_found(ended["FAILED"], document["findings"], project / "generated")


def test_a_side_file_annotates_what_may_not_be_edited(tmp_path):
    project = copy("check_side", tmp_path)
    code, document, stderr = check_json(cwd=project)
    assert code == 1, stderr
    found = {f["subject"]: f["exception"].split(":")[0] for f in document["findings"]}
    assert found == {
        "ratio": "ZeroDivisionError",
        "Counter.step": "ZeroDivisionError",
    }
    verdicts = {s["name"]: s["verdict"] for s in document["subjects"]}
    assert verdicts["kept"] == verdicts["median"] == verdicts["Counter.__init__"] == "clean"
    assert "error: `plain.code` has no function `nowhere`\n  --> temper.an.toml:28\n" in stderr
    assert "error: `ints(-1, 9` cannot be evaluated\n  --> temper.an.toml:33\n" in stderr
    code, stdout, stderr = run("replay", document["findings"][0]["id"], cwd=project)
    assert (code, "ZeroDivisionError" in stdout) == (1, True), stdout + stderr


def test_the_side_file_may_be_a_table_of_pyproject_or_named(tmp_path):
    project = copy("check_side", tmp_path)
    side = project / "temper.an.toml"
    entry = side.read_text().split("\n\n")[0]
    side.rename(project / "other.toml")
    code, _, stderr = run("check", cwd=project)
    assert code == 5, stderr
    with (project / "pyproject.toml").open("a") as file:
        file.write(entry.replace("[[function]]", "\n[[tool.temper.function]]") + "\n")
    _, document, _ = check_json(cwd=project)
    assert [s["name"] for s in document["subjects"]] == ["ratio"]
    _, document, _ = check_json("--annotations", "other.toml", "-k", "kept", cwd=project)
    assert [s["name"] for s in document["subjects"]] == ["kept"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[function]]\nmodule = 'm'\n", "a `[[function]]` needs `module` and `function`, both texts"),
        ("[[function]]\nmodule = 'm'\nfunction = 'f'\nargz = 1\n", "a `[[function]]` has no `argz`"),
        ("[[function]\n", "`temper.an.toml` is not valid TOML"),
    ],
)
def test_a_side_file_that_is_wrong_is_a_usage_error(tmp_path, text, message):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "temper.an.toml").write_text(text)
    code, _, stderr = run("check", cwd=tmp_path)
    assert code == 2 and f"error: {message}" in stderr


def test_results_must_be_finite_only_when_asked(tmp_path):
    project = copy("check_results", tmp_path)
    _, document, _ = check_json("-k", "normalise", cwd=project)
    assert document["findings"] == []
    _, document, _ = check_json("--nan", "-k", "i", cwd=project)
    found = crashes(document, "nan")
    assert set(found) == {"normalise"}
    assert found["normalise"]["exception"] == "returned NaN or infinity for finite arguments"


def test_results_are_recorded_and_changes_reported(tmp_path):
    project = copy("check_results", tmp_path)
    code, _, stderr = run("check", "-k", "recorded", cwd=project)
    assert code == 0, stderr
    file = project / "temper.regressions.json"
    (records,) = json.loads(file.read_text()).values()
    assert len(records) >= 10 and all(record["call"].startswith("recorded(") for record in records)
    before = file.read_text()
    source = project / "results/outputs.py"
    text = source.read_text()
    # Less than the tolerance: nothing has changed.
    source.write_text(text.replace("a + x.sum()", "(a + x.sum()) * (1 + 1e-9)"))
    assert run("check", "-k", "recorded", cwd=project)[0] == 0
    source.write_text(text.replace("a + x.sum()", "a + x.sum() * 1.01"))
    code, document, stderr = check_json("-k", "recorded", "--emit", "generated", cwd=project)
    (finding,) = document["findings"]
    assert (code, finding["kind"], finding["evidence"]["recurs"]) == (1, "regression", True), stderr
    assert finding["exception"].startswith("the result changed: was ")
    assert file.read_text() == before
    code, stdout, _ = run("replay", finding["id"], cwd=project)
    assert (code, "the result changed" in stdout) == (1, True)
    _, ended = pytest_run(project / "generated")
    assert list(ended["FAILED"]) == ["test_recorded_regression"]
    assert "was " in ended["FAILED"]["test_recorded_regression"]
    source.write_text(text)
    code, ended = pytest_run(project / "generated")
    assert (code, "test_recorded_regression" in ended["PASSED"]) == (0, True), ended


def test_frames_and_tensors_are_drawn_and_their_calls_reproduce(tmp_path):
    pytest.importorskip("pandas", reason="frames need pandas")
    project = copy("check_results", tmp_path)
    _, document, _ = check_json("-k", "e", cwd=project)
    found = crashes(document)
    assert {"grouped", "with_tensor", "scaled"} <= set(found)
    assert found["grouped"]["call"].startswith("grouped(pd.DataFrame({'age': [0], 'name': ['a']}))")
    assert found["with_tensor"]["call"] == "with_tensor(torch.from_numpy(np.zeros((1, 3), 'float32')))"
    assert found["scaled"]["call"] in (
        "scaled(Scale(factor=0), shift=lambda v: v)",
        "scaled(Scale(1), shift=lambda v: v - 1)",
    )
    assert_reproduced([found[name] for name in ("grouped", "with_tensor", "scaled")], project)


def test_data_files_are_found_by_relative_paths_and_not_written(tmp_path):
    project = copy("check_files", tmp_path)
    before = (project / "data.csv").read_text()
    _, document, stderr = check_json(cwd=project)
    verdicts = {s["name"]: s["verdict"] for s in document["subjects"]}
    expected = {"reads": "clean", "overwrites": "undecided", "clears": "undecided", "misses": "found"}
    assert verdicts == expected, stderr
    assert (project / "data.csv").read_text() == before and (project / "data/x.txt").exists()
    assert not (project / "out.txt").exists()


def test_programs_annotated_for_annotest_run_unchanged(tmp_path):
    project = copy("check_annotest_programs", tmp_path)
    code, document, stderr = check_json("--emit", "generated", cwd=project)
    assert code == 1 and "error:" not in stderr, stderr
    expected = set()
    for path in sorted(project.rglob("*.py")):
        file = path.relative_to(project).as_posix()
        expected |= {(file, line) for line in marked(project, file, "# repo_bug")}
    places = [f["evidence"].get("through", f"{f['path']}:{f['line']}").split("   ")[0] for f in document["findings"]]
    assert sorted(places) == sorted(f"{file}:{line}" for file, line in expected)
    assert {s["verdict"] for s in document["subjects"]} == {"clean", "found"}
    private = crashes(document)["UNet.__add_decode_layers"]
    assert private["call"].startswith("UNet()._UNet__add_decode_layers(512, ")
    assert_reproduced([f for f in document["findings"] if f["kind"] == "crash"], project)
    _, ended = pytest_run(project / "generated")
    assert_red_as_found(ended["FAILED"], document["findings"], project / "generated")


@pytest.mark.parametrize("form", ["pytest", "hypothesis"])
def test_emitted_tests_are_red_and_green_as_the_findings_say(tmp_path, form):
    if form == "hypothesis" and importlib.util.find_spec("hypothesis") is None:
        pytest.skip("the emitted templates need hypothesis")
    project = copy("check_subjects", tmp_path)
    emit = ["--emit", "generated", *(["--emit", "hypothesis"] if form == "hypothesis" else [])]
    code, document, stderr = check_json(*emit, "--no-search", "-k", "l", cwd=project)
    assert code == 1, stderr
    file = project / "generated" / "test_temper_kinds_functions.py"
    text = file.read_text()
    seed = ["--hypothesis-seed=0"] if form == "hypothesis" else []
    code, ended = pytest_run(project / "generated", *seed)
    assert code == 1
    assert_red_as_found(ended["FAILED"], document["findings"], project / "generated")
    names = {"test_plain_zero_division_error", "test_lazy_zero_division_error", "test_slow_timeout"}
    assert names <= set(ended["FAILED"])
    assert ended["FAILED"]["test_slow_timeout"] == "TimeoutError: took longer than 0.3 s"
    clean = ("clean", "named_like_settings", "named_like_locals", "bounded_all_over", "labelled")
    assert {f"test_{name}_property" for name in clean} <= set(ended["PASSED"])
    # The properties find what was found; nothing is marked that passes.
    assert {"test_plain_property", "test_lazy_property", "test_same_length_property"} <= set(ended["XFAIL"])
    assert ended["XPASS"] == {}
    mark = "@given(data=st.data())" if form == "hypothesis" else "@temper.forall("
    assert mark in text
    # A file that is not ours is not touched.
    file.write_text("# mine\n")
    code, _, stderr = run("check", *emit, "-k", "plain", cwd=project)
    assert code == 2 and "is there already" in stderr and file.read_text() == "# mine\n"


def test_proposals_run_and_find_what_is_there(tmp_path):
    from test_check import REPOSITORY

    project = copy("mlkit", tmp_path, REPOSITORY / "examples")
    code, stdout, stderr = run("check", "--suggest", "mlkit", cwd=project)
    assert code == 0, stderr
    assert '@arg("x", np_arrays("float64", "n k", min=-100, max=100))' in stdout
    assert "16 functions, 11 with every argument known" in stdout
    code, document, stderr = check_json("--annotations", ".temper/suggested.an.toml", cwd=project)
    assert "error:" not in stderr, stderr
    # k-means++ divides by the sum of distances, which is 0 when all points are the same.
    assert [f["exception"] for f in document["findings"]] == ["ValueError: probabilities contain NaN"]
    # The proposals, and the lives of two classes.
    assert len(document["subjects"]) == 13


SUGGESTED = """
class Curve:
    def __init__(self, f):
        self.f = f

@Curve
def wrapped(t, power=1):
    return t**power

def sizes(n, d, table, weights_b=None):
    assert n <= d
    noise = np.random.normal(size=(n, d + 1))
    return np.arange(d), np.empty(n), noise, table.shape, table.values

def caller(count, wide):
    return sizes(count, wide, None)

def next_to_a_size(k, n, points):
    return np.zeros((n, k)), np.sort(points)

def of_a_dict(groups):
    return [len(group) for group in groups.values()]
"""


def test_proposals_tell_sizes_from_arrays_and_tables(tmp_path):
    from temper.check.suggest import suggest

    (tmp_path / "plain.py").write_text(SUGGESTED)
    found = suggest([(str(tmp_path / "plain.py"), "plain")], [])["functions"]
    lines = {each["function"]: [text for text, _ in each["decorators"]] + each["notes"] for each in found}
    # What the decorator makes of a function takes other arguments.
    assert "wrapped" not in lines
    assert lines["sizes"] == [
        '@arg("n", ints(1, 16))',
        '@arg("d", ints(1, 16))',
        '@arg("weights_b", froms([None]))',
        '@require("n <= d")',
        "`table` is a table: say its columns with `frames`",
    ]
    # What is handed on has to meet what is required there.
    assert lines["caller"][-1] == '@require("count <= wide")'
    # A side called `n` would be as long as the argument `n`.
    assert '@arg("points", np_arrays("float64", "m", min=-100, max=100))' in lines["next_to_a_size"]
    assert lines["of_a_dict"] == ["no clue to `groups`: say what it is, perhaps with `objs`"]


def test_a_slow_import_is_no_slow_call_and_is_not_broken_off(tmp_path):
    (tmp_path / "late.py").write_text("import time\ntime.sleep(1.2)\nvalue = 1\n")
    (tmp_path / "plain.py").write_text(
        "from temper import *\n"
        "@timeout(0.6)\n@args(n=ints(0, 3))\ndef f(n):\n    import late\n    return n + late.value\n"
    )
    code, document, stderr = check_json(cwd=tmp_path)
    assert (code, document["findings"]) == (0, []), stderr


def test_settings_of_a_check_come_from_the_file_too(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.temper]\ndraws = 7\nseed = 3\nbudget = '5s'\n")
    (tmp_path / "plain.py").write_text("from temper import *\n@args(n=ints())\ndef f(n):\n    return n\n")
    _, document, _ = check_json(cwd=tmp_path)
    assert (document["seed"], document["subjects"][0]["evidence"]["valid"]) == (3, 7)
    _, document, _ = check_json("--draws", "9", cwd=tmp_path)
    assert document["subjects"][0]["evidence"]["valid"] == 9
