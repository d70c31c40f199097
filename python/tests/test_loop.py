"""The engine's loop with subjects that are written out: what it takes from Python, and what it gives back."""

import pytest
from temper import evaluation, ints
from temper.evaluation import BY_PROPERTY, Failed, NoResult
from temper.properties import subject


def made(low=0, high=1000):
    """A program that draws one whole number."""
    return subject.compiled(lambda n: None, {"n": ints(low, high)}, {}).program


def plan(**changed):
    return evaluation.plan(**{"seed": 1, "draws": 50, "searches": 50, "patience": 100, **changed})


class Numbers:
    """A subject that is judged by a function of the number, and notes the numbers it sees."""

    def __init__(self, judge, proposals=()):
        self.judge, self.proposals, self.seen = judge, list(proposals), []

    def evaluate(self, values):
        self.seen.append(values[0])
        return self.judge(values[0])

    def next_input(self):
        return self.proposals.pop(0) if self.proposals else None


def record_of(program, number):
    program.draw(0)
    return program.with_number(program.tree(), 0, number)


def test_failures_are_grouped_by_equal_keys_and_come_back_with_their_evidence():
    def judge(n):
        return Failed(("kind", n > 500), n, float(n)) if n > 100 else None

    report = made().run(Numbers(judge), plan(most_failures=20))
    found = {failure.key: (failure.evidence, failure.utility) for failure in report.failures}
    assert found == {("kind", True): (501, 501.0), ("kind", False): (101, 101.0)}
    assert sum(failure.count for failure in report.failures) <= report.evaluations == 50
    assert not report.is_too_few


def test_rejections_are_counted_by_what_rejected():
    report = made().run(Numbers(lambda n: BY_PROPERTY), plan())
    assert (report.evaluations, report.rejections, report.is_too_few) == (100, (0, 0, 100), True)
    tested = made().run(Numbers(lambda n: NoResult(None)), plan())
    assert (tested.evaluations, tested.rejections, tested.is_too_few) == (50, (0, 0, 0), False)


def test_proposals_are_records_climbs_and_neighbours():
    program = made()
    start = record_of(program, 900)
    proposals = [record_of(program, 7), (3, start, -900.0), *[True] * 300]
    numbers = Numbers(lambda n: -float(n), proposals)
    report = program.run(numbers, plan(skipped=[], most_failures=1, draws=1, search_budget=400))
    assert (report.searched, numbers.seen[1]) == (302, 7)
    assert min(numbers.seen[2:]) == 0


@pytest.mark.parametrize("stage", ["evaluate", "is_over", "next_input", "before_draw", "before_shrinking"])
def test_what_a_subject_raises_ends_the_run(stage):
    numbers = Numbers(lambda n: Failed("any", n, None))

    def raises(*given):
        raise KeyboardInterrupt(stage)

    setattr(numbers, stage, raises)
    with pytest.raises(KeyboardInterrupt, match=stage):
        made().run(numbers, plan(skipped=[], most_failures=1, search_budget=10))
    assert len(numbers.seen) <= 50


@pytest.mark.parametrize(
    ("answer", "message"),
    [("nobody", "nothing is rejected by `nobody`"), ((1, 2), "an evaluation has 1 or 3 parts, not 2"), (7, "tuple")],
)
def test_an_answer_that_is_none_is_an_error(answer, message):
    with pytest.raises((TypeError, ValueError), match=message):
        made().run(Numbers(lambda n: answer), plan())


def test_a_plan_without_a_key_is_an_error():
    without = plan()
    del without["patience"]
    with pytest.raises(KeyError, match="patience"):
        made().run(Numbers(lambda n: None), without)


def test_a_program_draws_and_replays_while_it_runs():
    program = made()
    seen = []

    def judge(n):
        tree = program.tree()
        program.draw(n)
        seen.append(program.replay(tree)[0] == n)

    program.run(Numbers(judge), plan())
    assert seen == [True] * 50


def test_the_quickest_chain_counts():
    program = made()
    chains = [
        (40, (0, 0, 0), [(1, 9.0)], None),
        (30, (0, 0, 1), [], record_of(program, 700)),
        (20, (0, 0, 2), [], record_of(program, 800)),
    ]
    report = program.run(Numbers(lambda n: Failed("large", n, None) if n > 600 else None), plan(), lambda: chains)
    assert (report.evaluations, report.rejections) == (60, (0, 0, 6))
    assert [failure.evidence for failure in report.failures] == [601]
