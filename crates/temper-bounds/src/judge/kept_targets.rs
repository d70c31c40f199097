//! The pass target that a bound was proposed for: its site is judged at it later, so that a bound of ours is not called flaky
//! by a run that asks for more.

use std::collections::BTreeMap;

use temper_stats::Target;
use temper_store::{Store, StoreError};

use crate::judge::verdict::Rules;
use crate::sample::site_samples::SiteSamples;

const RECORDS: &str = "bounds-target";

/// How far two readings of one literal may differ: powers of ten are computed on both sides.
const SAME: f64 = 1e-9;

/// Remembers that the site with this id has a bound that was made for this target.
pub(crate) fn remember(store: &mut Store, id: &str, pass: f64, bound: f64) -> Result<(), StoreError> {
    store.put_record(RECORDS, id, &format!("{:016x} {:016x}", pass.to_bits(), bound.to_bits()))
}

/// The targets that were remembered, by id.
#[derive(Debug, Default)]
pub(crate) struct Targets(BTreeMap<String, (Target, f64)>);

impl Targets {
    pub(crate) fn read(store: &Store) -> Result<Self, StoreError> {
        let number = |text: &str| u64::from_str_radix(text, 16).ok().map(f64::from_bits);
        let target = |body: &str| {
            let (pass, bound) = body.split_once(' ')?;
            Some((Target::new(number(pass)?).ok()?, number(bound)?))
        };
        let records = store.records(RECORDS)?;
        Ok(Self(records.into_iter().filter_map(|(id, body)| Some((id, target(&body)?))).collect()))
    }

    /// The rules for a site: its own target if its bound is the one that was made for it.
    pub(crate) fn rules(&self, rules: &Rules, series: &SiteSamples, id: impl FnOnce() -> String) -> Rules {
        if self.0.is_empty() {
            return *rules;
        }
        let is_same = |bound: f64| (bound - series.bound).abs() <= SAME * bound.abs();
        match self.0.get(&id()) {
            Some(&(pass, bound)) if is_same(bound) => Rules { pass, ..*rules },
            _ => *rules,
        }
    }
}
