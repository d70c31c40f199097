"""What a process of a mutant leaves out, and what it must not."""

import subprocess
import sys

PATTERN = 0x3F


def output_of(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_blocks_that_numpy_keeps_are_filled_once_in_the_layer_and_again_for_each_later_run():
    script = f"""
import numpy
from temper.worker import memory

def held():
    return bytes(numpy.empty(24, numpy.uint8))[0]

def use():
    numpy.empty(24, numpy.uint8).fill(1)

filled = []
plain = memory._fill_kept_blocks
memory._fill_kept_blocks = lambda byte: (filled.append(byte), plain(byte))
use()
piece = {{"kind": "repeat", "starts": [{{"memory": {PATTERN}}}]}}
memory.prepare(piece)
memory.prepare(piece)
memory.fill({PATTERN})
print(len(filled), held())
use()
memory.fill({PATTERN})
print(len(filled), held())
memory.prepare({{"kind": "test", "memory": None}})
memory.prepare({{"kind": "calls"}})
print(len(filled))
"""
    assert output_of(script) == ["1", str(PATTERN), "2", str(PATTERN), "2"]


def test_a_process_that_rests_reads_no_states_and_draws_the_same():
    script = """
import random
from temper.worker import randomness, seeds

seeds.reseed(7)
first = random.random()
used = randomness.used()
randomness.rest()
seeds.reseed(7)
print(first == random.random(), used["unseeded"], randomness.used()["unseeded"])
"""
    assert output_of(script) == ["True", "['random']", "[]"]
