//! False alarms on known truths: how many of the failures that a method reports are the surrogate's own errors.
//!
//! A truth gives every input a class. Rows are drawn, labelled by it (with or without noise), and a model is trained on them.
//! Each method then reports inputs on which the model breaks a property; the truth says who was wrong.

mod models;
pub mod truth;

pub use models::MODELS;
use temper_model::boundary::interval_ends::IntervalEnd;
use temper_model::inputs::{Criterion, InputMode, InputSettings, LeafSampling, draw_suite};
use temper_model::judge::findings::run;
use temper_model::subject::predictor::Predictor;
use temper_model::tree::Growth;
use temper_model::tree::surrogate::{Surrogate, SurrogateKind};
use temper_model::{Dataset, ModelError};
use truth::{TRUTHS, Truth};

const SEEDS: [u64; 3] = [1, 2, 3];
/// Few rows, where a surrogate is mostly guessing, and enough of them.
const ROWS: [usize; 2] = [200, 600];

/// A way of testing.
struct Method {
    name: &'static str,
    kind: SurrogateKind,
    mode: InputMode,
}

/// What a method reported.
#[derive(Clone, Copy, Default)]
struct Count {
    inputs: usize,
    failures: usize,
    false_alarms: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.inputs += other.inputs;
        self.failures += other.failures;
        self.false_alarms += other.false_alarms;
    }

    fn print(&self, label: &str) {
        let share = 100.0 * self.false_alarms as f64 / self.failures.max(1) as f64;
        println!("{label}\t{}\t{}\t{share:.1}", self.inputs, self.failures);
    }
}

fn methods() -> [Method; 5] {
    let local = InputMode::Clean(LeafSampling::Local);
    let boxed = InputMode::Clean(LeafSampling::Box);
    let single = SurrogateKind::SingleTree;
    [
        Method { name: "paper", kind: single, mode: InputMode::Paper { free_values: 10, chosen: IntervalEnd::Lower } },
        Method { name: "labels+box", kind: single, mode: boxed },
        Method { name: "labels+local", kind: single, mode: local },
        Method { name: "forest+box", kind: SurrogateKind::default(), mode: boxed },
        Method { name: "forest+local", kind: SurrogateKind::default(), mode: local },
    ]
}

/// Prints inputs, failures and false alarms for each method, truth by truth and in all.
pub fn print_table() {
    for (rows, noise) in ROWS.into_iter().flat_map(|rows| [(rows, 0.0), (rows, 0.05)]) {
        println!("{rows} rows, {:.0} % of the labels wrong", noise * 100.0);
        println!("method\ttruth\tinputs\tfailures\tfalse alarms %");
        for method in methods() {
            let mut by_model = [Count::default(); MODELS.len()];
            for truth in &TRUTHS {
                let counts = of_truth(&method, truth, rows, noise);
                sum(&counts).print(&format!("{}\t{}", method.name, truth.name));
                by_model.iter_mut().zip(counts).for_each(|(total, count)| total.add(count));
            }
            for ((name, _), count) in MODELS.iter().zip(by_model) {
                count.print(&format!("{}\tall truths, {name}", method.name));
            }
            sum(&by_model).print(&format!("{}\tALL", method.name));
        }
    }
}

fn sum(counts: &[Count]) -> Count {
    let mut total = Count::default();
    counts.iter().for_each(|count| total.add(*count));
    total
}

/// What a method reports on a truth, model by model, over all seeds.
fn of_truth(method: &Method, truth: &Truth, rows: usize, noise: f64) -> [Count; MODELS.len()] {
    let mut counts = [Count::default(); MODELS.len()];
    for seed in SEEDS {
        let data = match truth.rows(rows, noise, seed) {
            Ok(data) => data,
            Err(error) => {
                println!("{}: {error}", truth.name);
                continue;
            }
        };
        for ((name, train), count) in MODELS.iter().zip(&mut counts) {
            match of_model(method, truth, &data, train(&data).as_mut(), seed) {
                Ok(part) => count.add(part),
                Err(error) => println!("{} {name}: {error}", truth.name),
            }
        }
    }
    counts
}

fn of_model(
    method: &Method,
    truth: &Truth,
    data: &Dataset,
    model: &mut dyn Predictor,
    seed: u64,
) -> Result<Count, ModelError> {
    let growth = Growth { seed: seed as u32, ..Growth::default() };
    let surrogate = Surrogate::grow(data, &data.labels, method.kind, growth, seed)?;
    let settings = InputSettings { mode: method.mode, seed, ..InputSettings::default() };
    let mut count = Count::default();
    for criterion in [Criterion::Coverage, Criterion::Boundary] {
        let suite = draw_suite(&surrogate, data, criterion, &settings)?;
        let answers = run(&suite, model, &data.classes)?;
        count.inputs += suite.len();
        for (position, input) in suite.rows.iter().enumerate() {
            if answers.predicted[position] != suite.expected[position] {
                count.failures += 1;
                count.false_alarms += usize::from((truth.class)(input) != suite.expected[position]);
            }
        }
    }
    Ok(count)
}
