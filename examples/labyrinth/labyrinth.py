"""A maze of 24 by 70 cells with nine blocks of wall. The shortest way out takes 78 steps."""

import math

ENTRANCE, EXIT = (2, 4), (21, 63)
MOVES = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}

# Rows and columns of the first and the last cell of each block.
BLOCKS = [
    (3, 35, 5, 39),
    (5, 9, 7, 13),
    (5, 48, 7, 52),
    (8, 27, 10, 31),
    (11, 42, 13, 46),
    (11, 57, 13, 66),
    (13, 14, 15, 18),
    (16, 33, 18, 37),
    (18, 47, 20, 51),
]
BORDER = [(0, 0, 0, 69), (23, 0, 23, 69), (0, 0, 23, 0), (0, 69, 23, 69)]
WALLS = {
    (row, column)
    for top, left, bottom, right in BLOCKS + BORDER
    for row in range(top, bottom + 1)
    for column in range(left, right + 1)
}


def walk(steps):
    """Where a walk ends. Steps into a wall are ignored; a walk that reaches the exit ends there."""
    row, column = ENTRANCE
    for step in steps:
        down, right = MOVES[step]
        if (row + down, column + right) not in WALLS:
            row, column = row + down, column + right
        if (row, column) == EXIT:
            break
    return row, column


def distance(cell):
    """How far a cell is from the exit, as the crow flies."""
    return math.dist(cell, EXIT)
