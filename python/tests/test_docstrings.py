"""Proposals of ``temper check --suggest`` that are read off docstrings."""

import re
import textwrap

import pytest
from temper.check.docstrings import Docstring
from temper.check.suggest import suggest


def proposed(text, tmp_path, refusals=()):
    """The decorators that are proposed for the one function of a file, with where they were read."""
    path = tmp_path / "described.py"
    path.write_text(textwrap.dedent(text))
    (function,) = suggest([[str(path), "described"]], [], [list(each) for each in refusals])["functions"]
    return function


NUMPYDOC = '''
def f(x, k, mode="a", rate=0.5, w=None):
    """Does something.

    Parameters
    ----------
    x : array-like of shape (n_samples, n_features)
        The data.
    k : int
        The number of parts. Must be at least 2.
    mode : {'a', 'b'}, default='a'
        How.
    rate : float, optional
        A number in [0, 1).
    w : array-like of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    out : ndarray of shape (n_samples,)
        The result.

    Raises
    ------
    ValueError
        If there are too few rows.
    """
'''
GOOGLE = '''
def f(x, k, mode="a", rate=0.5, w=None):
    """Does something.

    Args:
        x (np.ndarray of shape (n_samples, n_features)): The data,
            as it comes.
        k (int): The number of parts, at least 2.
        mode ({'a', 'b'}): How.
        rate (float, optional): Between 0 and 1.
        w (array of shape (n_samples,), optional): Weights.

    Raises:
        ValueError: If there are too few rows.
    """
'''
REST = '''
def f(x, k, mode="a", rate=0.5, w=None):
    """Does something.

    :param x: The data, as it comes.
    :type x: array of shape (n_samples, n_features)
    :param int k: The number of parts, at least 2.
    :param mode: How.
    :type mode: {'a', 'b'}
    :param float rate: Between 0 and 1.
    :param w: Weights.
    :type w: array of shape (n_samples,) or None
    :raises ValueError: If there are too few rows.
    """
'''


@pytest.mark.parametrize("text", [NUMPYDOC, GOOGLE, REST], ids=["numpydoc", "google", "rest"])
def test_three_styles_say_the_same(text, tmp_path):
    found = proposed(text, tmp_path)
    said = dict(found["decorators"])
    assert found["is_complete"]
    end = ", exclude_max=True" if text is NUMPYDOC else ""
    assert {each for each in said if not each.startswith("@ensure")} == {
        '@arg("x", np_arrays("float64", "n_samples n_features", min=-100, max=100))',
        '@arg("k", ints(2, 16))',
        "@arg(\"mode\", froms(['a', 'b']))",
        f'@arg("rate", floats(0, 1{end}))',
        '@arg("w", anys(None, np_arrays("float64", "n_samples", min=0, max=100)))',
        "@raises(ValueError)",
    }
    assert all(source.startswith("said: ") for each, source in said.items() if each.startswith("@arg"))


def test_the_shape_of_the_result_is_a_promise(tmp_path):
    said = dict(proposed(NUMPYDOC, tmp_path)["decorators"])
    assert said['@ensure("result.shape == (x.shape[0],)")'] == "its docstring"
    assert 'ensure = ["result.shape == (x.shape[0],)"]' in proposed(NUMPYDOC, tmp_path)["entry"]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("int", "Must be positive.", "ints(1, 16)"),
        ("int", "A non-negative number.", "ints(0, 16)"),
        ("int", "Must be > 3 and <= 9.", "ints(4, 9)"),
        ("float", "Must lie in the interval (0, 2].", "floats(0, 2, exclude_min=True)"),
        ("float", "The probability of a step.", "floats(0, 1)"),
        ("bool", "Whether.", "bools()"),
        ("str or None", "A name.", "anys(None, texts())"),
        ("1d array-like", "Ground truth labels.", 'np_arrays("int64", "n", min=0, max=9)'),
        ("array of ints, shape (3, m)", "Numbers.", 'np_arrays("int64", "3 m", min=0, max=9)'),
        ("ndarray (..., d)", "Numbers.", 'np_arrays("float64", "*batch d", min=-100, max=100)'),
        ("{1, 2, 3}", "One of them.", "froms([1, 2, 3])"),
        ("int [1, 2, 4]", "The number of bytes.", "froms([1, 2, 4])"),
        ("{'raw', 'mean'} or array-like of shape (n_outputs,)", "How.", "froms(['raw', 'mean'])"),
        ("np.dtype", "The dtype of the result.", "froms(['float32', 'float64'])"),
        ("np.dtype", "The complex-valued dtype.", "froms(['complex64', 'complex128'])"),
        ("list of arrays", "Samples.", 'lists(np_arrays("float64", "n", min=-100, max=100), 1, 4)'),
        ("list", "One or more `np.ndarray`.", 'lists(np_arrays("float64", "n", min=-100, max=100), 1, 4)'),
        ("list of str", "Names.", "lists(texts(), 1, 4)"),
        ("str", "Must be one of 'sum' or 'mean'.", "froms(['sum', 'mean'])"),
        ("str, array_like or callable", "Observations.", 'np_arrays("float64", "n", min=-100, max=100)'),
        ("float", "May not be less than 0.", "floats(0, 1)"),
        ("float", "Either value <= 0 or value >= 1.", "floats(1, 2)"),
        ("float", "Must be strictly between 0 and 1.", "floats(0, 1, exclude_min=True, exclude_max=True)"),
        ("int", "The size of the window, which must be odd.", "froms([1, 3, 5, 7])"),
        ("array", "Must contain at least eight observations.", 'np_arrays("float64", "n:8..16", min=-100, max=100)'),
        ("array", "Numbers. At least one label must be given.", 'np_arrays("int64", "n", min=0, max=9)'),
        ("array", "Strictly positive numbers.", 'np_arrays("float64", "n", min=0.001, max=100)'),
        ("array", "Deposits are positive, withdrawals negative.", 'np_arrays("float64", "n", min=-100, max=100)'),
        ("array", "A (at least 2D) grid.", 'np_arrays("float64", "n", min=-100, max=100)'),
        ("array_like", "A 2-dimensional input.", 'np_arrays("float64", "n k", min=-100, max=100)'),
        ("array [ndim=2]", "Numbers.", 'np_arrays("float64", "n k", min=-100, max=100)'),
        (
            "array_like",
            "Must have shape ``(n_sections, 6)``.",
            'np_arrays("float64", "n_sections 6", min=-100, max=100)',
        ),
        ("array_like of bools", "Flags.", 'np_arrays("bool", "n")'),
        ("array-like of shape (n_labels,)", "Display names matching the labels.", "lists(texts(), 1, 4)"),
        ("array-like", "The names of features.", "lists(texts(), 1, 4)"),
        ("(bool, bool)", "A tuple of flags.", "tuples(bools(), bools())"),
        ("None or (bool, int), optional", "A pair.", "anys(None, tuples(bools(), ints(1, 16)))"),
        (
            "1d array-like, or label indicator array / sparse matrix",
            "Ground truth target values.",
            'np_arrays("int64", "n", min=0, max=1)',
        ),
    ],
)
def test_words_become_domains(kind, text, expected, tmp_path):
    source = (
        f'def f(value):\n    """F.\n\n    Parameters\n    ----------\n    value : {kind}\n        {text}\n    """\n'
    )
    (decorator, _), *_ = proposed(source, tmp_path)["decorators"]
    assert decorator == f'@arg("value", {expected})'


def arguments(found):
    """The domains of a proposal by argument, and its preconditions."""
    texts = [text for text, _ in found["decorators"]]
    pairs = [re.fullmatch(r'@arg\("(\w+)", (.*)\)', text) for text in texts]
    return dict(pair.groups() for pair in pairs if pair), [text for text in texts if text.startswith("@require")]


def described(signature, *parameters):
    """A function with a docstring in the style of numpydoc."""
    lines = "".join(f"    {head}\n        {text}\n" for head, text in parameters)
    return f'def f({signature}):\n    """F.\n\n    Parameters\n    ----------\n{lines}    """\n'


def test_what_a_docstring_says_about_two_parameters_holds_of_both(tmp_path):
    text = described(
        "x, y, u, v, size, ndim",
        ("x : array of shape (n, m)", "Numbers."),
        ("y : array", "Must have the same shape as `x`."),
        ("u, v : array_like", "Two sets. Both must have the same length."),
        ("size : int >= len(u)", "The length."),
        ("ndim : int", "Must be at least ``x.ndim``. The part of a set less than `size` does not matter."),
    )
    domains, requires = arguments(proposed(text, tmp_path))
    assert domains["y"] == domains["x"] and domains["u"] == domains["v"]
    assert requires == ['@require("size >= len(u)")', '@require("ndim >= x.ndim")']


def test_an_axis_is_one_that_the_array_has(tmp_path):
    parameters = [("x : array of shape (n, m)", "Numbers."), ("axes : int", "The axis to keep.")]
    assert arguments(proposed(described("x, axes", *parameters), tmp_path))[0]["axes"] == "ints(0, 1)"
    parameters[1] = ("axes : tuple of two ints, optional", "Axes along which to do it.")
    assert "axes" not in arguments(proposed(described("x, axes=(-2, -1)", *parameters), tmp_path))[0]


def test_what_is_ignored_keeps_its_default(tmp_path):
    for kind in ("Ignored", "None"):
        text = described("x, y=None", ("x : array", "Numbers."), (f"y : {kind}", "Not used."))
        assert list(arguments(proposed(text, tmp_path))[0]) == ["x"]


def test_names_for_display_are_not_proposed_if_they_may_be_left_out(tmp_path):
    names = ("names : array-like of shape (n_labels,), default=None", "Optional display names matching the labels.")
    text = described("x, names=None", ("x : array", "Numbers."), names)
    assert list(arguments(proposed(text, tmp_path))[0]) == ["x"]


def test_elements_that_cannot_be_drawn_are_left_to_the_user(tmp_path):
    text = described("models", ("models : list of estimators", "Models."))
    assert not proposed(text, tmp_path)["is_complete"]


def test_a_description_may_begin_with_the_kind(tmp_path):
    text = 'def f(pattern, x):\n    """F.\n\n    :param pattern: string, what to do\n    :param x: a tensor\n    """\n'
    domains, _ = arguments(proposed(text, tmp_path))
    assert domains["pattern"] == "texts()" and domains["x"].startswith("np_arrays(")


def test_callers_of_namesakes_do_not_outvote_a_hint(tmp_path):
    calls = "".join(f"np.repeat(x, {number})\n" for number in range(5))
    text = f'def repeat(x, pattern: str):\n    """R."""\n\n\n{calls}'
    assert arguments(proposed(text, tmp_path))[0]["pattern"] == "texts()"


def test_what_is_an_object_is_left_to_the_user(tmp_path):
    found = proposed(
        'def f(model):\n    """F.\n\n    :param model: fitted estimator\n    :type model: estimator\n    """\n',
        tmp_path,
    )
    assert not found["is_complete"] and "objs" in found["notes"][0]


def test_callers_that_give_none_do_not_outvote_the_docstring(tmp_path):
    given = described("x", ("x : array-like of shape (n, m)", "Numbers.")) + "\n\nf(None)\n"
    assert arguments(proposed(given, tmp_path))[0]["x"] == 'np_arrays("float64", "n m", min=-100, max=100)'
    allowed = given.replace("(n, m)", "(n, m) or None")
    assert arguments(proposed(allowed, tmp_path))[0]["x"].startswith("anys(None, ")


def test_objects_that_only_their_own_code_builds_are_left_to_the_user(tmp_path):
    text = """
        from dataclasses import dataclass, field

        @dataclass
        class Outcome:
            value: float
            _side: list[str] = field(repr=False)

            def low(self, level: float = 0.5):
                return level
    """
    found = proposed(text, tmp_path)
    assert not found["is_complete"] and found["notes"] == ["an instance needs `_side`, which callers do not give"]
    for given in ("field(default='a')", "'a'", "field(init=False)"):
        assert proposed(text.replace("field(repr=False)", given), tmp_path)["is_complete"], given


def test_a_parameter_that_may_be_many_things_keeps_its_default(tmp_path):
    text = 'def f(x=1):\n    """F.\n\n    Parameters\n    ----------\n    x : int, float, bool or str, default=1\n    """\n'
    assert [each for each, _ in proposed(text, tmp_path)["decorators"] if each.startswith("@arg")] == []


def test_the_words_of_a_refusal_narrow_the_proposal(tmp_path):
    text = 'def f(k):\n    """F.\n\n    :param int k: parts\n    """\n'
    assert proposed(text, tmp_path)["decorators"][0][0] == '@arg("k", ints(1, 16))'
    refusals = [("described.f", "k must be at least 3, got 1", True), ("described.g", "k must be at least 7", True)]
    (decorator, source), *_ = proposed(text, tmp_path, refusals)["decorators"]
    assert decorator == '@arg("k", ints(3, 16))' and "its refusal `k must be at least 3, got 1`" in source


SIZED = '''
def f(u, v, order=3, mode="a", weights=None):
    """F.

    Parameters
    ----------
    u : array_like
    v : array_like
    order : int, optional
    mode : {'a', 'b'}, optional
    weights : array_like, optional
    """
'''
VECTOR, PAIR = 'np_arrays("float64", "n", min=-100, max=100)', 'np_arrays("float64", "n k", min=-100, max=100)'


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["u and v must have the same length"], {"u": VECTOR, "v": VECTOR}),
        (["u must be a 2-D array"], {"u": PAIR, "v": VECTOR}),
        (["`u` is too short: at least 8 samples are needed"], {"u": VECTOR.replace('"n"', '"n:9..17"')}),
        (["order must be odd"], {"order": "froms([1, 3, 5, 7])"}),
        (["order is out of range"], {"order": None, "mode": "froms(['a', 'b'])"}),
        (["no"], {"order": None, "weights": None, "mode": "froms(['a', 'b'])"}),
        (["no", "still no"], {"order": None, "weights": None, "mode": None}),
    ],
)
def test_sizes_and_defaults_follow_from_what_a_function_says(messages, expected, tmp_path):
    found = proposed(SIZED, tmp_path, [("described.f", message, True) for message in messages])
    texts = dict(re.fullmatch(r'@arg\("(\w+)", (.*)\)', text).groups() for text, _ in found["decorators"])
    assert {name: texts.get(name) for name in expected} == expected


def test_a_crash_says_nothing_about_the_arguments_unless_sizes_do_not_fit(tmp_path):
    plain = proposed(SIZED, tmp_path)["decorators"]
    assert proposed(SIZED, tmp_path, [("described.f", "division by zero", False)])["decorators"] == plain
    message = "operands could not be broadcast together with shapes (3,) (4,)"
    source = dict(proposed(SIZED, tmp_path, [("described.f", message, False)])["decorators"])
    assert source[f'@arg("v", {VECTOR})'].endswith(
        "its refusal `operands could not be broadcast together with shapes (3,) (4`"
    )


def test_how_sure_a_proposal_is_is_told(tmp_path):
    found = dict(proposed("def f(epochs, y, n: int):\n    return range(y)\n", tmp_path)["decorators"])
    assert [source.partition(":")[0] for source in found.values()] == ["guessed", "seen", "said"]


def test_sections_end_where_the_next_begins():
    text = """Sums.

    Parameters
    ----------
    a, b : float
        Numbers.
    *args
        More.

    See Also
    --------
    other : int
    """
    docstring = Docstring(text)
    assert {name: each.kind for name, each in docstring.parameters.items()} == {"a": "float", "b": "float", "args": ""}
    assert Docstring(None).parameters == {}
