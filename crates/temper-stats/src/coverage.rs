//! What the calibration benchmark measured: how often extrapolated bounds of this crate reach the true quantile.
//!
//! The table is the benchmark's own record, `benches/stats/calibration.tsv`, made by
//! `cargo run --release -p bench-stats -- calibration`. It holds for its 24 distributions; a site's own
//! distribution may be kinder or worse.

use crate::Target;
use crate::tail::TailKind;
use std::sync::OnceLock;

/// Measured coverage for samples like the ones at hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// Lowest coverage among the distributions of that tail kind.
    pub lowest: f64,
    /// Mean coverage among them.
    pub mean: f64,
    /// Sample size of the row that was used: the largest of the table that is not above the actual one.
    pub samples: usize,
    /// Target of the row that was used: the nearest.
    pub target: f64,
}

struct CoverageRow {
    kind: TailKind,
    samples: usize,
    target: f64,
    coverage: f64,
    is_extrapolated: bool,
}

fn rows() -> &'static [CoverageRow] {
    static ROWS: OnceLock<Vec<CoverageRow>> = OnceLock::new();
    ROWS.get_or_init(|| include_str!("../../../benches/stats/calibration.tsv").lines().filter_map(parse).collect())
}

/// Columns: distribution, kind, samples, target, evidence, repetitions, coverage, and others not needed here.
fn parse(line: &str) -> Option<CoverageRow> {
    let fields: Vec<&str> = line.split('\t').collect();
    let kind = match *fields.get(1)? {
        "light" => TailKind::Light,
        "exponential" => TailKind::Exponential,
        "heavy" => TailKind::Heavy,
        _ => return None,
    };
    Some(CoverageRow {
        kind,
        samples: fields.get(2)?.parse().ok()?,
        target: fields.get(3)?.parse().ok()?,
        is_extrapolated: *fields.get(4)? == "extrapolated",
        coverage: fields.get(6)?.parse().ok()?,
    })
}

/// The measured coverage of extrapolated bounds; `None` below the smallest size of the table.
pub fn measured(samples: usize, target: Target, kind: TailKind) -> Option<Coverage> {
    let usable = || rows().iter().filter(|r| r.is_extrapolated && r.kind == kind && r.samples <= samples);
    let miss = |t: f64| (1.0 - t).max(1e-12).ln();
    let nearest = |a: &&CoverageRow, b: &&CoverageRow| {
        let distance = |r: &CoverageRow| (miss(r.target) - miss(target.get())).abs();
        distance(a).total_cmp(&distance(b)).then(b.samples.cmp(&a.samples))
    };
    let best = usable().min_by(nearest)?;
    let same: Vec<f64> =
        usable().filter(|r| r.samples == best.samples && r.target == best.target).map(|r| r.coverage).collect();
    Some(Coverage {
        lowest: same.iter().copied().fold(1.0, f64::min),
        mean: same.iter().sum::<f64>() / same.len() as f64,
        samples: best.samples,
        target: best.target,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(samples: usize, target: f64, kind: TailKind) -> Option<Coverage> {
        measured(samples, Target::new(target).unwrap(), kind)
    }

    #[test]
    fn the_nearest_row_not_above_the_actual_size_is_used() {
        for kind in [TailKind::Light, TailKind::Exponential, TailKind::Heavy] {
            let found = at(1_500, 0.999, kind).unwrap();
            assert_eq!((found.samples, found.target), (1_000, 0.999));
            assert!(found.lowest <= found.mean && found.mean <= 1.0);
            let far = at(5_000, 0.99999, kind).unwrap();
            assert_eq!((far.samples, far.target), (4_742, 0.9999));
            assert_eq!(at(99, 0.999, kind), None);
        }
    }

    #[test]
    fn the_recorded_table_keeps_its_promises() {
        assert_eq!(rows().len(), (14 + 10) * 8 * 3);
        assert!(rows().iter().all(|r| r.coverage >= 0.93));
    }
}
