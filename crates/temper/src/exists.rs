//! `exists` and `not_exists`: statements about a witness among the inputs of a domain.

use crate::domain::Domain;
use crate::forall::{Forall, NoUtility, Towards, Utility, forall};
use crate::outcome::Outcome;
use crate::report::PropertyReport;
use crate::search::Method;
use std::fmt::Debug;

/// A search for a witness; see [`exists`] and [`not_exists`].
#[derive(Clone, Debug)]
pub struct Exists<D, U = NoUtility> {
    inner: Forall<D, U>,
    is_wanted: bool,
}

/// The statement that some input of a domain is a witness. Give it a utility that leads there.
///
/// ```
/// use temper::prelude::*;
/// // Some list of at most ten small numbers has a sum of squares of exactly 1,000.
/// let squares = |list: &Vec<i32>| list.iter().map(|v| v * v).sum::<i32>();
/// exists(vecs(ints(0..=20)).max_len(10)).minimize(|list| (squares(list) - 1000).abs().into()).check(|list| squares(list) == 1000);
/// ```
pub fn exists<D: Domain>(domain: D) -> Exists<D> {
    Exists { inner: forall(domain), is_wanted: true }
}

/// The statement that no input of a domain is a witness.
pub fn not_exists<D: Domain>(domain: D) -> Exists<D> {
    Exists { inner: forall(domain), is_wanted: false }
}

impl<D: Domain, U: Utility<D::Value>> Exists<D, U> {
    /// Searches for inputs that raise `utility`.
    pub fn maximize<F: Fn(&D::Value) -> f64>(self, utility: F) -> Exists<D, Towards<F>> {
        Exists { inner: self.inner.maximize(utility), is_wanted: self.is_wanted }
    }

    /// Searches for inputs that lower `utility`.
    pub fn minimize<F: Fn(&D::Value) -> f64>(self, utility: F) -> Exists<D, Towards<F>> {
        Exists { inner: self.inner.minimize(utility), is_wanted: self.is_wanted }
    }

    /// The most inputs to test; see [`Forall::budget`].
    pub fn budget(mut self, tests: usize) -> Self {
        self.inner = self.inner.budget(tests);
        self
    }

    /// The seed of the run; see [`Forall::seed`].
    pub fn seed(mut self, seed: u64) -> Self {
        self.inner = self.inner.seed(seed);
        self
    }

    /// How to search; see [`Forall::method`].
    pub fn method(mut self, method: Method) -> Self {
        self.inner = self.inner.method(method);
        self
    }

    /// Searches for a witness and reports what was found, shrunk.
    pub fn run(&self, is_witness: impl Fn(&D::Value) -> bool) -> PropertyReport<D::Value>
    where
        D::Value: Debug,
    {
        self.inner.run(|value| {
            if is_witness(value) { Outcome::Failed("this is a witness".to_owned()) } else { Outcome::Passed }
        })
    }

    /// Searches for a witness and panics when the statement turns out wrong: none was found, or one was.
    ///
    /// # Panics
    /// When [`exists`] finds no witness within its budget. When [`not_exists`] finds one, or tested too few inputs to say
    /// that there is none.
    #[track_caller]
    pub fn check(&self, is_witness: impl Fn(&D::Value) -> bool)
    where
        D::Value: Debug,
    {
        let report = self.run(is_witness);
        assert!(if self.is_wanted { report.is_found() } else { report.holds() }, "{report}");
    }
}
