//! Where a property tells its utilities while it runs.

use crate::run::Utilities;
use std::cell::{Cell, RefCell};

/// Where a property tells its utility while it runs; see [`Forall::run_with`](super::Forall::run_with).
#[derive(Debug, Default)]
pub struct Goal {
    utility: Cell<Option<f64>>,
    is_lowered: Cell<bool>,
    /// Those told by name, in the order in which their names were first told.
    named: RefCell<Vec<NamedUtility>>,
}

/// A utility with a name. Numbers are to be raised.
#[derive(Debug)]
struct NamedUtility {
    name: String,
    /// -1 if the user wants it lowered.
    sign: f64,
    /// Of the input at hand; negative infinity if it did not tell it.
    value: f64,
    best: f64,
}

impl Goal {
    /// Searches for inputs that raise this number.
    pub fn maximize(&self, utility: f64) {
        self.utility.set(Some(utility));
    }

    /// Searches for inputs that lower this number.
    pub fn minimize(&self, utility: f64) {
        self.is_lowered.set(true);
        self.utility.set(Some(-utility));
    }

    /// Searches for inputs that raise this number, one of several with different names. No number is traded for another for
    /// good: inputs that are the best in different ways are all kept and searched from. So two conditions that must both
    /// hold are each a utility, how far the input is from it.
    ///
    /// ```
    /// use temper::prelude::*;
    /// let report = forall(any::<(i32, i32)>()).seed(3).budget(20_000).run_with(|&(port, key), goal| {
    ///     goal.minimize_named("port", (f64::from(port) - 8080.0).abs());
    ///     goal.minimize_named("key", (f64::from(key) - 271_828.0).abs());
    ///     !(port == 8080 && key == 271_828)
    /// });
    /// assert_eq!(report.value(), Some(&(8080, 271_828)));
    /// ```
    pub fn maximize_named(&self, name: &str, utility: f64) {
        self.tell(name, 1.0, utility);
    }

    /// Searches for inputs that lower this number, one of several with different names; see [`Goal::maximize_named`].
    pub fn minimize_named(&self, name: &str, utility: f64) {
        self.tell(name, -1.0, utility);
    }

    fn tell(&self, name: &str, sign: f64, utility: f64) {
        let mut all = self.named.borrow_mut();
        let at = all.iter().position(|known| known.name == name).unwrap_or_else(|| {
            let worst = f64::NEG_INFINITY;
            all.push(NamedUtility { name: name.to_owned(), sign, value: worst, best: worst });
            all.len() - 1
        });
        let known = &mut all[at];
        known.value = sign * utility;
        known.best = known.best.max(known.value);
    }

    /// Forgets what the last input told.
    pub(super) fn forget(&self) {
        self.utility.set(None);
        self.named.borrow_mut().iter_mut().for_each(|known| known.value = f64::NEG_INFINITY);
    }

    /// What the input at hand told. The utility without a name is the first of several.
    pub(super) fn utilities(&self) -> Option<Utilities> {
        let named = self.named.borrow();
        if named.is_empty() {
            return self.utility.get().map(Utilities::One);
        }
        let unnamed = self.utility.get().unwrap_or(f64::NEG_INFINITY);
        Some(Utilities::Several(std::iter::once(unnamed).chain(named.iter().map(|known| known.value)).collect()))
    }

    /// -1 if the utility without a name is lowered.
    pub(super) fn sign(&self) -> f64 {
        if self.is_lowered.get() { -1.0 } else { 1.0 }
    }

    /// The best that was told for each name, as the property told it.
    pub(super) fn best_by_name(&self) -> Vec<(String, f64)> {
        let named = self.named.borrow();
        named.iter().map(|known| (known.name.clone(), known.sign * known.best)).collect()
    }
}
