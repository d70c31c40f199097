//! The assertion sites of a file, for test runs that are recorded.

use std::path::PathBuf;

use pyo3::prelude::*;
use temper_bounds::plan::probe::observation::TreePlace;
use temper_bounds::plan::sampling_plan::observed_sites;

type Place = (u32, u32, u32, u32);
type Operand = (i64, &'static str, Place);

/// For each comparison of a file: its place, its link in a chain, whether it raises, its sites, its operands.
#[pyfunction]
pub(crate) fn assertion_sites(
    py: Python<'_>,
    root: PathBuf,
    path: PathBuf,
) -> Vec<(Place, usize, bool, String, Vec<Operand>)> {
    let place = |place: TreePlace| (place.line, place.column, place.end_line, place.end_column);
    let groups = py.detach(|| observed_sites(&root, &path));
    let group = groups.into_iter().map(|group| {
        let operands = group.operands.into_iter().map(|(number, slot, at)| (number, slot, place(at))).collect();
        (place(group.place), group.link, group.is_raising, group.sites, operands)
    });
    group.collect()
}
