//! The cells of arrays, and how a block of them is drawn in place.
//!
//! Small arrays ask for every cell, so that single cells shrink and move. Larger ones are blocks of the engine: a seed,
//! segments and single cells, filled at memory speed, of which shrinking leaves only the cells that matter.

use temper::choices::{FloatBounds, Width};
use temper::domain::{Block, Encoder, fill_block};
use temper::rng::Rng;
use temper::{Choices, Rejected, Spread};

use crate::builder::BuildError;
use crate::dtype::{DType, cell_number, half_bits, whole_cell};

/// Up to this number, cells are asked for one by one. More makes the tree of a draw, and with it shrinking, slow.
const SMALL: usize = 64;

/// Which values the cells of an array may take.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The type of the cells.
    pub dtype: DType,
    values: Values,
    is_unique: bool,
}

#[derive(Clone, Debug)]
enum Values {
    Signed(i64, i64),
    Unsigned(u64, u64),
    Float(FloatBounds),
}

impl Cells {
    /// Cells of a type between two bounds, both included.
    ///
    /// # Errors
    /// With the reason, when no value of the type lies between the bounds.
    pub fn new(
        dtype: DType,
        min: Option<f64>,
        max: Option<f64>,
        nan: bool,
        inf: bool,
        is_unique: bool,
    ) -> Result<Cells, String> {
        let empty = || {
            let shown = |end: Option<f64>| end.map_or("unset".to_owned(), |end| end.to_string());
            format!("no {} lies between min {} and max {}", dtype.name(), shown(min), shown(max))
        };
        let values = match dtype.whole_range() {
            Some((low, high)) => {
                let low = min.map_or(low, |min| low.max(min.ceil() as i128));
                let high = max.map_or(high, |max| high.min(max.floor() as i128));
                if low > high {
                    return Err(empty());
                }
                match (i64::try_from(low), i64::try_from(high)) {
                    (Ok(low), Ok(high)) => Values::Signed(low, high),
                    _ => Values::Unsigned(low as u64, high as u64),
                }
            }
            None => {
                let width = dtype.width();
                let (low, high) = (min.unwrap_or(-width.max()), max.unwrap_or(width.max()));
                let bounds = FloatBounds::new(width, low, high, false, false).map_err(|_| empty())?;
                Values::Float(bounds.with_nan(nan).with_inf(inf))
            }
        };
        Ok(Cells { dtype, values, is_unique })
    }

    /// Draws all cells of an array into its memory.
    ///
    /// # Errors
    /// When cells must differ and there are not enough values.
    pub fn fill(&self, choices: &mut Choices, bytes: &mut [u8]) -> Result<(), BuildError> {
        let size = self.part_size();
        if self.is_unique {
            return self.fill_unique(choices, bytes);
        }
        match size {
            1 => self.fill_block::<1>(choices, bytes),
            2 => self.fill_block::<2>(choices, bytes),
            4 => self.fill_block::<4>(choices, bytes),
            _ => self.fill_block::<8>(choices, bytes),
        }
    }

    /// The type of a number: a complex cell is two of them.
    fn part(&self) -> DType {
        match self.dtype {
            DType::Complex64 => DType::Float32,
            DType::Complex128 => DType::Float64,
            other => other,
        }
    }

    fn part_size(&self) -> usize {
        self.part().size()
    }

    fn ask(&self, choices: &mut Choices, cell: &mut [u8]) {
        match &self.values {
            Values::Signed(min, max) => put_whole(cell, choices.integer(*min, *max, Spread::Edges) as u64),
            Values::Unsigned(min, max) => put_whole(cell, choices.unsigned(*min, *max, Spread::Edges)),
            Values::Float(bounds) => put_float(cell, self.dtype, choices.float(bounds)),
        }
    }

    fn fill_unique(&self, choices: &mut Choices, bytes: &mut [u8]) -> Result<(), BuildError> {
        let size = self.dtype.size();
        let mut seen = std::collections::HashSet::new();
        for cell in bytes.chunks_exact_mut(size) {
            choices.open("unique cell");
            let mut mark = choices.mark();
            let is_new = loop {
                cell.chunks_exact_mut(self.part_size()).for_each(|part| self.ask(choices, part));
                if seen.insert(cell.to_vec()) {
                    break true;
                }
                if !choices.retry(&mut mark) {
                    break self.next_free(cell, &mut seen);
                }
            };
            choices.settle(&mark);
            choices.close();
            if !is_new {
                return Err(BuildError::Rejected);
            }
        }
        Ok(())
    }

    /// The first whole number from the least one that is not taken yet: a full range is still met exactly.
    fn next_free(&self, cell: &mut [u8], seen: &mut std::collections::HashSet<Vec<u8>>) -> bool {
        let (min, max) = match self.values {
            Values::Signed(min, max) => (min as u64, max.wrapping_sub(min) as u64),
            Values::Unsigned(min, max) => (min, max - min),
            Values::Float(_) => return self.next_free_float(cell, seen),
        };
        (0..=max).any(|step| {
            put_whole(cell, min.wrapping_add(step));
            seen.insert(cell.to_vec())
        })
    }

    fn next_free_float(&self, cell: &mut [u8], seen: &mut std::collections::HashSet<Vec<u8>>) -> bool {
        let Values::Float(bounds) = &self.values else { return false };
        let mut value = 0f64.clamp(bounds.min(), bounds.max());
        while value <= bounds.max() {
            cell.chunks_exact_mut(self.part_size()).for_each(|part| put_float(part, self.dtype, value));
            if seen.insert(cell.to_vec()) {
                return true;
            }
            let whole = value.floor() + 1.0;
            value = if whole <= bounds.max() { whole } else { self.dtype.width().next_up(value) };
        }
        false
    }

    fn fill_block<const N: usize>(&self, choices: &mut Choices, bytes: &mut [u8]) -> Result<(), BuildError> {
        let (cells, _) = bytes.as_chunks_mut::<N>();
        Ok(fill_block(&Sized::<N>(self), cells, SMALL, choices)?)
    }

    /// Fills cells from a random source; a few of them with edge values.
    fn fill_fast(&self, bytes: &mut [u8], rng: &mut Rng) {
        let size = self.part_size();
        match &self.values {
            Values::Signed(min, max) => fill_whole(rng, bytes, size, *min as u64, max.wrapping_sub(*min) as u64),
            Values::Unsigned(min, max) => fill_whole(rng, bytes, size, *min, max - min),
            Values::Float(bounds) => self.fill_floats(rng, bounds, bytes),
        }
        if rng.below(16) == 0 {
            let at = rng.index(bytes.len() / size) * size;
            self.ask(&mut Choices::random(rng.bits()), &mut bytes[at..at + size]);
        }
    }

    fn put_simplest(&self, cell: &mut [u8]) {
        match &self.values {
            Values::Signed(min, max) => put_whole(cell, 0i64.clamp(*min, *max) as u64),
            Values::Unsigned(min, _) => put_whole(cell, *min),
            Values::Float(bounds) => put_float(cell, self.dtype, 0f64.clamp(bounds.min(), bounds.max())),
        }
    }

    /// Uniform over the range; over a wide range, at one scale for each call.
    fn fill_floats(&self, rng: &mut Rng, bounds: &FloatBounds, bytes: &mut [u8]) {
        let (mut min, mut max) = (bounds.min(), bounds.max());
        if max - min > 1e9 {
            let scale = 10f64.powi(rng.below(7) as i32 - 2);
            (min, max) = (min.max(-scale), max.min(scale));
            if min > max {
                (min, max) = (bounds.min(), bounds.max());
            }
        }
        match self.dtype {
            DType::Float32 | DType::Complex64 => fill_f32(rng, bytes, min as f32, max as f32, bounds),
            DType::Float16 => {
                for cell in bytes.chunks_exact_mut(2) {
                    put_float(
                        cell,
                        self.dtype,
                        Width::F16.round(min + rng.unit() * (max - min)).clamp(bounds.min(), bounds.max()),
                    );
                }
            }
            _ => {
                let width = max - min;
                for cell in bytes.chunks_exact_mut(8) {
                    cell.copy_from_slice(&(min + rng.unit() * width).clamp(min, max).to_ne_bytes());
                }
            }
        }
    }
}

/// Cells of `N` bytes as the engine fills them.
struct Sized<'c, const N: usize>(&'c Cells);

impl<const N: usize> Block for Sized<'_, N> {
    type Cell = [u8; N];

    fn simplest(&self) -> [u8; N] {
        let mut cell = [0; N];
        self.0.put_simplest(&mut cell);
        cell
    }

    fn fill(&self, cells: &mut [[u8; N]], rng: &mut Rng) {
        self.0.fill_fast(cells.as_flattened_mut(), rng);
    }

    fn cell(&self, choices: &mut Choices) -> Result<[u8; N], Rejected> {
        let mut cell = [0; N];
        self.0.ask(choices, &mut cell);
        Ok(cell)
    }

    fn encode(&self, cell: [u8; N], out: &mut Encoder) {
        match self.0.values {
            Values::Signed(..) => out.integer(whole_cell(self.0.dtype, &cell) as i64),
            Values::Unsigned(..) => out.unsigned(whole_cell(self.0.dtype, &cell) as u64),
            Values::Float(_) => out.float(cell_number(self.0.part(), &cell)),
        }
    }
}

/// Two cells from each output.
fn fill_f32(rng: &mut Rng, bytes: &mut [u8], min: f32, max: f32, bounds: &FloatBounds) {
    let (low, high) = (bounds.min() as f32, bounds.max() as f32);
    let step = (max - min) / (1u32 << 24) as f32;
    let value = |bits: u64| (min + (bits >> 40) as u32 as f32 * step).max(low).min(high).to_ne_bytes();
    let (pairs, rest) = bytes.as_chunks_mut::<8>();
    for pair in pairs {
        let bits = rng.bits();
        let ([a, b, c, d], [e, f, g, h]) = (value(bits), value(bits << 32));
        *pair = [a, b, c, d, e, f, g, h];
    }
    rest.chunks_exact_mut(4).for_each(|cell| cell.copy_from_slice(&value(rng.bits())));
}

fn fill_whole(rng: &mut Rng, bytes: &mut [u8], size: usize, min: u64, width: u64) {
    let is_full = width == u64::MAX || (size < 8 && width == (1 << (8 * size)) - 1);
    if is_full {
        let mut words = bytes.chunks_exact_mut(8);
        (&mut words).for_each(|word| word.copy_from_slice(&rng.bits().to_ne_bytes()));
        let rest = words.into_remainder();
        let bits = rng.bits().to_ne_bytes();
        rest.copy_from_slice(&bits[..rest.len()]);
        return;
    }
    bytes.chunks_exact_mut(size).for_each(|cell| put_whole(cell, min.wrapping_add(rng.up_to(width))));
}

/// Writes a whole number as its lowest bytes.
fn put_whole(cell: &mut [u8], value: u64) {
    match cell.len() {
        1 => cell[0] = value as u8,
        2 => cell.copy_from_slice(&(value as u16).to_ne_bytes()),
        4 => cell.copy_from_slice(&(value as u32).to_ne_bytes()),
        _ => cell.copy_from_slice(&value.to_ne_bytes()),
    }
}

fn put_float(cell: &mut [u8], dtype: DType, value: f64) {
    match dtype {
        DType::Float16 => cell.copy_from_slice(&half_bits(value).to_ne_bytes()),
        DType::Float32 | DType::Complex64 => cell.copy_from_slice(&(value as f32).to_ne_bytes()),
        _ => cell.copy_from_slice(&value.to_ne_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_lie_between_their_bounds_in_small_and_large_arrays() {
        for dtype in [DType::Int8, DType::Uint16, DType::Int64, DType::Float32] {
            let cells = Cells::new(dtype, Some(3.0), Some(9.0), false, false, false).unwrap();
            for count in [7, 5000] {
                let mut bytes = vec![0; count * dtype.size()];
                cells.fill(&mut Choices::random(4), &mut bytes).unwrap();
                for cell in bytes.chunks_exact(dtype.size()) {
                    let value = cell_number(dtype, cell);
                    assert!((3.0..=9.0).contains(&value), "{dtype:?} {value}");
                }
            }
        }
    }

    #[test]
    fn unique_cells_differ_and_a_full_range_is_still_met() {
        let cells = Cells::new(DType::Uint8, None, None, false, false, true).unwrap();
        let mut bytes = vec![0; 256];
        cells.fill(&mut Choices::random(1), &mut bytes).unwrap();
        bytes.sort_unstable();
        assert!(bytes.iter().enumerate().all(|(at, &value)| usize::from(value) == at));
        let mut too_many = vec![0; 257];
        assert_eq!(cells.fill(&mut Choices::random(1), &mut too_many), Err(BuildError::Rejected));
    }

    #[test]
    fn bounds_without_a_value_are_refused() {
        assert!(Cells::new(DType::Uint8, Some(300.0), None, false, false, false).is_err());
        assert!(Cells::new(DType::Int32, Some(0.2), Some(0.8), false, false, false).is_err());
    }
}
