//! How good an input is: one number, or several that are told by name.

/// The utilities of an input, to be raised.
#[derive(Clone, Debug, PartialEq)]
pub enum Utilities {
    /// One number.
    One(f64),
    /// One number for each name, in an order that stays the same; negative infinity if the input did not tell it. Later
    /// inputs may have more of them.
    Several(Vec<f64>),
}

impl Utilities {
    /// The number, if there is one alone.
    pub fn single(&self) -> Option<f64> {
        match self {
            Utilities::One(utility) => Some(*utility),
            Utilities::Several(_) => None,
        }
    }
}

impl From<f64> for Utilities {
    fn from(utility: f64) -> Utilities {
        Utilities::One(utility)
    }
}
