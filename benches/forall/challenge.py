"""The shrinking challenge (github.com/jlink/shrinking-challenge), `temper.forall` and Hypothesis in one run.

`benches/targeted/src/challenge.rs` has the same problems in Rust. Run with `make bench-challenge`.
"""

from __future__ import annotations

import argparse
import collections
import functools
import random
import time

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from temper import assume as leave_out
from temper import bools, forall, froms, generator, ints, lists, objs, tuples

I16 = (-(2**15), 2**15 - 1)
I32 = (-(2**31), 2**31 - 1)
I64 = (-(2**63), 2**63 - 1)
DRAWS = 100_000


class LeftOut(Exception):
    """The input is not one that the property is about."""


def wrapped(number):
    return (number + 2**15) % 2**16 - 2**15


def bound5(p):
    sums = [wrapped(sum(part)) for part in p]
    if any(each >= 256 for each in sums):
        raise LeftOut
    return wrapped(sum(sums)) < 5 * 256


def large_union(lists_of_numbers):
    return len({number for each in lists_of_numbers for number in each}) <= 4


def divides_by_zero(expression):
    if isinstance(expression, int):
        return False
    operator, a, b = expression
    return (operator == "/" and b == 0) or divides_by_zero(a) or divides_by_zero(b)


def value(expression):
    if isinstance(expression, int):
        return expression
    operator, a, b = expression
    return value(a) + value(b) if operator == "+" else value(a) // value(b)


def calculator(expression):
    if divides_by_zero(expression):
        raise LeftOut
    try:
        value(expression)
    except ZeroDivisionError:
        return False
    return True


def merged(a, b):
    if a is None or b is None:
        return b if a is None else a
    if a[0] > b[0]:
        a, b = b, a
    return (a[0], merged(a[2], b), a[1])


def heap_list(heap):
    return [] if heap is None else [heap[0], *heap_list(heap[1]), *heap_list(heap[2])]


def binheap(heap):
    if heap is None:
        return True
    wrong = [heap[0], *heap_list(merged(heap[1], heap[2]))]
    return wrong == sorted(heap_list(heap))


def coupling(numbers):
    if any(number >= len(numbers) for number in numbers):
        raise LeftOut
    return all(number == i or numbers[number] != i for i, number in enumerate(numbers))


def deletion(pair):
    numbers, at = pair
    return numbers.count(numbers[at % len(numbers)]) < 2


def difference(is_wrong):
    return lambda pair: pair[0] < 10 or not is_wrong(abs(pair[0] - pair[1]))


@generator
def calculation(draw):
    """A number, or a sum or a quotient of two calculations."""
    if not draw(bools()):
        return draw(ints(*I32))
    return (draw(froms(["+", "/"])), draw(objs(calculation)), draw(objs(calculation)))


CALCULATION = st.deferred(lambda: st.integers(*I32) | st.tuples(st.sampled_from(["+", "/"]), CALCULATION, CALCULATION))


@generator
def heap_parts(draw):
    """A heap, as nested tuples of what each node is above its parent."""
    if not draw(bools()):
        return None
    return (draw(ints(0, 2**30)), draw(objs(heap_parts)), draw(objs(heap_parts)))


def summed(parts, least):
    if parts is None:
        return None
    number = least + parts[0]
    return (number, summed(parts[1], number), summed(parts[2], number))


@generator
def heap(draw):
    """A heap, as nested tuples."""
    return summed(draw(objs(heap_parts)), 0)


@st.composite
def heap_strategy(draw, least=0):
    if not draw(st.booleans()):
        return None
    number = draw(st.integers(least, 2**31 - 1))
    return (number, draw(heap_strategy(number)), draw(heap_strategy(number)))


NUMBERS = (lists(ints(*I64), max_len=42), st.lists(st.integers(*I64)))
PAIR = (tuples(ints(1, I32[1]), ints(1, I32[1])), st.tuples(st.integers(1, I32[1]), st.integers(1, I32[1])))
LISTS_16 = (
    tuples(*[lists(ints(*I16), max_len=42)] * 5),
    st.tuples(*[st.lists(st.integers(*I16))] * 5),
)
NESTED = (lists(lists(ints(*I64), max_len=42), max_len=42), st.lists(st.lists(st.integers(*I64))))

# Name, property, our domain, the strategy of Hypothesis.
PROBLEMS = [
    ("bound5", bound5, *LISTS_16),
    ("large_union_list", large_union, *NESTED),
    ("reverse", lambda numbers: numbers == numbers[::-1], *NUMBERS),
    ("calculator", calculator, objs(calculation), CALCULATION),
    ("coupling", coupling, lists(ints(0, 10), max_len=10), st.lists(st.integers(0, 10), max_size=10)),
    (
        "deletion",
        deletion,
        tuples(lists(ints(*I32), min_len=1, max_len=42), ints(0, 41)),
        st.tuples(st.lists(st.integers(*I32), min_size=1, max_size=42), st.integers(0, 41)),
    ),
    ("difference_must_not_be_zero", difference(lambda by: by == 0), *PAIR),
    ("difference_must_not_be_small", difference(lambda by: 1 <= by <= 4), *PAIR),
    ("difference_must_not_be_one", difference(lambda by: by == 1), *PAIR),
    ("distinct", lambda numbers: len(set(numbers)) < 3, *NUMBERS),
    (
        "lengthlist",
        lambda numbers: max(numbers) < 900,
        lists(ints(0, 1000), min_len=1, max_len=100),
        st.integers(1, 100).flatmap(lambda n: st.lists(st.integers(0, 1000), min_size=n, max_size=n)),
    ),
    ("nestedlists", lambda numbers: sum(map(len, numbers)) <= 10, *NESTED),
    ("binheap", binheap, objs(heap), heap_strategy()),
]


def ours(domain, holds, seed):
    def test(x):
        try:
            return holds(x)
        except LeftOut:
            leave_out(False)
            raise

    report = forall(x=domain, seed=seed, draws=DRAWS).run(test)
    return None if report.found is None else report.found.arguments["x"]


def theirs(strategy, holds, seed):
    def breaks(x):
        try:
            return not holds(x)
        except LeftOut:
            return False

    phases = (Phase.generate, Phase.shrink)
    chosen = settings(
        max_examples=DRAWS, phases=phases, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    try:
        return find(strategy, breaks, settings=chosen, random=random.Random(seed))
    except NoSuchExample:
        return None


def measured(run, seeds, most_secs):
    """One cell of the table: the results of all seeds, or of those that began within some processor time."""
    start = time.process_time()
    results = collections.Counter()
    for seed in range(seeds):
        if time.process_time() - start > most_secs:
            break
        results[repr(run(seed))] += 1
    best, reached = results.most_common(1)[0]
    done = results.total()
    milliseconds = 1000 * (time.process_time() - start) / done
    of = "" if done == seeds else f" of {done}"
    return f"{len(results)} | `{best[:50]}` in {reached}{of} | {milliseconds:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--peer-secs", type=float, default=float("inf"), help="CPU seconds of Hypothesis on a problem")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    print(f"| {asked.seeds} seeds | temper: results | most frequent | ms | Hypothesis: results | most frequent | ms |")
    print("|---|---|---|---|---|---|---|")
    for name, holds, domain, strategy in PROBLEMS:
        if asked.only in name:
            left = measured(functools.partial(ours, domain, holds), asked.seeds, float("inf"))
            right = measured(functools.partial(theirs, strategy, holds), asked.seeds, asked.peer_secs)
            print(f"| {name} | {left} | {right} |", flush=True)


if __name__ == "__main__":
    main()
