//! Bulk numeric arrays: filled at the speed of the random source, yet shrunk and moved like everything else.
//!
//! An array does not cost one choice a cell. It is a seed, a list of segments and a list of single cells. Cells inside a
//! segment come from the seed, by position, so that they do not change when a segment is split. Single cells are drawn one
//! by one, and all others are the simplest value. A fresh array has a handful of segments that cover it. When shrinking
//! drops segments, the rest are recorded in finer ones, down to single cells. A neighbour adds or moves single cells.
//! Small arrays consist of single cells from the start.
//!
//! Half of the fresh arrays have few different values: cells that are equal, constant columns, ties, and one row that is
//! different are what numeric code handles in separate branches, and independent draws hardly ever have them.

use super::{Domain, Encoder, Floats, Ints};
use crate::choices::tree::label;
use crate::choices::{Choices, Rejected, Spread};
use crate::domain::{Float, Integer};
use crate::rng::{Rng, split_mix};

/// Up to this many cells of a vector are drawn one by one.
const SINGLE_CELLS: usize = 16;

/// Segments are split until there are at least this many, as long as they have more than one cell.
const SEGMENTS: usize = 8;

/// How the cells of a fresh array repeat values.
#[derive(Clone, Copy, Debug)]
enum Repeats {
    /// This part of the cells repeats others.
    Part(f64),
    /// All cells are equal, but for a few. They follow each other, or are anywhere.
    AllBut { is_run: bool },
}

impl Repeats {
    /// By a number below 16; in half of the arrays cells are independent.
    fn of(roll: usize) -> Option<Repeats> {
        match roll {
            0 => Some(Repeats::Part(0.9)),
            1 | 2 => Some(Repeats::Part(0.5)),
            // One cell after the other is a part of one row: an outlier, which decides means, norms and correlations.
            3..=6 => Some(Repeats::AllBut { is_run: true }),
            7 => Some(Repeats::AllBut { is_run: false }),
            _ => None,
        }
    }
}

/// If all cells but a few are equal, at most one cell out of this many is different.
const FEW: usize = 4;

/// How many values are repeated in an array that is filled in segments.
const REPEATED: usize = 3;

/// Cells that share one position of the random stream.
const CHUNK: usize = 64;

/// How the cells of an array are made.
pub trait Block {
    /// What a cell holds.
    type Cell: Copy;

    /// The simplest cell.
    fn simplest(&self) -> Self::Cell;

    /// Fills cells from a random source, fast.
    fn fill(&self, cells: &mut [Self::Cell], rng: &mut Rng);

    /// Draws one cell as a choice.
    ///
    /// # Errors
    /// When the cell's domain rejects.
    fn cell(&self, choices: &mut Choices) -> Result<Self::Cell, Rejected>;

    /// Writes the answers that make [`Block::cell`] give this cell.
    fn encode(&self, cell: Self::Cell, out: &mut Encoder);
}

/// Fills an array in place. Up to `single_cells` cells are asked for one by one; if the tree has a larger array instead, as after
/// shrinking has lowered one of its sides, they are taken over from that.
///
/// # Errors
/// When the domain of single cells rejects.
pub fn fill_block<B: Block + ?Sized>(
    block: &B,
    out: &mut [B::Cell],
    single_cells: usize,
    choices: &mut Choices,
) -> Result<(), Rejected> {
    if out.len() > single_cells {
        return fill_in_segments(block, out, choices);
    }
    if choices.is_before(label::BLOCK) {
        choices.unrecorded(|choices| fill_in_segments(block, out, choices))?;
        let mut cells = Encoder::default();
        out.iter().for_each(|&cell| block.encode(cell, &mut cells));
        choices.note(&cells.nodes);
        return Ok(());
    }
    let repeats = choices.fresh_below(16).and_then(Repeats::of);
    if let Some(Repeats::AllBut { is_run }) = repeats {
        return fill_all_but_few(block, out, is_run, choices);
    }
    for at in 0..out.len() {
        let is_repeated = match repeats {
            Some(Repeats::Part(part)) if at > 0 => choices.fresh_chance(part),
            _ => false,
        };
        let from = if is_repeated { choices.fresh_below(at) } else { None };
        match from {
            Some(from) => {
                out[at] = out[from];
                note_cell(block, out[at], choices);
            }
            None => out[at] = block.cell(choices)?,
        }
    }
    Ok(())
}

/// Records a cell that is not drawn.
fn note_cell<B: Block + ?Sized>(block: &B, cell: B::Cell, choices: &mut Choices) {
    let mut answers = Encoder::default();
    block.encode(cell, &mut answers);
    choices.note(&answers.nodes);
}

/// Fills a fresh array with one value, which is the simplest in half of the cases, but for a few cells.
fn fill_all_but_few<B: Block + ?Sized>(
    block: &B,
    out: &mut [B::Cell],
    is_run: bool,
    choices: &mut Choices,
) -> Result<(), Rejected> {
    let usual = match choices.fresh_below(2) {
        Some(0) => block.simplest(),
        _ => choices.unrecorded(|choices| block.cell(choices))?,
    };
    let mut count = choices.fresh_few(out.len() / FEW);
    let start = choices.fresh_below(out.len() + 1 - count.min(out.len())).unwrap_or(0);
    for at in 0..out.len() {
        let is_other = match is_run {
            true => (start..start + count).contains(&at),
            // Each subset of this size is equally likely (selection sampling, Knuth).
            false => choices.fresh_below(out.len() - at).is_some_and(|roll| roll < count),
        };
        if is_other {
            out[at] = block.cell(choices)?;
            count -= usize::from(!is_run);
        } else {
            out[at] = usual;
            note_cell(block, usual, choices);
        }
    }
    Ok(())
}

fn fill_in_segments<B: Block + ?Sized>(block: &B, out: &mut [B::Cell], choices: &mut Choices) -> Result<(), Rejected> {
    out.fill(block.simplest());
    choices.open_span(label::BLOCK, out.len() as u64);
    let seed = choices.bits();
    let mut segments = choices.unrecorded(|choices| {
        choices.unsigned(0, u64::MAX, Spread::Uniform);
        draw_segments(out.len(), choices)
    });
    for &(start, len) in &segments {
        fill_segment(block, seed, out, start, len);
    }
    let few: Vec<usize> = few_cells(&segments);
    if !few.is_empty() {
        segments.clear();
    }
    split(&mut segments);
    note_segments(&segments, choices);
    let result = draw_cells(block, &few, out, choices);
    choices.close();
    result
}

/// The segments of the replayed tree, or one that covers a fresh array.
fn draw_segments(cells: usize, choices: &mut Choices) -> Vec<(usize, usize)> {
    let mut list = choices.begin_empty_list(cells);
    let mut segments = Vec::new();
    if list.is_fresh() {
        segments.push((0, cells));
    }
    while choices.more(&mut list) {
        let start = choices.unsigned(0, cells as u64 - 1, Spread::Uniform) as usize;
        let len = choices.unsigned(1, (cells - start) as u64, Spread::Uniform) as usize;
        segments.push((start, len));
    }
    choices.end_list(list);
    segments
}

/// The cells of the segments, when they are so few that they can be drawn singly.
fn few_cells(segments: &[(usize, usize)]) -> Vec<usize> {
    let total = segments.iter().map(|&(_, len)| len).sum::<usize>();
    if total > SEGMENTS {
        return Vec::new();
    }
    segments.iter().flat_map(|&(start, len)| start..start + len).collect()
}

/// Records the segments, as if they had been drawn so.
fn note_segments(segments: &[(usize, usize)], choices: &mut Choices) {
    let mut out = Encoder::default();
    // Said first and never read: of two ways to cut an array, the one that covers less of it is the simpler.
    out.unsigned(segments.iter().map(|&(_, len)| len as u64).sum());
    let places: Vec<(u64, u64)> = segments.iter().map(|&(start, len)| (start as u64, len as u64)).collect();
    let any = (super::ints(0..=u64::MAX), super::ints(0..=u64::MAX));
    out.list(&any, &places, true);
    choices.note(&out.nodes);
}

fn split(segments: &mut Vec<(usize, usize)>) {
    while !segments.is_empty() && segments.len() < SEGMENTS {
        let Some(longest) = (0..segments.len()).max_by_key(|&i| segments[i].1) else { return };
        let (start, len) = segments[longest];
        if len < 2 {
            return;
        }
        segments[longest] = (start, len / 2);
        segments.insert(longest + 1, (start + len / 2, len - len / 2));
    }
}

/// Of 65,536 cells, how many repeat a value, and the values.
type Repeated<B> = (u16, [<B as Block>::Cell; REPEATED]);

/// How cells repeat values; nothing for half of the seeds.
fn repeated<B: Block + ?Sized>(block: &B, seed: u64) -> Option<Repeated<B>> {
    let mut choices = Choices::random(seed);
    let value = |choices: &mut Choices| block.cell(choices).unwrap_or_else(|_| block.simplest());
    let of_65_536 = |part: f64| (part * 65_536.0) as u16;
    match Repeats::of((seed % 16) as usize)? {
        Repeats::Part(part) => Some((of_65_536(part), std::array::from_fn(|_| value(&mut choices)))),
        // Chunks are filled by themselves: a few of the cells are a part of them, and anywhere.
        Repeats::AllBut { .. } => {
            let part = 1.0 / (FEW * choices.fresh_few(CHUNK)) as f64;
            Some((of_65_536(1.0 - part), [value(&mut choices); REPEATED]))
        }
    }
}

/// Fills cells of one chunk, from its first on.
fn fill_chunk<B: Block + ?Sized>(block: &B, repeated: Option<&Repeated<B>>, cells: &mut [B::Cell], rng: &mut Rng) {
    block.fill(cells, rng);
    let Some((often, values)) = repeated else { return };
    // One output of the source decides about four cells: with one for each, and another for its value, this took longer than
    // all the rest.
    for four in cells.chunks_mut(4) {
        let bits = rng.bits();
        for (lane, cell) in four.iter_mut().enumerate() {
            let roll = (bits >> (16 * lane)) as u16;
            *cell = [*cell, values[usize::from(roll) % REPEATED]][usize::from(roll < *often)];
        }
    }
}

fn fill_segment<B: Block + ?Sized>(block: &B, seed: u64, out: &mut [B::Cell], start: usize, len: usize) {
    let mut at = start;
    let end = start + len;
    let mut scratch = [block.simplest(); CHUNK];
    let repeated = repeated(block, seed);
    while at < end {
        let chunk = at / CHUNK;
        let (from, to) = (chunk * CHUNK, ((chunk + 1) * CHUNK).min(out.len()));
        let mut state = seed ^ (chunk as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut rng = Rng::new(split_mix(&mut state));
        if at == from && to <= end {
            fill_chunk(block, repeated.as_ref(), &mut out[from..to], &mut rng);
        } else {
            fill_chunk(block, repeated.as_ref(), &mut scratch[..to - from], &mut rng);
            let stop = to.min(end);
            out[at..stop].copy_from_slice(&scratch[at - from..stop - from]);
        }
        at = to;
    }
}

/// Single cells on top of the segments: first those that were in segments until now, then the recorded ones.
fn draw_cells<B: Block + ?Sized>(
    block: &B,
    few: &[usize],
    out: &mut [B::Cell],
    choices: &mut Choices,
) -> Result<(), Rejected> {
    let mut list = choices.begin_empty_list(out.len());
    for &at in few {
        let mut item = Encoder::default();
        item.open_item();
        item.unsigned(at as u64);
        block.encode(out[at], &mut item);
        item.close();
        choices.note(&item.nodes);
    }
    while choices.more(&mut list) {
        let at = choices.unsigned(0, out.len() as u64 - 1, Spread::Uniform) as usize;
        out[at] = block.cell(choices)?;
    }
    choices.end_list(list);
    Ok(())
}

/// Vectors of many integers; see [`bulk_ints`].
#[derive(Clone, Copy, Debug)]
pub struct BulkInts<T> {
    cell: Ints<T>,
    len: usize,
}

/// Vectors of exactly `len` integers of a domain, for lengths at which one choice a cell is too much.
pub fn bulk_ints<T: Integer>(cell: Ints<T>, len: usize) -> BulkInts<T> {
    BulkInts { cell, len }
}

impl<T: Integer> Block for BulkInts<T> {
    type Cell = T;

    fn simplest(&self) -> T {
        self.cell.simplest()
    }

    fn fill(&self, cells: &mut [T], rng: &mut Rng) {
        cells.iter_mut().for_each(|cell| *cell = self.cell.fresh(rng));
    }

    fn cell(&self, choices: &mut Choices) -> Result<T, Rejected> {
        self.cell.draw(choices)
    }

    fn encode(&self, cell: T, out: &mut Encoder) {
        Domain::encode(&self.cell, &cell, out);
    }
}

impl<T: Integer> Domain for BulkInts<T> {
    type Value = Vec<T>;

    fn draw(&self, choices: &mut Choices) -> Result<Vec<T>, Rejected> {
        let mut cells = vec![self.simplest(); self.len];
        fill_block(self, &mut cells, SINGLE_CELLS, choices)?;
        Ok(cells)
    }
}

/// Vectors of many floats; see [`bulk_floats`].
#[derive(Clone, Copy, Debug)]
pub struct BulkFloats<T> {
    cell: Floats<T>,
    len: usize,
}

/// Vectors of exactly `len` floats of a domain, for lengths at which one choice a cell is too much.
///
/// ```
/// use temper::prelude::*;
/// let image = bulk_floats(floats32(0.0..=1.0), 10_000);
/// let report = forall(image).run(|pixels| pixels.iter().all(|&p| p < 0.75));
/// let shrunk = report.value().expect("most images have a bright pixel");
/// assert_eq!(shrunk.iter().filter(|&&p| p != 0.0).count(), 1);
/// ```
pub fn bulk_floats<T: Float>(cell: Floats<T>, len: usize) -> BulkFloats<T> {
    BulkFloats { cell, len }
}

impl<T: Float> Block for BulkFloats<T> {
    type Cell = T;

    fn simplest(&self) -> T {
        self.cell.simplest()
    }

    fn fill(&self, cells: &mut [T], rng: &mut Rng) {
        cells.iter_mut().for_each(|cell| *cell = self.cell.fresh(rng));
    }

    fn cell(&self, choices: &mut Choices) -> Result<T, Rejected> {
        self.cell.draw(choices)
    }

    fn encode(&self, cell: T, out: &mut Encoder) {
        Domain::encode(&self.cell, &cell, out);
    }
}

impl<T: Float> Domain for BulkFloats<T> {
    type Value = Vec<T>;

    fn draw(&self, choices: &mut Choices) -> Result<Vec<T>, Rejected> {
        let mut cells = vec![self.simplest(); self.len];
        fill_block(self, &mut cells, SINGLE_CELLS, choices)?;
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn an_array_costs_few_choices() {
        let mut choices = Choices::random(1);
        let image = bulk_floats(floats32(0.0..1.0), 196_608).draw(&mut choices).unwrap();
        assert_eq!(image.len(), 196_608);
        assert!(choices.recorded().len() < 40);
        let distinct: std::collections::HashSet<u32> = image.iter().map(|x| x.to_bits()).collect();
        assert!(distinct.len() > 100_000, "cells are drawn, not repeated: {}", distinct.len());
    }

    #[test]
    fn half_of_the_arrays_have_few_different_values() {
        for len in [12, 500] {
            let domain = bulk_ints(any_int(), len);
            let few = (0..2000).filter(|&seed| {
                let cells = domain.draw(&mut Choices::random(seed)).unwrap();
                cells.iter().collect::<std::collections::HashSet<_>>().len() * 4 < len * 3
            });
            // Binomial(2000, 1/2): 1,000 with a standard deviation of 22.
            let few = few.count();
            assert!(few.abs_diff(1000) < 135, "{few} of arrays of {len} cells");
        }
    }

    #[test]
    fn one_array_in_four_is_one_value_but_for_a_run_of_cells() {
        let domain = bulk_ints(any_int(), 12);
        let is_run = |cells: &[i64]| {
            let usual = cells.iter().copied().max_by_key(|cell| cells.iter().filter(|other| *other == cell).count());
            let others: Vec<usize> = (0..cells.len()).filter(|&at| Some(cells[at]) != usual).collect();
            (1..=3).contains(&others.len()) && others.windows(2).all(|pair| pair[1] == pair[0] + 1)
        };
        let runs = (0..2000).filter(|&seed| is_run(&domain.draw(&mut Choices::random(seed)).unwrap())).count();
        // Binomial(2000, 4/16), 500 with a standard deviation of 19, and single cells that are anywhere.
        assert!((386..700).contains(&runs), "{runs}");
        let zeros = (0..2000).filter(|&seed| {
            let cells = domain.draw(&mut Choices::random(seed)).unwrap();
            cells.iter().filter(|&&cell| cell == 0).count() >= 9
        });
        assert!(zeros.count() > 200, "mostly zeros in half of them");
    }

    fn any_int() -> Ints<i64> {
        ints(i64::MIN..=i64::MAX).uniform()
    }

    #[test]
    fn repeated_cells_are_recorded_as_they_are() {
        let domain = bulk_ints(any_int(), 12);
        for seed in 0..100 {
            let mut choices = Choices::random(seed);
            let cells = domain.draw(&mut choices).unwrap();
            assert_eq!(domain.draw(&mut Choices::replay(&choices.recorded())).unwrap(), cells);
        }
    }

    #[test]
    fn far_cells_that_matter_are_found() {
        let report = forall(bulk_ints(ints(0..=1000), 5000)).run(|v| v[17] < 10 || v[4711] < 300);
        let shrunk = report.value().unwrap();
        let left: Vec<(usize, i32)> = shrunk.iter().copied().enumerate().filter(|&(_, v)| v != 0).collect();
        assert!(left == [(17, 10), (4711, 300)], "{} cells are left", left.len());
    }

    #[test]
    fn a_search_moves_single_cells() {
        let zeros = |v: &Vec<i32>| v.iter().filter(|&&x| x == 0).count() as f64;
        let start = forall(bulk_ints(ints(0..=9), 200)).maximize(zeros).budget(1).run(|_| true).best_utility.unwrap();
        let report = forall(bulk_ints(ints(0..=9), 200)).maximize(zeros).budget(3000).run(|_| true);
        assert!(report.best_utility.unwrap() > start + 10.0, "{start} to {:?}", report.best_utility);
    }
}
