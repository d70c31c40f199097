"""Texts that are put together from the words and separators of a function's own code."""

import textwrap

from temper.check import checker
from temper.check.text_parts import parts_of

OPTIONS = {"hints": False, "side": [], "free": False, "secs": 600.0, "draws": 200, "seed": 1, "search": True}


def check(text, tmp_path, monkeypatch):
    module = f"parted_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    return checker.check(module, "f", {**OPTIONS, "root": str(tmp_path)})


def test_a_format_is_found_part_by_part(tmp_path, monkeypatch):
    text = """
        from temper import arg, texts

        @arg("spec", texts(max_len=24))
        def f(spec):
            kind, _, rest = spec.partition(":")
            if kind == "conv":
                size, _, act = rest.partition(",")
                if act in ("relu", "tanh") and size.isdigit():
                    return 12 // int(size)
    """
    (finding,) = check(text, tmp_path, monkeypatch)["findings"]
    assert finding["place"]["message"].startswith("ZeroDivisionError")
    assert finding["call"] in ("f('conv:0,relu')", "f('conv:0,tanh')")


UNITS = {"ms": 1, "hours": 3600}


def seconds(value):
    number, unit = value.split("@")
    return int(number) / UNITS[unit]


def test_keys_of_tables_and_helpers_are_parts():
    def f(value):
        return seconds(value.removeprefix("wait="))

    parts = parts_of(f)
    assert {"wait=", "wait", "=", "@", "ms", "hours", "@ms", "=hours"} <= set(parts)


def test_texts_stay_in_their_domain(tmp_path, monkeypatch):
    text = """
        from temper import arg, ensure, texts

        @arg("word", texts(min_len=2, max_len=5, alphabet="abc-"))
        def f(word):
            assert 2 <= len(word) <= 5 and set(word) <= set("abc-")
            return word == "a-b" or word == "zebra"
    """
    reply = check(text, tmp_path, monkeypatch)
    assert reply["findings"] == [] and reply["valid"] >= 200
    assert reply["branches"] is not None


def test_messages_and_docstrings_are_no_parts():
    def f(text):
        """Reads a text that has a long description."""
        if text.startswith("x-"):
            raise ValueError("this text is far too long to be a part")

    assert parts_of(f)[:3] == ["x-", "x", "-"]
    assert not any("long" in part for part in parts_of(f))
