//! Mean, variance, skewness and kurtosis of a slice, without overflow for any finite numbers.

/// The first four moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Number of samples.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Variance with divisor n - 1; 0 for one sample.
    pub variance: f64,
    /// Third standardised moment, divisor n; 0 when nothing varies.
    pub skewness: f64,
    /// Fourth standardised moment minus 3, divisor n; 0 when nothing varies.
    pub kurtosis_excess: f64,
    /// Standard deviation with divisor n - 1, which can be finite where the variance is not.
    deviation: f64,
}

impl Moments {
    /// Moments of finite samples; all zero for an empty slice.
    pub fn of(samples: &[f64]) -> Self {
        let n = samples.len();
        let count = n as f64;
        let largest = samples.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let unit = if largest > 0.0 { crate::gpd::power_of_two_near(largest) } else { 1.0 };
        let scaled_mean = samples.iter().map(|x| x / unit).sum::<f64>() / count.max(1.0);
        // A second pass takes out what rounding left in the first.
        let correction = samples.iter().map(|x| x / unit - scaled_mean).sum::<f64>() / count.max(1.0);
        let mean = scaled_mean + correction;
        let (mut m2, mut m3, mut m4) = (0.0, 0.0, 0.0);
        for x in samples {
            let d = x / unit - mean;
            m2 += d * d;
            m3 += d * d * d;
            m4 += d * d * d * d;
        }
        let variance = if n > 1 { m2 / (count - 1.0) } else { 0.0 };
        let spread = m2 / count.max(1.0);
        // Below this, the spread is the rounding of the mean.
        let varies = samples.iter().any(|x| *x != samples[0]) && spread > 0.0;
        let (skewness, kurtosis_excess) =
            if varies { (m3 / count / spread.powf(1.5), m4 / count / (spread * spread) - 3.0) } else { (0.0, 0.0) };
        let (variance, deviation) = if varies { (variance * unit * unit, variance.sqrt() * unit) } else { (0.0, 0.0) };
        Self { n, mean: mean * unit, variance, skewness, kurtosis_excess, deviation }
    }

    /// Standard deviation with divisor n - 1.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Standard deviation with divisor n.
    pub fn deviation_of_population(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.deviation * ((self.n as f64 - 1.0) / self.n as f64).sqrt() }
    }
}
