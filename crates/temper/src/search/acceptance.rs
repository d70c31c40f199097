//! Whether a neighbour is accepted: always if it is no worse, and with probability exp(-loss / (t * heat * scale)) if it is.
//! The scale is learned from the changes of utility seen, so that multiplying a utility by a constant changes nothing.
//! The reference implementation compares raw differences with t, which turns a utility in [0, 1] into a random walk.
//! Every step is linear in the utility: a factor that is a power of two gives the same decisions bit for bit.
//!
//! The scale is a low quantile of the losses and not their mean. Losses of one climb differ by orders of magnitude: a
//! number may be moved by a unit or drawn again. With the mean, the few large losses make every small one acceptable, and
//! the search wanders near an optimum instead of reaching it.

use crate::rng::Rng;

/// What the scale is multiplied by after a loss above it and after one below it. It then settles at a
/// scale that one loss out of five is below. If more of them are, one number among many is met later. If fewer are,
/// knapsacks are filled later.
const RISE: f64 = 1.1;
const FALL: f64 = 1.0 / (RISE * RISE * RISE * RISE);

#[derive(Debug)]
pub(crate) struct Acceptance {
    temperature: f64,
    /// The size that one loss out of five is below.
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
        let loss = -change;
        if loss > 0.0 && loss.is_finite() {
            self.scale = match self.scale {
                0.0 => loss,
                scale if loss > scale => scale * RISE,
                scale => scale * FALL,
            };
        }
    }

    /// A change of utility measured by the usual loss; before any loss, only its sign is known.
    pub fn in_usual_losses(&self, change: f64) -> f64 {
        if self.scale > 0.0 {
            change / self.scale
        } else if change == 0.0 {
            0.0
        } else {
            change.signum()
        }
    }

    /// Whether a change of utility is accepted.
    pub fn accepts(&self, change: f64, rng: &mut Rng) -> bool {
        self.accepts_of(change, self.scale, rng)
    }

    /// Whether a change is accepted if losses are usually of this size.
    pub fn accepts_of(&self, change: f64, scale: f64, rng: &mut Rng) -> bool {
        if change >= 0.0 {
            return true;
        }
        let warmth = self.temperature * scale;
        warmth > 0.0 && rng.unit() < (change / warmth).exp()
    }
}
