"""State machines in Python: rules, preconditions, earlier results, invariants, and search over sequences of calls."""

import pytest
import temper
from temper import StateMachine, bools, earlier, ints, invariant, precondition, rule, test_machine


class RingBuffer(StateMachine):
    """A ring whose full state is taken for the empty one."""

    def __init__(self):
        self.model, self.head, self.tail = [], 0, 0

    @rule(item=ints(0, 255))
    @precondition(lambda self: len(self.model) < 28)
    def push(self, item):
        self.model.append(item)
        self.tail = (self.tail + 1) % 28
        temper.maximize(len(self.model))
        assert (self.tail - self.head) % 28 == len(self.model)

    @rule()
    @precondition(lambda self: self.model)
    def pop(self):
        self.head = (self.head + 1) % 28
        self.model.pop(0)


class Overdraft(StateMachine):
    """An account whose fee is taken below its limit."""

    def __init__(self):
        self.balance = 0

    @rule(amount=ints(1, 100))
    def deposit(self, amount):
        self.balance += amount

    @rule(amount=ints(1, 100))
    def withdraw(self, amount):
        if self.balance - amount >= -1500:
            self.balance -= amount
        if self.balance < -1480:
            self.balance -= 20

    @invariant
    def keeps_its_limit(self):
        temper.minimize(self.balance)
        assert self.balance >= -1500


class Scheduler(StateMachine):
    """Urgent tasks first: another one waits without end."""

    def __init__(self):
        self.urgent, self.waiting = 0, []

    @rule(is_urgent=bools())
    def add(self, is_urgent):
        if is_urgent:
            self.urgent = min(3, self.urgent + 1)
        else:
            self.waiting.append(0)

    @rule()
    def run_next(self):
        if self.urgent:
            self.urgent -= 1
            self.waiting = [turns + 1 for turns in self.waiting]
        elif self.waiting:
            self.waiting.pop(0)
        temper.maximize(max(self.waiting, default=-1))
        assert all(turns < 18 for turns in self.waiting)


class WarmStart(StateMachine):
    """The eighth fit that adds to a model counts its trees wrong."""

    def __init__(self):
        self.is_warm, self.wanted, self.trees, self.fits = False, 0, 0, 0

    @rule(is_warm=bools())
    def set_warm(self, is_warm):
        self.is_warm = is_warm

    @rule(trees=ints(1, 100))
    def set_trees(self, trees):
        self.wanted = trees

    @rule()
    @precondition(lambda self: self.wanted)
    def fit(self):
        self.fits = self.fits + 1 if self.is_warm and self.wanted > self.trees else 0
        self.trees = self.wanted + (self.fits == 8)

    @invariant
    def has_the_trees_wanted(self):
        temper.maximize(self.fits - self.trees / 1000)
        assert self.fits < 8 or self.trees == self.wanted


@pytest.mark.parametrize("kind", [RingBuffer, Overdraft, Scheduler, WarmStart])
def test_a_search_finds_what_drawing_does_not(kind):
    searched = test_machine(kind).run()
    assert searched.is_found
    drawn = test_machine(kind, strategy="random", swarm=False, budget=10 * searched.tests).run()
    assert not drawn.is_found


@pytest.mark.parametrize("kind", [RingBuffer, Overdraft])
def test_drawing_finds_what_needs_many_calls_of_one_rule(kind):
    for seed in range(3):
        assert test_machine(kind, strategy="random", seed=seed, budget=500).run().is_found
        assert not test_machine(kind, strategy="random", swarm=False, seed=seed, budget=500).run().is_found


class Sequence(StateMachine):
    """Notes which of its rules were called."""

    seen: list[list[str]]

    def __init__(self):
        self.seen.append([])

    @rule()
    def first(self):
        self.seen[-1].append("first")

    @rule()
    def second(self):
        self.seen[-1].append("second")

    @rule()
    def third(self):
        self.seen[-1].append("third")


def rules_missing(**settings):
    Sequence.seen = []
    test_machine(Sequence, budget=300, **settings).run()
    long = [calls for calls in Sequence.seen if len(calls) >= 30]
    assert len(long) > 50
    return sum(len(set(calls)) < 3 for calls in long) / len(long)


def test_most_sequences_leave_rules_out_unless_asked_not_to():
    # Each of three rules is left out in five cases of 16, in three sequences of four: half of all sequences.
    assert 0.3 < rules_missing() < 0.7
    assert rules_missing(swarm=False) == 0


class Keys(StateMachine):
    """A store that loses a key if it is deleted twice."""

    def __init__(self):
        self.keys = set()

    @rule(name=ints(0, 99))
    def insert(self, name):
        self.keys.add(name)
        return name

    @rule(key=earlier("insert"))
    def delete(self, key):
        assert key in self.keys
        self.keys.remove(key)


def test_the_trace_reads_as_code_and_names_earlier_results():
    report = test_machine(Keys).run()
    assert [step.rule for step in report.found.arguments["steps"]] == ["insert", "delete", "delete"]
    notes = "\n".join(getattr(report.found.error, "__notes__", []))
    expected = ["state = Keys()", "v1 = state.insert(name=0)", "state.delete(key=v1)", "state.delete(key=v1)"]
    assert not notes or [line.strip() for line in notes.splitlines()[1:]] == expected


def test_a_machine_is_a_test():
    with pytest.raises(AssertionError):
        test_machine(Keys)()

    class Nothing(StateMachine):
        pass

    with pytest.raises(temper.PropertyError, match="`Nothing` has no rule"):
        test_machine(Nothing)
