"""What ``temper check`` tells: causes apart, short calls, where the search ends, and hints; through the installed command."""

import json
import time
import venv

import pytest
from test_check import check_json, run

TOLD = """
from temper import args, bools, floats, frames, froms, ints, lists, np_arrays


@args(key=froms(["a", "b", "c"]), n=ints(0, 5))
def wrapped(key, n):
    try:
        return {"a": 1, "b": 2}[key] // n
    except (KeyError, ZeroDivisionError) as error:
        raise RuntimeError("cannot be looked up") from error


@args(groups=ints(1, 8), widths=lists(ints(1, 9), len="groups"), at=ints(0, 3), flag=bools())
def channels(groups, widths, at, flag):
    if flag and 0 < at < groups and sum(widths) > 16:
        return widths[groups]


@args(table=np_arrays("float64", "n:1..20 k:1..20", min=-100, max=100))
def spike(table):
    rows, columns = table.shape
    if rows > 2 and columns > 1 and (table > 50).any():
        return table[rows]


@args(n=ints(0, 10**6), rate=floats(0, 1))
def never(n, rate):
    if n * n < 0:
        return "negative"
    return n / (rate * rate + 1)


@args(n=ints(0, 10**6))
def hidden(n):
    if n * n == -1:
        if n > 5:
            if n > 7:
                return 1
    return 0
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The report about the functions above: one run for all that it must tell."""
    project = tmp_path_factory.mktemp("told")
    (project / "told.py").write_text(TOLD)
    code, document, stderr = check_json(cwd=project)
    assert code == 1, stderr
    return project, document


def calls_of(document, name):
    return [finding["call"] for finding in document["findings"] if finding["subject"] == name]


def test_exceptions_that_are_raised_again_at_one_line_are_told_apart_by_their_causes(told):
    _, document = told
    found = [finding for finding in document["findings"] if finding["subject"] == "wrapped"]
    assert len({(finding["path"], finding["line"]) for finding in found}) == 1
    assert sorted(finding["exception"] for finding in found) == [
        "RuntimeError: cannot be looked up, caused by KeyError: 'c'",
        "RuntimeError: cannot be looked up, caused by ZeroDivisionError: integer division or modulo by zero",
    ]
    assert len({finding["id"] for finding in found}) == 2


def test_lists_shrink_with_the_argument_that_is_their_length(told):
    assert calls_of(told[1], "channels") == ["channels(2, widths=[8, 9], at=1, flag=True)"]


def test_arrays_shrink_to_the_smallest_shape_and_one_odd_cell(told):
    (call,) = calls_of(told[1], "spike")
    assert call.count("[") == 4 and call.count("0.0") >= 5, call


def test_the_search_ends_where_nothing_more_can_be_reached(told):
    evidence = {subject["name"]: subject["evidence"] for subject in told[1]["subjects"]}
    for name in ("never", "hidden"):
        assert 0 < evidence[name]["search_calls"] < 2500, evidence[name]


def test_a_clean_function_of_which_little_was_reached_is_named_and_counted(told):
    project, _ = told
    code, stdout, _ = run("check", "-k", "hidden", cwd=project)
    assert code == 0
    assert "1 clean (1 thinly: less than half of the branches reached)" in stdout
    assert "hidden" in stdout and "1 of 6 branch outcomes" in stdout


def test_a_frame_shrinks_to_the_rows_that_it_needs(tmp_path):
    pytest.importorskip("pandas", reason="frames need pandas")
    text = """
        from temper import arg, floats, frames, ints

        @arg("table", frames({"age": ints(0, 120), "score": floats(0, 1)}, rows="n:1..60"))
        def merged(table):
            if table["age"].duplicated().any() and table["score"].max() > 0.5:
                return table.iloc[len(table)]
    """
    lines = [line[8:] for line in text.splitlines()]
    (tmp_path / "plain.py").write_text("\n".join(lines))
    _, document, _ = check_json(cwd=tmp_path)
    (finding,) = document["findings"]
    assert finding["call"].startswith("merged(pd.DataFrame({'age': [0, 0], 'score': ["), finding["call"]


def test_annotations_of_a_file_and_a_path_go_together(tmp_path):
    (tmp_path / "plain.py").write_text("def f(n):\n    return 1 // n\n\n\ndef g(n):\n    return n\n")
    (tmp_path / "other.py").write_text("def f(n):\n    return n\n")
    entries = [
        f'[[function]]\nmodule = "{name}"\nfunction = "f"\nargs = {{ n = "ints(0, 3)" }}\n'
        for name in ("plain", "other")
    ]
    (tmp_path / "side.toml").write_text("\n".join(entries))
    _, document, _ = check_json("--annotations", "side.toml", cwd=tmp_path)
    assert {subject["path"] for subject in document["subjects"]} == {"plain.py", "other.py"}
    code, document, stderr = check_json("--annotations", "side.toml", "plain.py", cwd=tmp_path)
    assert code == 1, stderr
    assert [(subject["path"], subject["name"]) for subject in document["subjects"]] == [("plain.py", "f")]


def test_an_import_at_its_time_limit_says_which_option_raises_it(tmp_path):
    text = (
        "import time\nfrom temper import arg, ints\n\ntime.sleep(600)\n\n\n@arg('n', ints())\ndef f(n):\n    return n\n"
    )
    (tmp_path / "late.py").write_text(text)
    code, _, stderr = run("check", "--time-limit", "1s", cwd=tmp_path)
    assert code == 4 and "the worker could not import `late`" in stderr
    assert "hint: " in stderr and "--time-limit" in stderr.partition("hint: ")[2]


def test_an_unknown_name_in_a_precondition_is_told_with_the_names_in_scope(tmp_path):
    text = "from temper import args, ints, require\n\n\n@args(width=ints(1, 9), depth=ints(1, 9))\n@require('widht > depth')\n"
    (tmp_path / "plain.py").write_text(f"{text}def f(width, depth):\n    return width\n")
    code, _, stderr = run("check", cwd=tmp_path)
    assert code == 4
    assert "`widht`" in stderr and "`width`" in stderr.partition("hint: ")[2], stderr


DETERMINED = """
import time
from temper import arg, args, floats, ints, lists, texts


@args(n=ints(0, 1000), rate=floats(0, 1))
def divided(n, rate):
    if n > 500 and rate < 0.5:
        return n / (n - 777)


@arg("words", lists(texts(max_len=4), max_len=6))
def longest(words):
    return max(words, key=len)


class Stack:
    def __init__(self):
        self.items = []

    @arg("item", ints(0, 9))
    def push(self, item):
        self.items.append(item)

    def drop(self):
        if len(self.items) > 2:
            return self.items[9]
"""


def test_the_same_seed_gives_the_same_report_whatever_the_number_of_workers(tmp_path):
    (tmp_path / "determined.py").write_text(DETERMINED)
    texts = []
    for jobs in ("1", "2", "2"):
        _, stdout, stderr = run(
            "check", "--format", "json", "--seed", "5", "--jobs", jobs, "--budget", "none", cwd=tmp_path
        )
        texts.append(stdout)
        assert json.loads(stdout)["findings"], stderr
    assert texts[0] == texts[1] == texts[2]


WAITS = """
import time
from temper import arg, ints, timeout

{at_import}


@arg("n", ints(0, 9))
def quick(n):
    return n


@timeout(900)
@arg("n", ints(0, 9))
def waits(n):
    {in_call}
    return n
"""


@pytest.mark.parametrize(
    ("at_import", "in_call"), [("", "time.sleep(600)"), ("time.sleep(600)", "")], ids=["call", "import"]
)
def test_a_budget_ends_the_run_whatever_it_waits_for(at_import, in_call, tmp_path):
    (tmp_path / "late.py").write_text(WAITS.format(at_import=at_import, in_call=in_call))
    started = time.monotonic()
    code, stdout, stderr = run("check", "--budget", "3s", "--time-limit", "900s", "--format", "json", cwd=tmp_path)
    # Far below what is slept, and above what a busy machine takes to start.
    assert time.monotonic() - started < 200, stderr
    document = json.loads(stdout)
    assert code == 4 and not document.get("interrupted"), stderr
    verdicts = {subject["name"]: subject["verdict"] for subject in document["subjects"]}
    # The module stands for its functions if the run ended before its import did.
    assert verdicts.get("waits", verdicts.get("late")) == "undecided"


def test_nothing_is_begun_after_the_budget_is_spent(tmp_path):
    """The one worker is kept busy beyond the budget, so that every other function would begin after it."""
    head = "import time\nfrom temper import arg, ints, timeout\n\n\n"
    first = "@timeout(900)\n@arg('n', ints(0, 9))\ndef waits(n):\n    time.sleep(600)\n\n\n"
    others = "\n\n".join(f"@arg('n', ints(0, 9))\ndef f{number}(n):\n    return n\n" for number in range(300))
    (tmp_path / "late.py").write_text(head + first + others)
    options = ("--budget", "3s", "--jobs", "1", "--time-limit", "900s", "--format", "json")
    code, stdout, stderr = run("check", *options, cwd=tmp_path)
    subjects = json.loads(stdout)["subjects"]
    assert code == 4 and {subject["verdict"] for subject in subjects} == {"undecided"}, stderr
    assert all(subject["evidence"]["valid"] == 0 for subject in subjects if subject["name"] != "waits")


def test_a_named_side_file_alone_reads_only_the_modules_that_it_names(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/__init__.py").write_text("")
    (tmp_path / "lib/plain.py").write_text("def f(n):\n    return 1 // n\n")
    # Not Python: reading it would be a warning.
    (tmp_path / "lib/broken.py").write_text("def f(:\n")
    own = "from temper import arg, ints\n\n\n@arg('n', ints(0, 3))\ndef g(n):\n    return n\n"
    (tmp_path / "lib/annotated.py").write_text(own)
    entry = '[[function]]\nmodule = "lib.plain"\nfunction = "f"\nargs = { n = "ints(0, 3)" }\n'
    (tmp_path / "side.toml").write_text(entry)
    code, document, stderr = check_json("--annotations", "side.toml", cwd=tmp_path)
    assert [(each["path"], each["name"]) for each in document["subjects"]] == [("lib/plain.py", "f")]
    assert code == 1 and "broken.py" not in stderr
    # A path says what else is meant.
    _, document, stderr = check_json("--annotations", "side.toml", "lib", cwd=tmp_path)
    assert {each["name"] for each in document["subjects"]} == {"f", "g"}
    assert "broken.py" in stderr


def test_a_domain_whose_library_is_missing_says_how_to_install_it(tmp_path):
    text = """
        from temper import arg, datetimes, frames, ints, np_arrays, tensors

        @arg("x", np_arrays("float64", "n"))
        def arrays(x):
            return x

        @arg("x", tensors("float32", "n"))
        def tensor(x):
            return x

        @arg("x", frames({"age": ints(0, 3)}))
        def frame(x):
            return x

        @arg("x", datetimes(form="datetime64"))
        def moment(x):
            return x

        @arg("x", datetimes())
        def plain(x):
            return x
    """
    (tmp_path / "bare.py").write_text("\n".join(line[8:] for line in text.splitlines()))
    venv.create(tmp_path / "without", with_pip=False)
    python = tmp_path / "without/bin/python"
    code, document, stderr = check_json("--python", str(python), "bare.py", cwd=tmp_path)
    verdicts = {each["name"]: each["verdict"] for each in document["subjects"]}
    assert verdicts == {**dict.fromkeys(("arrays", "tensor", "frame", "moment"), "failed"), "plain": "clean"}
    assert code == 4
    for domain, library in (("np_arrays", "numpy"), ("frames", "pandas"), ("datetimes", "numpy")):
        assert f"error: `{domain}` needs {library}, which is not installed\n  --> bare.py:" in stderr
        assert f"hint: `{python} -m pip install {library}`" in stderr
    assert "a bug in Temper" not in stderr
