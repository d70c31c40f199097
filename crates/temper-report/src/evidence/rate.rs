//! How often a finding shows, so that one that was accepted can be seen to have become worse.

use super::FindingEvidence;

impl FindingEvidence {
    /// The interval of the share of runs, rows or inputs in which it shows, if it is counted.
    pub fn rate(&self) -> Option<(f64, f64)> {
        match self {
            FindingEvidence::Site(evidence) => evidence.site.failure_rate.low.zip(evidence.site.failure_rate.high),
            FindingEvidence::Test(evidence) => evidence.failure_rate.low.zip(evidence.failure_rate.high),
            FindingEvidence::Region(evidence) => Some((evidence.error[0], evidence.error[2])),
            FindingEvidence::Leaf(evidence) => Some((1.0 - evidence.pass_rate[2], 1.0 - evidence.pass_rate[0])),
            // Not a share: how far a quantity is off, and by how much a probability or a table differs.
            FindingEvidence::Call(_)
            | FindingEvidence::Property(_)
            | FindingEvidence::Measured(_)
            | FindingEvidence::Counterexample(_) => None,
        }
    }
}
