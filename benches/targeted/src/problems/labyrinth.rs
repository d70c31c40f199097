//! B3: steps through a labyrinth that must not find its exit.

use temper::prelude::*;

const ROWS: usize = 24;
const COLUMNS: usize = 70;

type Cell = (usize, usize);

/// A grid with walls, an entrance and an exit.
#[derive(Debug)]
pub struct Maze {
    walls: Vec<[bool; COLUMNS]>,
    entrance: Cell,
    exit: Cell,
}

const BLOCKS: [(Cell, Cell); 9] = [
    ((3, 35), (5, 39)),
    ((5, 9), (7, 13)),
    ((5, 48), (7, 52)),
    ((8, 27), (10, 31)),
    ((11, 42), (13, 46)),
    ((11, 57), (13, 66)),
    ((13, 14), (15, 18)),
    ((16, 33), (18, 37)),
    ((18, 47), (20, 51)),
];

const BARRIERS: [(Cell, Cell); 22] = [
    ((4, 11), (8, 11)),
    ((5, 12), (7, 13)),
    ((6, 1), (6, 10)),
    ((6, 14), (6, 15)),
    ((11, 20), (17, 20)),
    ((17, 21), (17, 55)),
    ((13, 37), (13, 68)),
    ((20, 1), (20, 31)),
    ((4, 25), (4, 32)),
    ((5, 28), (8, 29)),
    ((4, 36), (4, 40)),
    ((5, 36), (8, 37)),
    ((5, 41), (5, 41)),
    ((6, 38), (6, 40)),
    ((4, 46), (4, 49)),
    ((5, 46), (8, 47)),
    ((5, 50), (5, 50)),
    ((6, 48), (6, 49)),
    ((7, 50), (7, 50)),
    ((8, 48), (8, 49)),
    ((4, 53), (4, 60)),
    ((5, 56), (8, 57)),
];

impl Maze {
    /// Nine blocks; the shortest way has 78 steps.
    pub fn one() -> Maze {
        Maze::new((2, 4), (21, 63), &BLOCKS)
    }

    /// Walls across the straight way; the shortest way has 52 steps.
    pub fn two() -> Maze {
        Maze::new((21, 38), (2, 5), &BARRIERS)
    }

    fn new(entrance: Cell, exit: Cell, rectangles: &[(Cell, Cell)]) -> Maze {
        let mut walls = vec![[false; COLUMNS]; ROWS];
        let border = [((0, 0), (0, 69)), ((23, 0), (23, 69)), ((0, 0), (23, 0)), ((0, 69), (23, 69))];
        for &((top, left), (bottom, right)) in rectangles.iter().chain(&border) {
            walls[top..=bottom].iter_mut().for_each(|row| row[left..=right].fill(true));
        }
        Maze { walls, entrance, exit }
    }

    /// The distance from the end of the walk to the exit; `None` when the exit was reached.
    pub fn walk(&self, steps: &[usize]) -> Option<f64> {
        let (mut row, mut column) = self.entrance;
        for step in steps {
            let (r, c) = match step {
                0 => (row, column - 1),
                1 => (row, column + 1),
                2 => (row - 1, column),
                _ => (row + 1, column),
            };
            if !self.walls[r][c] {
                (row, column) = (r, c);
            }
            if (row, column) == self.exit {
                return None;
            }
        }
        let (dr, dc) = (row as f64 - self.exit.0 as f64, column as f64 - self.exit.1 as f64);
        Some(dr.hypot(dc))
    }
}

/// A list of uniform steps left, right, up and down.
pub fn steps() -> impl Domain<Value = Vec<usize>> {
    vecs(select(0..4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn shortest(maze: &Maze) -> usize {
        let mut far = vec![[usize::MAX; COLUMNS]; ROWS];
        let mut queue = VecDeque::from([maze.entrance]);
        far[maze.entrance.0][maze.entrance.1] = 0;
        while let Some((r, c)) = queue.pop_front() {
            for (r2, c2) in [(r, c - 1), (r, c + 1), (r - 1, c), (r + 1, c)] {
                if !maze.walls[r2][c2] && far[r2][c2] == usize::MAX {
                    far[r2][c2] = far[r][c] + 1;
                    queue.push_back((r2, c2));
                }
            }
        }
        far[maze.exit.0][maze.exit.1]
    }

    #[test]
    fn the_shortest_ways_are_those_of_the_description() {
        assert_eq!(shortest(&Maze::one()), 78);
        assert_eq!(shortest(&Maze::two()), 52);
    }
}
