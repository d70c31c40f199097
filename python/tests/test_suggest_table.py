"""``temper check --suggest`` tries what it proposes, and ``--write`` keeps it; ``--oracle``; through the installed command."""

import ast

from test_check import check_json, run

DESCRIBED = '''
def halves(n):
    """Halves.

    :param int n: a number, at least 2
    """
    return n / 2


def share(total, parts):
    """A share.

    :param int total: what is shared
    :param int parts: a number between 0 and 3
    """
    return total // parts


def level(limit):
    """A level.

    :param int limit: a number
    """
    _check(limit)
    return limit


def _check(limit):
    if limit < 7:
        raise ValueError("limit must be at least 7")


def fitted(model):
    """Uses a model.

    :param model: an estimator
    """
    return model.fit()
'''


def test_proposals_are_tried_narrowed_and_kept(tmp_path):
    (tmp_path / "described.py").write_text(DESCRIBED)
    code, stdout, stderr = run("check", "--suggest", "--write", "described.py", cwd=tmp_path)
    assert code == 0, stderr
    table = stdout.partition("\nTried:\n")[2].splitlines()
    ends = {line.split()[-1] if "not tried" in line else line.split()[2]: line[2:12].strip() for line in table[:-1]}
    assert [ends[name] for name in ("halves", "share", "level")] == ["clean", "crash", "clean"]
    assert "ZeroDivisionError: integer division or modulo by zero   share(1, parts=0)" in stdout
    assert '@arg("limit", ints(7, 16))' in stdout and "its refusal `ValueError: limit must be at least 7`" in stdout
    assert table[-1].startswith("4 functions, 3 with every argument known: 2 clean · 1 crash · 1 not tried")
    assert "annotations of 3 functions written to temper.an.toml" in stderr
    assert (tmp_path / "temper.an.toml").read_text().count("[[function]]") == 3
    code, _, stderr = run("check", "--suggest", "--write", "described.py", cwd=tmp_path)
    assert code == 2 and "`temper.an.toml` is there already" in stderr
    code, document, _ = check_json("described.py", "-k", "share", cwd=tmp_path)
    assert code == 1 and [finding["subject"] for finding in document["findings"]] == ["share"]


LONG = '''
def mixed(weight_of_the_first_part, weight_of_the_second_part, weight_of_the_third_part, weight_of_the_fourth_part,
          weight_of_the_fifth_part, weight_of_the_sixth_part):
    """Mixes.

    :param int weight_of_the_first_part: at least 1000
    :param int weight_of_the_second_part: at least 1000
    :param int weight_of_the_third_part: at least 1000
    :param int weight_of_the_fourth_part: at least 1000
    :param int weight_of_the_fifth_part: at least 1000
    :param int weight_of_the_sixth_part: at least 1000
    """
    return {}["of\\ntwo lines"]
'''


def test_calls_in_the_table_are_whole(tmp_path):
    (tmp_path / "long.py").write_text(LONG)
    _, stdout, stderr = run("check", "--suggest", "long.py", cwd=tmp_path)
    line = stdout.partition("\nTried:\n")[2].splitlines()[0]
    call = line[line.index("mixed(") :] if "mixed(" in line else ""
    assert "KeyError" in line and len(call) > 160, stdout + stderr
    names = [keyword.arg for keyword in ast.parse(call, mode="eval").body.keywords]
    assert names[-1] == "weight_of_the_sixth_part"


def test_write_needs_suggest(tmp_path):
    code, _, stderr = run("check", "--write", cwd=tmp_path)
    assert code == 2 and "--suggest" in stderr


def test_an_oracle_is_asked_for_by_a_flag_and_replayed(tmp_path):
    text = "from temper import arg, int_lists\n\n@arg('x', int_lists())\ndef f(x):\n    x.sort()\n    return x[0]\n"
    (tmp_path / "held.py").write_text(text)
    assert run("check", cwd=tmp_path)[0] == 0
    code, document, _ = check_json("--oracle", "unchanged", cwd=tmp_path)
    (finding,) = document["findings"]
    assert (code, finding["kind"]) == (1, "postcondition")
    assert finding["exception"] == "unchanged: an argument was changed in place"
    code, stdout, _ = run("replay", finding["id"], cwd=tmp_path)
    assert code == 1 and "unchanged: an argument was changed in place" in stdout
