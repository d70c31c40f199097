//! The simulated table of critical distances, parsed once.

use std::sync::OnceLock;

/// Which distance is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// A², which weighs the tails.
    AndersonDarling,
    /// W², which does not.
    CramerVonMises,
}

/// Upper quantiles of the distances, by shape.
pub(crate) struct Table {
    /// Survival probabilities of the columns, descending.
    levels: Vec<f64>,
    shapes: Vec<f64>,
    anderson_darling: Vec<Vec<f64>>,
    cramer_von_mises: Vec<Vec<f64>>,
}

impl Table {
    /// The table of the crate.
    pub(crate) fn shared() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| Self::parse(include_str!("../../data/gpd-fitness.tsv")))
    }

    /// Lines `ad|cvm shape quantiles...` under a line `level - levels...`; lines that start with # are remarks.
    fn parse(text: &str) -> Self {
        let mut table = Self { levels: vec![], shapes: vec![], anderson_darling: vec![], cramer_von_mises: vec![] };
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let mut fields = line.split('\t');
            let kind = fields.next().unwrap_or_default();
            let shape = fields.next().and_then(|f| f.parse().ok());
            let numbers: Vec<f64> = fields.filter_map(|f| f.parse().ok()).collect();
            match (kind, shape) {
                ("level", _) => table.levels = numbers,
                ("ad", Some(shape)) => {
                    table.shapes.push(shape);
                    table.anderson_darling.push(numbers);
                }
                ("cvm", Some(_)) => table.cramer_von_mises.push(numbers),
                _ => {}
            }
        }
        table
    }

    pub(crate) fn p_value(&self, shape: f64, statistic: f64, distance: Distance) -> f64 {
        if statistic.is_nan() || self.shapes.is_empty() {
            return 0.0;
        }
        let rows = match distance {
            Distance::AndersonDarling => &self.anderson_darling,
            Distance::CramerVonMises => &self.cramer_von_mises,
        };
        let above = self.shapes.partition_point(|s| *s < shape).min(self.shapes.len() - 1);
        let below = above.saturating_sub(1);
        let width = self.shapes[above] - self.shapes[below];
        let share = if width > 0.0 { ((shape - self.shapes[below]) / width).clamp(0.0, 1.0) } else { 0.0 };
        let low = log_p(&self.levels, &rows[below], statistic);
        let high = log_p(&self.levels, &rows[above], statistic);
        (low * (1.0 - share) + high * share).min(0.0).exp()
    }
}

/// Logarithm of the p-value, linear between columns and beyond the last ones.
fn log_p(levels: &[f64], critical: &[f64], statistic: f64) -> f64 {
    let right = critical.partition_point(|c| *c < statistic).clamp(1, critical.len() - 1);
    let (x0, x1) = (critical[right - 1], critical[right]);
    let (y0, y1) = (levels[right - 1].ln(), levels[right].ln());
    y0 + (statistic - x0) / (x1 - x0) * (y1 - y0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_complete_and_ascending() {
        let table = Table::shared();
        assert_eq!(table.shapes.first(), Some(&-1.0));
        assert_eq!(table.shapes.last(), Some(&1.0));
        assert!(table.shapes.is_sorted() && table.levels.is_sorted_by(|a, b| a > b));
        for row in table.anderson_darling.iter().chain(&table.cramer_von_mises) {
            assert_eq!(row.len(), table.levels.len());
            assert!(row.is_sorted_by(|a, b| a < b));
        }
        assert_eq!(table.anderson_darling.len(), table.cramer_von_mises.len());
    }

    #[test]
    fn p_falls_as_the_distance_grows() {
        let p = |d| Table::shared().p_value(-0.237, d, Distance::AndersonDarling);
        let all: Vec<f64> = (0..60).map(|i| p(f64::from(i) * 0.05)).collect();
        assert!(all.is_sorted_by(|a, b| a >= b) && all[0] <= 1.0 && all[59] > 0.0);
        assert_eq!(p(f64::INFINITY), 0.0);
    }
}
