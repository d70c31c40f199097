//! Quantities, probabilities and drift: planted cases that are found, and clean ones that are accused.

use std::fmt::Write;

use temper_model::calibration::{judge_promises, promises};
use temper_model::distances::{QuantityReference, judge_distances};
use temper_model::drift::judge_drift;
use temper_model::judge::baseline::BaselineOrigin;
use temper_model::regions::measured::MeasuredJudgement;
use temper_model::subject::predictor::Probabilities;
use temper_model::{ColumnChoice, Dataset, Matrix, ModelError, TargetKind, read_csv_columns, read_two_tables};

/// Rows of each table.
const ROWS: usize = 1000;

/// Tables of each kind.
const TABLES: u64 = 100;

/// Numbers that look random (SplitMix64).
struct Numbers(u64);

impl Numbers {
    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Mean 0, deviation 1; with heavy tails every twentieth is ten times as far.
    fn noise(&mut self, has_heavy_tails: bool) -> f64 {
        let normal = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
        if has_heavy_tails && self.unit() < 0.05 { 10.0 * normal } else { normal }
    }
}

/// A truth about four columns from 0 to 1.
type TrueFunction = fn(&[f64]) -> f64;

const TRUE_FUNCTIONS: [TrueFunction; 4] = [
    |x| 4.0 * x[0] + 2.0 * x[1],
    |x| 8.0 * x[0] * x[1],
    |x| if (x[0] > 0.4) == (x[1] > 0.6) { 4.0 } else { 0.0 },
    |x| 3.0 * (6.0 * x[0]).sin() + x[1],
];

/// The region of planted cases: about a sixth of the rows.
fn is_planted(row: &[f64]) -> bool {
    row[0] > 0.6 && row[2] > 0.6
}

/// How cases of one kind fared.
#[derive(Default)]
struct Fared {
    cases: usize,
    alarms: usize,
    localised: usize,
}

impl Fared {
    /// Counts a judgement; it is localised if most rows of its first region lie in the planted one.
    fn count(&mut self, found: &MeasuredJudgement, rows: &Matrix) {
        self.cases += 1;
        self.alarms += usize::from(!found.found.is_empty());
        let region = found.found.iter().map(|test| &test.region).find(|region| !region.is_everything());
        let inside = region.map(|region| region.rows(rows)).unwrap_or_default();
        let planted = inside.iter().filter(|&&row| is_planted(rows.row(row))).count();
        self.localised += usize::from(2 * planted > inside.len());
    }

    fn print(&self, words: &str) {
        println!("{words:54} alarms on {} of {}, localised {}", self.alarms, self.cases, self.localised);
    }
}

/// Prints all rates. `first` is the number of the first table: other numbers are other seeds.
pub fn print_rates(first: u64) {
    for (words, is_broken, against) in [
        ("quantity, best model, challenger", false, false),
        ("quantity, off in a region, challenger", true, false),
        ("quantity, twin, --against", false, true),
        ("quantity, off in a region, --against", true, true),
    ] {
        print(words, first, |seed| distances(seed, is_broken, against));
    }
    for (words, planted) in [
        ("probabilities that hold", PlantedChance::None),
        ("probabilities, too high by 0.3 in a region", PlantedChance::TooHigh),
        ("probabilities, raised by 0.3 as far as they can be", PlantedChance::SaidHigher),
    ] {
        print(words, first, |seed| calibration(seed, planted));
    }
    for (words, is_broken) in [("two tables of one world", false), ("two tables, a region twice as frequent", true)] {
        print(words, first, |seed| drift(seed, is_broken));
    }
}

fn print(words: &str, first: u64, case: impl Fn(u64) -> Result<(MeasuredJudgement, Matrix), ModelError>) {
    let mut fared = Fared::default();
    for seed in first..first + TABLES {
        match case(seed) {
            Ok((found, rows)) => fared.count(&found, &rows),
            Err(error) => println!("{words}, seed {seed}: {error}"),
        }
    }
    fared.print(words);
}

fn table(seed: u64, kind: TargetKind, target: impl Fn(&[f64], &mut Numbers) -> f64) -> Result<Dataset, ModelError> {
    let mut random = Numbers(seed.wrapping_mul(7919));
    let mut text = "a,b,c,d,y\n".to_owned();
    for _ in 0..ROWS {
        let row = [0; 4].map(|_| random.unit());
        let target = target(&row, &mut random);
        let _ = writeln!(text, "{},{},{},{},{target}", row[0], row[1], row[2], row[3]);
    }
    let choice = ColumnChoice { target: kind, ..ColumnChoice::default() };
    read_csv_columns(text.as_bytes(), "rows", "y", &choice)
}

/// Every second table has heavy tails. A twin differs from the truth by noise of a tenth of that of the labels.
fn distances(seed: u64, is_broken: bool, against: bool) -> Result<(MeasuredJudgement, Matrix), ModelError> {
    let truth = TRUE_FUNCTIONS[(seed / 2 % 4) as usize];
    let is_heavy = seed % 2 == 1;
    let rows = table(seed, TargetKind::Quantity, |row, random| truth(row) + random.noise(is_heavy))?;
    let mut random = Numbers(seed + 1_000_000);
    let mut twin = |row: &[f64]| truth(row) + 0.1 * random.noise(false);
    let old: Vec<f64> = rows.features.iter().map(&mut twin).collect();
    let off = |row: &[f64]| if is_broken && is_planted(row) { 2.0 } else { 0.0 };
    let new = rows.features.iter().map(|row| twin(row) + off(row)).collect();
    let reference = match against {
        true => QuantityReference::Answers { name: "old".to_owned(), answers: old },
        false => QuantityReference::Challenger { training: None },
    };
    let judged = judge_distances(&rows, new, BaselineOrigin::Unseen, reference, (None, seed))?;
    Ok((judged.judgement, rows.features.clone()))
}

/// By how much probabilities are planted too high, and the highest that is said.
const TOO_HIGH: f64 = 0.3;
const MOST_SAID: f64 = 0.99;

/// What is wrong with probabilities in the planted region.
#[derive(Clone, Copy, PartialEq)]
enum PlantedChance {
    None,
    /// The model says 0.3 more than is so. Where the chance is too high for that, the world has changed instead: it
    /// happens less often by 0.3, and the model says what was so.
    TooHigh,
    /// The model says 0.3 more than is so, but at most 0.99: where the chance is high already, that is hardly wrong.
    SaidHigher,
}

fn calibration(seed: u64, planted: PlantedChance) -> Result<(MeasuredJudgement, Matrix), ModelError> {
    let truth = TRUE_FUNCTIONS[(seed % 4) as usize];
    let chance = |row: &[f64]| 1.0 / (1.0 + (2.0 - truth(row)).exp());
    let has_room = |row: &[f64]| chance(row) <= MOST_SAID - TOO_HIGH;
    let happens = |row: &[f64]| {
        let is_lower = planted == PlantedChance::TooHigh && is_planted(row) && !has_room(row);
        chance(row) - if is_lower { TOO_HIGH } else { 0.0 }
    };
    let says = |row: &[f64]| {
        let is_higher = match planted {
            PlantedChance::None => false,
            PlantedChance::TooHigh => has_room(row),
            PlantedChance::SaidHigher => true,
        };
        f64::min(chance(row) + if is_higher && is_planted(row) { TOO_HIGH } else { 0.0 }, MOST_SAID)
    };
    let rows = table(seed, TargetKind::Classes, |row, random| f64::from(u8::from(random.unit() < happens(row))))?;
    let shares = Matrix::from_values(1, rows.features.iter().map(says).collect());
    let found = promises(&rows, &Probabilities { classes: Vec::new(), shares }).map_err(ModelError::from)?;
    let judged = judge_promises(&rows, found, BaselineOrigin::Unseen, (None, seed));
    // The probability is one more column.
    let mut wide = Matrix::new(judged.schema.columns.len());
    for (row, promise) in rows.features.iter().zip(&judged.promises) {
        wide.push(&[row, &[promise.said]].concat());
    }
    Ok((judged.judgement, wide))
}

fn drift(seed: u64, is_broken: bool) -> Result<(MeasuredJudgement, Matrix), ModelError> {
    let mut random = Numbers(seed.wrapping_mul(104_729) + 5);
    let mut one = |is_moved: bool| {
        let mut text = "a,b,c,d\n".to_owned();
        for _ in 0..ROWS {
            let mut row = [0; 4].map(|_| random.unit());
            if is_moved && random.unit() < 0.2 {
                (row[0], row[2]) = (0.6 + 0.4 * row[0], 0.6 + 0.4 * row[2]);
            }
            let _ = writeln!(text, "{},{},{},{}", row[0], row[1], row[2], row[3]);
        }
        text
    };
    let (older, newer) = (one(false), one(is_broken));
    let choice = ColumnChoice::default();
    let rows = read_two_tables((older.as_bytes(), "old"), (newer.as_bytes(), "new"), &choice)?;
    Ok((judge_drift(&rows, (None, seed)), rows.features.clone()))
}
