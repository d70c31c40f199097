"""Problems of targeted testing in Python: a graph (B1), spells (B2) and two labyrinths (B3).

Each has what is under test, how good an input is, and when it fails; the domains are in `bench.py`, once for Temper and
once for Hypothesis. The same problems in Rust are in `benches/targeted`.
"""

from __future__ import annotations

import math

NODES = 42


def longest_path(edges):
    """The number of hops from node 1 to the farthest node that can be reached."""
    adjacent = [0] * (NODES + 1)
    for a, b in edges:
        adjacent[a] |= 1 << b
        adjacent[b] |= 1 << a
    seen = front = 1 << 1
    hops = 0
    while True:
        following = 0
        while front:
            lowest = front & -front
            following |= adjacent[lowest.bit_length() - 1]
            front ^= lowest
        front = following & ~seen
        if not front:
            return hops
        seen |= front
        hops += 1


SPELLS = [
    (5, -2, 0, -3, 0, 0, 0, 0, 0, 0),
    (0, 0, 4, 0, 0, 0, 0, -4, 0, 0),
    (0, 0, 0, 0, -3, 1, 1, 0, 1, 0),
    (1, 2, 2, 0, 0, 0, 0, -3, 0, 0),
    (0, 0, 0, 0, 1, 1, 1, -3, 0, 0),
    (1, 0, 0, 0, -3, 0, 0, 0, 0, 2),
    (0, 0, 0, 0, 1, 1, 1, -4, 1, 0),
    (0, 0, 0, 0, 0, 2, 0, 0, 1, -3),
    (2, -2, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 2, -2, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 2, -2, 0, 0, 0, 0, 0, 0),
    (0, 0, 0, 2, -2, 0, 0, 0, 0, 0),
    (-1, -1, -1, -1, -1, -1, -1, 10, -1, -1),
    (0, 0, 0, 0, 2, -2, 0, 0, 0, 0),
    (0, 0, 0, 0, 0, 2, -2, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 2, -2, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 2, -2, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 2, -2),
    (-2, 0, 0, 0, 0, 0, 0, 0, 0, 2),
    (5, 0, 0, 0, 0, 0, 0, 0, 0, -8),
]
# The attributes that each spell changes, with the change; those that lower one come first, where a cast can fail.
CHANGES = [sorted(((i, c) for i, c in enumerate(spell) if c), key=lambda change: change[1]) for spell in SPELLS]


def total(spells):
    """The sum of a player's attributes after casting; a cast that would make one negative has no effect."""
    attributes = [5] * 10
    for spell in spells:
        changes = CHANGES[spell]
        for i, change in changes:
            if attributes[i] + change < 0:
                break
        else:
            for i, change in changes:
                attributes[i] += change
    return sum(attributes)


ROWS, COLUMNS = 24, 70
MOVES = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


class Maze:
    """A grid with walls, an entrance and an exit."""

    def __init__(self, entrance, exit_cell, rectangles):
        self.entrance, self.exit = entrance, exit_cell
        border = [(0, 0, 0, 69), (23, 0, 23, 69), (0, 0, 23, 0), (0, 69, 23, 69)]
        self.walls = {
            (row, column)
            for top, left, bottom, right in [*rectangles, *border]
            for row in range(top, bottom + 1)
            for column in range(left, right + 1)
        }

    def walk(self, steps):
        """The distance from the end of the walk to the exit; None when the exit was reached."""
        row, column = self.entrance
        walls, goal = self.walls, self.exit
        for step in steps:
            down, right = MOVES[step]
            cell = (row + down, column + right)
            if cell not in walls:
                row, column = cell
            if cell == goal:
                return None
        return math.hypot(row - goal[0], column - goal[1])


MAZE_1 = Maze(
    (2, 4),
    (21, 63),
    [
        (3, 35, 5, 39),
        (5, 9, 7, 13),
        (5, 48, 7, 52),
        (8, 27, 10, 31),
        (11, 42, 13, 46),
        (11, 57, 13, 66),
        (13, 14, 15, 18),
        (16, 33, 18, 37),
        (18, 47, 20, 51),
    ],
)
MAZE_2 = Maze(
    (21, 38),
    (2, 5),
    [
        *[(4, 11, 8, 11), (5, 12, 7, 13), (6, 1, 6, 10), (6, 14, 6, 15), (11, 20, 17, 20), (17, 21, 17, 55)],
        *[(13, 37, 13, 68), (20, 1, 20, 31), (4, 25, 4, 32), (5, 28, 8, 29), (4, 36, 4, 40), (5, 36, 8, 37)],
        *[(5, 41, 5, 41), (6, 38, 6, 40), (4, 46, 4, 49), (5, 46, 8, 47), (5, 50, 5, 50), (6, 48, 6, 49)],
        *[(7, 50, 7, 50), (8, 48, 8, 49), (4, 53, 4, 60), (5, 56, 8, 57)],
    ],
)
