//! Weak spots: regions in which a model errs more often than elsewhere. They are for information: every model has some, and where
//! the classes overlap no model is better.

use temper_stats::multiple::holm;

use crate::data::bins::Bins;
use crate::data::schema::Column;
use crate::judge::exact_tests::fisher_more;
use crate::regions::judge_rows::{PairedRows, RegionCounts, RegionTest, RowOptions, halves, worst};
use crate::regions::narrow::narrow;
use crate::regions::region_tree::{RegionData, grow_regions};

/// Regions with a higher error than elsewhere: chosen on one half of the rows, confirmed on the other, worst first.
pub fn weak_spots(rows: &PairedRows<'_>, options: &RowOptions) -> Vec<RegionTest> {
    let count = rows.wrong.len();
    let errors = rows.wrong.iter().filter(|&&wrong| wrong).count();
    if errors < 2 || errors == count {
        return Vec::new();
    }
    let bins = Bins::new(rows.features, rows.schema, Column::is_telling);
    let binned = bins.rows(rows.features);
    let values: Vec<f32> = rows.wrong.iter().map(|&wrong| f32::from(u8::from(wrong))).collect();
    let data = RegionData { bins: &bins, binned: &binned, schema: rows.schema, values: &values, variances: None };
    let [grown_on, confirmed_on] = halves(count, options.seed ^ 1);
    let nodes = grow_regions(&data, grown_on, options.growth);
    let is_wrong = |row: u32| rows.wrong[row as usize];
    let counted: Vec<RegionCounts> = worst(&nodes, &data, options.candidates)
        .into_iter()
        .map(|node| narrow(&node.region, rows.features, rows.schema, &node.rows, is_wrong))
        .map(|region| rows.count(&region, confirmed_on.iter().map(|&row| row as usize)))
        .collect();
    let p_values: Vec<f64> = counted
        .iter()
        .map(|counts| fisher_more(counts.errors, counts.rows, counts.elsewhere.0, counts.elsewhere.1))
        .collect();
    let corrected = holm(&p_values);
    let tests = counted.into_iter().zip(corrected).map(|(counts, p_value)| {
        let inside = counts.region.rows(rows.features).len();
        RegionTest { affected: inside as f64 / count as f64, counts, p_value }
    });
    tests.filter(|test| test.p_value <= options.level).collect()
}
