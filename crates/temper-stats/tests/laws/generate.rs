//! Random sets of samples: smooth, tied, tiny, huge, nearly constant, with outliers.

use temper_stats::random::Random;

/// Smooth sets of one to a few hundred samples of an ordinary size.
pub fn smooth(seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let n = 120 + random.index(400);
    let kind = random.index(5);
    let draw = |random: &mut Random| match kind {
        0 => random.normal(),
        1 => random.open(),
        2 => -random.open().ln(),
        3 => (0.5 * random.normal()).exp(),
        _ => random.normal() / (random.open() + random.open() + random.open()),
    };
    (0..n).map(|_| draw(&mut random)).collect()
}

/// Anything finite: sizes from 1, magnitudes from the smallest to the largest double, ties, two values, outliers.
pub fn strange(seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let n = match random.index(4) {
        0 => 1 + random.index(6),
        1 => 1 + random.index(60),
        _ => 60 + random.index(400),
    };
    let unit = 10_f64.powf(match random.index(5) {
        0 => -320.0 + 20.0 * random.open(),
        1 => 300.0 + 8.0 * random.open(),
        _ => 12.0 * random.open() - 6.0,
    });
    let offset = if random.index(3) == 0 { unit * 10_f64.powf(18.0 * random.open()) } else { 0.0 };
    let kind = random.index(7);
    let mut values: Vec<f64> = (0..n)
        .map(|i| {
            let x = match kind {
                0 => random.normal(),
                1 => random.index(4) as f64,
                2 => (random.open() * 20.0).round() / 20.0,
                3 => 1.0 / random.open(),
                4 => f64::from(u8::from(i == 0)),
                5 => random.open().powi(30),
                _ => random.open() - 0.5,
            };
            finite(x * unit + offset)
        })
        .collect();
    if random.index(6) == 0 {
        let place = random.index(n);
        values[place] = [f64::MAX, -f64::MAX, f64::MIN_POSITIVE, 5e-324, -0.0, 0.0][random.index(6)];
    }
    values
}

fn finite(x: f64) -> f64 {
    x.clamp(-f64::MAX, f64::MAX)
}
