//! Truths: functions from inputs to classes, and rows drawn from them.

use temper::Choices;
use temper::Spread;
use temper::choices::{FloatBounds, Width};
use temper_model::{Dataset, Label, Matrix, ModelError};

/// A known truth over four features in 0..1: the first two decide, in one truth the third too, and the fourth follows the
/// first.
pub struct Truth {
    pub name: &'static str,
    pub classes: usize,
    pub class: fn(&[f64]) -> usize,
}

/// Borders that a tree can follow exactly, slanted ones, curved ones, and several classes.
pub const TRUTHS: [Truth; 8] = [
    Truth { name: "rectangles", classes: 2, class: rectangles },
    Truth { name: "checkerboard", classes: 2, class: checkerboard },
    Truth { name: "diagonal", classes: 2, class: |x| usize::from(x[0] + x[1] > 1.0) },
    Truth { name: "disc", classes: 2, class: |x| usize::from((x[0] - 0.5).hypot(x[1] - 0.5) < 0.35) },
    Truth { name: "wave", classes: 2, class: |x| usize::from(x[1] > 0.5 + 0.25 * (6.0 * x[0]).sin()) },
    Truth { name: "plane", classes: 2, class: |x| usize::from(x[0] + x[1] + x[2] > 1.5) },
    Truth { name: "centres", classes: 3, class: centres },
    Truth { name: "product", classes: 2, class: |x| usize::from(x[0] + 1.4 * (x[1] - 0.5) * (x[2] - 0.5) > 0.5) },
];

fn rectangles(x: &[f64]) -> usize {
    let first = x[0] > 0.2 && x[0] < 0.7 && x[1] > 0.4;
    usize::from(first || (x[0] >= 0.7 && x[1] < 0.5))
}

fn checkerboard(x: &[f64]) -> usize {
    ((x[0] * 3.0) as usize + (x[1] * 3.0) as usize) % 2
}

/// The class of the nearest of five centres.
fn centres(x: &[f64]) -> usize {
    let centres = [(0.2, 0.3, 0), (0.8, 0.2, 1), (0.5, 0.6, 2), (0.15, 0.85, 1), (0.85, 0.8, 0)];
    let distance = |centre: &(f64, f64, usize)| (x[0] - centre.0).hypot(x[1] - centre.1);
    let nearest = centres.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |centre| centre.2)
}

impl Truth {
    /// Rows with their labels, of which a share is another class.
    pub fn rows(&self, count: usize, noise: f64, seed: u64) -> Result<Dataset, ModelError> {
        let mut choices = Choices::random(0);
        choices.start_random(seed, false);
        let mut rows = Matrix::new(4);
        let mut labels = Vec::new();
        for _ in 0..count {
            let mut unit = || real(&mut choices);
            let (first, second, third, fourth) = (unit(), unit(), unit(), unit());
            let row = [first, second, third, 0.9 * first + 0.1 * fourth];
            let mut class = (self.class)(&row);
            if choices.flag(noise) {
                class = (class + 1 + choices.index(self.classes - 1)) % self.classes;
            }
            rows.push(&row);
            labels.push(Label::Integer(class as i64));
        }
        Dataset::from_numbers(&["a", "b", "c", "d"], rows, "class", &labels)
    }
}

fn real(choices: &mut Choices) -> f64 {
    let bounds = FloatBounds::new(Width::F64, 0.0, 1.0, false, true);
    bounds.map_or(0.0, |bounds| choices.float(&bounds.with_spread(Spread::Uniform)))
}
