//! What was rejected, and when so much was rejected that a run says nothing.

use std::fmt;

/// A run whose part of rejected inputs is above this one says nothing. With one input in ten left, 200 draws still test
/// 20 inputs; with fewer, the inputs that are left are those that the filter happens to like.
const MOST_REJECTED: f64 = 0.9;

/// What rejected an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectedBy {
    /// The domain: its filters accepted no value.
    Domain,
    /// A precondition over the drawn arguments.
    Precondition,
    /// The property itself.
    Property,
}

/// How many inputs were rejected, and by what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejections {
    /// By the domain's filters.
    pub by_domain: usize,
    /// By a precondition.
    pub by_precondition: usize,
    /// By the property.
    pub by_property: usize,
}

impl Rejections {
    /// All of them.
    #[inline]
    pub fn total(&self) -> usize {
        self.by_domain + self.by_precondition + self.by_property
    }

    pub(super) fn add(&mut self, by: RejectedBy) {
        match by {
            RejectedBy::Domain => self.by_domain += 1,
            RejectedBy::Precondition => self.by_precondition += 1,
            RejectedBy::Property => self.by_property += 1,
        }
    }

    pub(super) fn times(self, count: usize) -> Rejections {
        Rejections {
            by_domain: self.by_domain * count,
            by_precondition: self.by_precondition * count,
            by_property: self.by_property * count,
        }
    }
}

/// A run tested nothing, or rejected more than nine tenths of its draws: that it found no failure means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TooFewTests {
    /// How many inputs were drawn.
    pub draws: usize,
    /// How many of them were rejected, and by what.
    pub rejections: Rejections,
}

impl TooFewTests {
    pub(super) fn of(draws: usize, rejections: Rejections) -> Option<TooFewTests> {
        let rejected = rejections.total();
        let is_too_few = rejected == draws || rejected as f64 > MOST_REJECTED * draws as f64;
        is_too_few.then_some(TooFewTests { draws, rejections })
    }
}

impl fmt::Display for TooFewTests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (draws, rejected) = (self.draws, self.rejections.total());
        match draws - rejected {
            0 if draws == 0 => f.write_str("no input was tested: the budget is 0")?,
            0 => write!(f, "no input was tested: all {draws} draws were rejected")?,
            tested => write!(f, "only {tested} of {draws} draws were tested: {rejected} were rejected")?,
        }
        let parts = [
            (self.rejections.by_domain, "by the domain: its filters accepted no value"),
            (self.rejections.by_precondition, "by a precondition of the property"),
            (self.rejections.by_property, "by the property: it answered `Outcome::Rejected`"),
        ];
        for (count, part) in parts {
            if count > 0 {
                write!(f, "\n  {count} {part}")?;
            }
        }
        f.write_str("\nhint: draw inputs that are right by construction, with `map`, `and_then` or `compose`")
    }
}
