//! Whether a neighbour is accepted: always when it is no worse, else with probability exp(-loss / (t * heat * scale)).
//! The scale is learned from the changes of utility seen, so that multiplying a utility by a constant changes nothing;
//! the reference implementation compares raw differences with t, which turns a utility in [0, 1] into a random walk.
//! Every step is linear in the utility: a factor that is a power of two gives the same decisions bit for bit.

use crate::rng::Rng;

/// How much one more change of utility counts against those before it.
const LEARNING_RATE: f64 = 0.02;

#[derive(Debug)]
pub(crate) struct Acceptance {
    temperature: f64,
    /// A running mean of the sizes of losses.
    scale: f64,
}

impl Acceptance {
    pub fn new() -> Self {
        Acceptance { temperature: 1.0, scale: 0.0 }
    }

    pub fn set_temperature(&mut self, temperature: f64) {
        self.temperature = temperature;
    }

    /// Takes note of a change of utility.
    pub fn learn(&mut self, change: f64) {
        if change < 0.0 && change.is_finite() {
            let loss = -change;
            self.scale = if self.scale == 0.0 { loss } else { self.scale + LEARNING_RATE * (loss - self.scale) };
        }
    }

    /// Whether a change of utility is accepted.
    pub fn accepts(&self, change: f64, rng: &mut Rng) -> bool {
        if change >= 0.0 {
            return true;
        }
        let warmth = self.temperature * self.scale;
        warmth > 0.0 && rng.unit() < (change / warmth).exp()
    }
}
