"""Lives of objects in ``temper check``: sequences of calls on one instance."""

import importlib
import sys
import textwrap
import traceback
from pathlib import Path

import pytest
from temper.check import checker
from temper.check.rules import rules_of

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = REPOSITORY / "fixtures" / "projects" / "check_lives"
OPTIONS = {"hints": False, "side": [], "free": True, "secs": 600.0, "draws": 200, "seed": 0, "search": True}

# By class: the exception, and the calls of the shortest life that ends in it.
STATEFUL = {
    "RingBuffer": ("IndexError", 5),
    "ReplayMemory": ("IndexError", 5),
    "Loader": ("ZeroDivisionError", 3),
    "EarlyStopping": ("IndexError", 4),
    "Warmup": ("ZeroDivisionError", 4),
    "Cache": ("KeyError", 6),
    "RunningMean": ("ZeroDivisionError", 4),
    "Classifier": ("IndexError", 3),
    "Tokeniser": ("KeyError", 3),
    "Checkpoints": ("KeyError", 3),
    "Timer": ("IndexError", 8),
    "Pool": ("KeyError", 3),
    "Vocabulary": ("RuntimeError", 4),
}


@pytest.fixture
def project(monkeypatch):
    """A folder whose modules can be imported; they are forgotten afterwards, because a check changes their code."""
    monkeypatch.syspath_prepend(str(PROJECT))
    yield PROJECT
    for name in ("stateful", "steady"):
        sys.modules.pop(name, None)


def module_of(text, tmp_path, monkeypatch):
    """A module with this text, under a name of its own."""
    name = f"lived_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def subjects_of(module, root, **options):
    found = checker.survey(module, {**OPTIONS, "root": str(root), **options})["subjects"]
    assert all(subject["problem"] is None for subject in found), found
    return [subject["name"] for subject in found]


def check(module, name, root, **options):
    return checker.check(module, name, {**OPTIONS, "root": str(root), **options})


def pasted(finding):
    """How the reported lines of code end: the exception's name, and the source line that it came from."""
    scope = {}
    exec(finding["imports"], scope)
    try:
        exec(finding["call"], scope)
    except Exception as error:
        return type(error).__name__, traceback.extract_tb(error.__traceback__)[-1].line
    return None


@pytest.mark.parametrize("name", STATEFUL)
def test_a_bug_that_needs_several_calls_is_found_with_the_shortest_life(name, project):
    reply = check("stateful", name, project)
    (finding,) = reply["findings"]
    exception, calls = STATEFUL[name]
    assert finding["place"]["message"].split(":")[0] == exception
    assert "# BUG" in finding["place"]["source"]
    assert len(finding["call"].splitlines()) == 1 + calls, finding["call"]
    importlib.reload(sys.modules["stateful"])
    ended = pasted(finding)
    assert ended is not None and ended[0] == exception


def test_objects_that_do_not_crash_are_clean(project):
    names = subjects_of("steady", project)
    assert {"Stack", "Scaler", "Average", "Log", "Batches"} < set(names)
    for name in names:
        reply = check("steady", name, project)
        assert reply["findings"] == [], (name, reply["findings"])
        assert reply["valid"] > 0, name


def test_the_same_seed_gives_the_same_life(project):
    replies = []
    for _ in range(2):
        sys.modules.pop("stateful", None)
        replies.append(check("stateful", "Checkpoints", project))
    assert replies[0] == replies[1]


def test_methods_that_need_a_state_are_tested_in_lives_alone(project):
    names = subjects_of("stateful", project)
    assert "RingBuffer.push" in names and "RingBuffer.pop" not in names and "RingBuffer" in names
    # Objects that are entered are not used outside of a `with` block.
    assert "Timer" in names and "Timer.lap" not in names


def test_one_call_that_crashes_is_a_finding_of_the_method_alone(tmp_path, monkeypatch):
    text = """
        from temper import arg, ints

        class Divider:
            def __init__(self):
                self.last = None

            @arg("n", ints(0, 3))
            def divide(self, n):
                self.last = 6 // n
    """
    module = module_of(text, tmp_path, monkeypatch)
    assert [f["call"] for f in check(module, "Divider.divide", tmp_path)["findings"]] == ["Divider().divide(0)"]
    assert check(module, "Divider", tmp_path)["findings"] == []


def test_inherited_methods_are_tested_on_each_class(tmp_path, monkeypatch):
    text = """
        from abc import ABC, abstractmethod
        from temper import arg, ints

        class Base(ABC):
            @abstractmethod
            def parts(self):
                ...

            @arg("at", ints(0, 2))
            def part(self, at):
                return self.parts()[at]

        class Three(Base):
            def parts(self):
                return [1, 2, 3]

        class Two(Base):
            def parts(self):
                return [1, 2]
    """
    module = module_of(text, tmp_path, monkeypatch)
    names = subjects_of(module, tmp_path)
    assert {"Three.part", "Two.part", "Three", "Two"} < set(names) and "Base.part" not in names
    assert check(module, "Three.part", tmp_path)["findings"] == []
    assert [f["call"] for f in check(module, "Two.part", tmp_path)["findings"]] == ["Two().part(2)"]


def test_postconditions_hold_after_every_call_of_a_life(tmp_path, monkeypatch):
    text = """
        from temper import ensure

        class Counter:
            def __init__(self):
                self.n = 0

            @ensure("result < 3")
            def step(self):
                self.n += 1
                return self.n
    """
    module = module_of(text, tmp_path, monkeypatch)
    (finding,) = check(module, "Counter", tmp_path)["findings"]
    assert finding["kind"] == "postcondition"
    assert finding["call"].splitlines() == ["counter = Counter()", *["counter.step()"] * 3]
    assert finding["check"].splitlines()[-1] == "temper.verify(counter.step)"


def test_a_worded_refusal_of_a_method_without_annotations_is_no_crash(tmp_path, monkeypatch):
    text = """
        class Job:
            def __init__(self):
                self.is_started = False

            def start(self):
                self.is_started = True

            def result(self):
                if not self.is_started:
                    raise RuntimeError("not started")
                assert not self.is_started, "BUG"
    """
    module = module_of(text, tmp_path, monkeypatch)
    assert check(module, "Job.result", tmp_path)["findings"] == []
    (finding,) = check(module, "Job", tmp_path)["findings"]
    assert finding["call"].splitlines() == ["job = Job()", "job.start()", "job.result()"]


def test_sides_of_arrays_agree_in_all_calls_of_a_life_but_for_the_rows(tmp_path, monkeypatch):
    text = """
        from temper import arg, np_arrays

        SEEN = set()

        class Model:
            def __init__(self):
                self.shapes = []

            @arg("x", np_arrays("float64", "n k"))
            def fit(self, x):
                self.shapes.append(x.shape)
                SEEN.add(tuple(self.shapes))
    """
    module = module_of(text, tmp_path, monkeypatch)
    assert check(module, "Model", tmp_path)["findings"] == []
    lives = sys.modules[module].SEEN
    assert all(len({columns for _, columns in life}) == 1 for life in lives)
    assert any(len({rows for rows, _ in life}) > 1 for life in lives)
    assert len({life[0][1] for life in lives}) == 3


COPIED = """
    import threading
    from temper import arg, ints

    class Pickled:
        def __init__(self):
            self.items, self.lock = [], threading.Lock()

        def __getstate__(self):
            return {"items": self.items}

        def __setstate__(self, state):
            self.__dict__.update(state)

        @arg("n", ints(0, 3))
        def push(self, n):
            with self.lock:  # BUG
                self.items.append(n)

    class Copied:
        def __init__(self):
            self.items, self.count = [], 0

        def __copy__(self):
            other = Copied()
            other.items = list(self.items)
            return other

        @arg("n", ints(0, 3))
        def push(self, n):
            self.items.append(n)
            self.count += 1

        def mean(self):
            return sum(self.items) / self.count if self.items else 0  # BUG

    class Plain:
        def __init__(self):
            self.lock = threading.Lock()

        @arg("n", ints(0, 3))
        def push(self, n):
            with self.lock:
                return n

    class Careful:
        def __init__(self):
            self.items = []

        def __reduce__(self):
            if self.items:
                raise TypeError("only an empty one can be pickled")
            return (Careful, ())

        def __deepcopy__(self, memo):
            other = Careful()
            other.items = list(self.items)
            return other

        @arg("n", ints(0, 3))
        def push(self, n):
            self.items.append(n)
"""


@pytest.mark.parametrize(
    ("name", "exception", "calls"),
    [
        ("Pickled", "AttributeError", ["pickled = pickle.loads(pickle.dumps(pickled))", "pickled.push(0)"]),
        ("Copied", "ZeroDivisionError", ["copied.push(0)", "copied = copy.copy(copied)", "copied.mean()"]),
    ],
)
def test_a_copy_takes_the_place_of_an_object_whose_class_says_how_it_is_made(
    name, exception, calls, tmp_path, monkeypatch
):
    module = module_of(COPIED, tmp_path, monkeypatch)
    (finding,) = check(module, name, tmp_path)["findings"]
    assert finding["call"].splitlines() == [f"{name.lower()} = {name}()", *calls]
    # Two methods that say how an object is pickled are one step.
    steps = rules_of(getattr(sys.modules[module], name), False, True)
    assert sum(step.is_round_trip for step in steps) == 1
    assert "# BUG" in finding["place"]["source"]
    importlib.reload(sys.modules[module])
    ended = pasted(finding)
    assert ended is not None and ended[0] == exception


@pytest.mark.parametrize("name", ["Plain", "Careful"])
def test_objects_that_cannot_be_copied_or_refuse_it_in_words_are_clean(name, tmp_path, monkeypatch):
    module = module_of(COPIED, tmp_path, monkeypatch)
    assert check(module, name, tmp_path)["findings"] == []
