"""Where a cluster breaks: 10,000 tests on 1,000 workers, simulated with measured costs.

    python benches/scale/simulate.py [TESTS] [WORKERS]

Each test takes a time drawn from a lognormal distribution (median 2 s, as suites of machine-learning projects have it),
and needs two runs if it is constant (seven of ten are), ten if it is far inside its bound, or a hundred otherwise. Looks
come one after the other, as in `sample/queue.rs`: the runs of the next look of a test are known when all of the last have
come. A task costs the scheduler and the client a fixed time, one after the other; a worker loads the project once. Printed
are the makespan compared with the ideal (all work spread evenly), how busy scheduler and client are, and how large the
store becomes. The costs are those of `benches/scale/bench.py` on one machine, and of Dask's own documentation for the
scheduler.
"""

import heapq
import math
import random
import sys

# Seconds: Dask's scheduler says 0.2 to 1 ms a task; decoding a report and writing it to the store was measured.
SCHEDULER_SECS = 0.0005
CLIENT_SECS = 0.002
LOAD_SECS = 5.0
BYTES_A_RUN = 250
LOOKS = {"constant": (2,), "far": (2, 10), "open": (2, 10, 20, 30, 50, 100)}


def suite(tests, seed):
    draw = random.Random(seed)
    for _ in range(tests):
        secs = math.exp(math.log(2) + 1.2 * draw.gauss(0, 1))
        kind = draw.choices(("constant", "far", "open"), (70, 20, 10))[0]
        yield secs, LOOKS[kind]


def simulate(tests, workers, seed=1):
    """Seconds to the end, work in all, seconds of scheduler and client, and runs."""
    waiting = []
    state = []
    for number, (secs, looks) in enumerate(suite(tests, seed)):
        state.append([secs, list(looks), 0, 0])
        waiting.append(number)
    # Shortest first, as the queue does in its first round.
    waiting.sort(key=lambda number: state[number][0])
    queue = [(number, index) for number in waiting for index in range(2)]
    for entry in state:
        entry[2], entry[3] = 2, entry[1].pop(0)
    queue.reverse()
    free = [(LOAD_SECS, worker) for worker in range(workers)]
    heapq.heapify(free)
    running = []
    scheduler = client = now = work = 0.0
    runs = 0
    while queue or running:
        while queue and free and free[0][0] <= now:
            _, worker = heapq.heappop(free)
            number, _ = queue.pop()
            scheduler = max(scheduler, now) + SCHEDULER_SECS
            heapq.heappush(running, (scheduler + state[number][0], number, worker))
            work += state[number][0]
            runs += 1
        upcoming = [running[0][0]] if running else []
        if queue and free:
            upcoming.append(max(free[0][0], now + 1e-9))
        now = min(upcoming)
        while running and running[0][0] <= now:
            _, number, worker = heapq.heappop(running)
            client = max(client, now) + CLIENT_SECS
            heapq.heappush(free, (max(now, client - 1.0), worker))
            state[number][2] -= 1
            if state[number][2] == 0 and state[number][1]:
                look = state[number][1].pop(0)
                state[number][2], state[number][3] = look - state[number][3], look
                queue.extend((number, index) for index in range(state[number][2]))
    return max(now, client), work, runs


def main(tests=10_000, workers=1_000):
    for count in sorted({max(1, workers // 100), max(1, workers // 10), workers, 4 * workers}):
        end, work, runs = simulate(tests, count)
        ideal = work / count + LOAD_SECS
        print(
            f"{tests:,} tests, {count:>6,} workers: {runs:,} runs, {end:8.0f} s (ideal {ideal:.0f}, {end / ideal:.2f} times), "
            f"scheduler {100 * runs * SCHEDULER_SECS / end:.1f} % busy, client {100 * runs * CLIENT_SECS / end:.1f} %, "
            f"store {runs * BYTES_A_RUN / 1e6:.0f} MB"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
