//! The likelihood of excesses seen through one number.
//!
//! With `tilt = shape / scale` fixed, the best scale is the mean of `ln(1 + tilt x) / tilt` in closed form, so the
//! two-parameter search becomes a search over the tilt (Grimshaw 1993; Davison 1984). Excesses are divided by their
//! largest, so a tilt of -1 is the end of the support, whatever the unit of the samples. The search runs over `step`,
//! with `tilt = exp(step) - 1`, which resolves both that end and heavy tails. One pass over the data gives the profile
//! and its slope; near tilt 0, where the formula cancels, moments give both.

/// Excesses divided by their largest value, with what the profile needs of them.
pub(crate) struct Profile {
    /// Excess / largest excess, ascending.
    pub(crate) ratios: Vec<f64>,
    /// 1 - ratio, computed without cancellation.
    gaps: Vec<f64>,
    /// Means of powers 1 to 8 of the ratios.
    moments: [f64; POWERS],
    /// The largest excess.
    pub(crate) largest: f64,
}

const POWERS: usize = 8;
/// |tilt| below this uses the moment series, whose first dropped term is then below 1e-17.
const SERIES: f64 = 5e-3;

/// Value at one tilt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Shape / scale, in units of one over the largest excess.
    pub(crate) tilt: f64,
    /// The best scale at this tilt, in units of the largest excess.
    pub(crate) scale: f64,
    /// Derivative of `scale` by the tilt.
    scale_slope: f64,
}

impl Point {
    /// The shape at this tilt.
    pub(crate) fn shape(&self) -> f64 {
        self.tilt * self.scale
    }

    /// Mean log-likelihood with excesses in units of the largest.
    pub(crate) fn mean_log_likelihood(&self) -> f64 {
        -self.scale.ln() - self.shape() - 1.0
    }

    /// Derivative of the mean log-likelihood by the tilt; by the step it has the same sign.
    pub(crate) fn slope(&self) -> f64 {
        -self.scale_slope / self.scale - self.scale - self.tilt * self.scale_slope
    }
}

impl Profile {
    /// From positive, ascending excesses; `None` when there are none or the largest is not positive.
    pub(crate) fn new(excesses: &[f64]) -> Option<Self> {
        let largest = *excesses.last()?;
        if largest <= 0.0 || !largest.is_finite() {
            return None;
        }
        // Scaled by a power of two first, so that neither 1e-308 nor 1e308 loses digits in the division.
        let unit = power_of_two_near(largest);
        let top = largest / unit;
        let ratios: Vec<f64> = excesses.iter().map(|&x| (x / unit) / top).collect();
        let gaps = excesses.iter().map(|&x| (top - x / unit) / top).collect();
        let mut moments = [0.0; POWERS];
        for &r in &ratios {
            let mut power = r;
            for m in &mut moments {
                *m += power;
                power *= r;
            }
        }
        moments.iter_mut().for_each(|m| *m /= ratios.len() as f64);
        Some(Self { ratios, gaps, moments, largest })
    }

    pub(crate) fn len(&self) -> usize {
        self.ratios.len()
    }

    /// Mean of the ratios.
    pub(crate) fn mean(&self) -> f64 {
        self.moments[0]
    }

    /// Value at any finite step.
    pub(crate) fn at(&self, step: f64) -> Point {
        let tilt = step.exp_m1();
        if tilt.abs() < SERIES { self.near_zero(tilt) } else { self.by_sums(tilt, step.exp()) }
    }

    fn by_sums(&self, tilt: f64, margin: f64) -> Point {
        let n = self.len() as f64;
        // 1 + tilt r = (1 - r) + margin r keeps the digits of the excesses nearest to the endpoint.
        let (logs, inverses) = if tilt < -0.5 {
            sums(&self.ratios, &self.gaps, margin, |r, gap| gap + margin * r)
        } else {
            sums(&self.ratios, &self.gaps, margin, |r, _| 1.0 + tilt * r)
        };
        let scale = logs / n / tilt;
        // d/dtilt of ln(1 + tilt r)/tilt, with r/(1 + tilt r) = (1 - 1/(1 + tilt r))/tilt.
        let scale_slope = ((1.0 - inverses / n) / tilt - scale) / tilt;
        Point { tilt, scale, scale_slope }
    }

    fn near_zero(&self, tilt: f64) -> Point {
        // ln(1 + t r)/t = sum over k of (-t)^(k-1) r^k / k.
        let (mut scale, mut scale_slope) = (0.0, 0.0);
        for k in (1..=POWERS).rev() {
            let term = self.moments[k - 1] / k as f64;
            scale = scale * -tilt + term;
            if k >= 2 {
                scale_slope = scale_slope * -tilt - term * (k - 1) as f64;
            }
        }
        Point { tilt, scale, scale_slope }
    }
}

/// Sum of logarithms and sum of inverses of the factors, which lie between 1 and `margin`. Sixteen factors share one
/// logarithm and four share one division: this is where a fit spends its time.
fn sums(ratios: &[f64], gaps: &[f64], margin: f64, factor: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    const SHARED: usize = 16;
    let mut logs = 0.0;
    let mut inverses = 0.0;
    let mut done = 0;
    // Products of sixteen stay within the range of doubles only for such margins.
    if (1e-17..1e17).contains(&margin) {
        for (r, g) in ratios.chunks_exact(SHARED).zip(gaps.chunks_exact(SHARED)) {
            let f: [f64; SHARED] = std::array::from_fn(|i| factor(r[i], g[i]));
            let pairs: [f64; 8] = std::array::from_fn(|i| f[i] * f[i + 8]);
            let pair_sums: [f64; 8] = std::array::from_fn(|i| f[i] + f[i + 8]);
            let fours: [f64; 4] = std::array::from_fn(|i| pairs[i] * pairs[i + 4]);
            let tops: [f64; 4] = std::array::from_fn(|i| pair_sums[i] * pairs[i + 4] + pair_sums[i + 4] * pairs[i]);
            inverses += (0..4).map(|i| tops[i] / fours[i]).sum::<f64>();
            logs += (fours[0] * fours[1] * (fours[2] * fours[3])).ln();
            done += SHARED;
        }
    }
    for (r, g) in ratios[done..].iter().zip(&gaps[done..]) {
        let f = factor(*r, *g);
        logs += f.ln();
        inverses += 1.0 / f;
    }
    (logs, inverses)
}

/// The power of two at or below `value`, for positive finite values; exact to multiply and divide by.
pub(crate) fn power_of_two_near(value: f64) -> f64 {
    let exponent = libm::ilogb(value).clamp(-1021, 1022);
    libm::ldexp(1.0, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Profile {
        let excesses: Vec<f64> = (1..=60).map(|i| (f64::from(i) / 61.0).powi(2) * 7.0).collect();
        Profile::new(&excesses).unwrap()
    }

    #[test]
    fn series_and_sums_agree_where_they_meet() {
        let profile = example();
        for tilt in [-SERIES, SERIES] {
            let (series, sums) = (profile.near_zero(tilt), profile.by_sums(tilt, 1.0 + tilt));
            assert!((series.scale / sums.scale - 1.0).abs() < 1e-13);
            assert!((series.scale_slope / sums.scale_slope - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn slope_is_the_derivative_of_the_likelihood() {
        let profile = example();
        for tilt in [-0.99, -0.6, -0.3, 0.001, 0.5, 30.0] {
            let h = 1e-6;
            let at = |t: f64| profile.at(f64::ln_1p(t));
            let rise = at(tilt + h).mean_log_likelihood() - at(tilt - h).mean_log_likelihood();
            let slope = at(tilt).slope();
            assert!((rise / (2.0 * h) - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{tilt}: {slope}");
        }
    }

    #[test]
    fn scaling_keeps_extreme_units() {
        let excesses: Vec<f64> = (1..=60).map(|i| f64::from(i) / 61.0).collect();
        let plain = Profile::new(&excesses).unwrap();
        for unit in [1e-300, 1e300, 5e-324_f64.sqrt()] {
            let scaled: Vec<f64> = excesses.iter().map(|x| x * unit).collect();
            let point = Profile::new(&scaled).unwrap().at(-0.4);
            assert!((point.scale / plain.at(-0.4).scale - 1.0).abs() < 1e-12, "{unit}");
        }
    }
}
