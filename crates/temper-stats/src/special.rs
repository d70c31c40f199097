//! The few special functions that the tests and intervals need.
//!
//! Normal quantile: Wichura, AS 241 (Applied Statistics 37, 1988). Incomplete beta: the continued
//! fraction of Lentz, relative accuracy about 1e-13 for parameters up to some thousands.

use std::f64::consts::SQRT_2;

/// Standard normal distribution function.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// Upper tail of the standard normal, accurate far out.
pub(crate) fn normal_sf(z: f64) -> f64 {
    0.5 * libm::erfc(z / SQRT_2)
}

fn ratio(x: f64, top: &[f64], bottom: &[f64]) -> f64 {
    let horner = |c: &[f64]| c.iter().rev().fold(0.0, |acc, &k| acc * x + k);
    horner(top) / horner(bottom)
}

/// Standard normal quantile, for `0 < p < 1`.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(r, &CENTRE_TOP, &CENTRE_BOTTOM);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let z = if r <= 5.0 { ratio(r - 1.6, &MIDDLE_TOP, &MIDDLE_BOTTOM) } else { ratio(r - 5.0, &FAR_TOP, &FAR_BOTTOM) };
    z.copysign(q)
}

const CENTRE_TOP: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const CENTRE_BOTTOM: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_545,
];
const MIDDLE_TOP: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    7.745_450_142_783_414e-4,
];
const MIDDLE_BOTTOM: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const FAR_TOP: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_BOTTOM: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_7e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

/// Upper tail of chi-square with one degree of freedom.
pub(crate) fn chi_square_1_sf(x: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { libm::erfc((0.5 * x).sqrt()) }
}

/// Natural logarithm of the gamma function, for positive arguments.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Regularised incomplete beta function `I_x(a, b)`.
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        let step = d * c;
        h *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    h
}

/// The `x` with `I_x(a, b) = p`, by bisection: the function is monotone and this is never in a hot loop.
pub(crate) fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..1100 {
        let middle = if low > 0.0 && high / low > 4.0 { (low * high).sqrt() } else { 0.5 * (low + high) };
        if middle <= low || middle >= high {
            break;
        }
        if incomplete_beta(a, b, middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Probability that a binomial count is at most `k`.
pub(crate) fn binomial_cdf(n: usize, p: f64, k: usize) -> f64 {
    if k >= n { 1.0 } else { incomplete_beta((n - k) as f64, k as f64 + 1.0, 1.0 - p) }
}

/// Two-sided tail of Student's t.
pub(crate) fn student_two_sided(t: f64, freedom: f64) -> f64 {
    incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_quantile_inverts_the_distribution() {
        for p in [1e-300, 1e-20, 1e-6, 0.001, 0.07, 0.3, 0.5, 0.8, 0.975, 0.999_999] {
            let z = normal_quantile(p);
            assert!((normal_cdf(z) / p - 1.0).abs() < 1e-12, "{p}: {}", normal_cdf(z));
        }
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
    }

    #[test]
    fn incomplete_beta_agrees_with_closed_forms() {
        // I_x(1, b) = 1 - (1 - x)^b and I_x(a, 1) = x^a.
        for x in [1e-8, 0.1, 0.5, 0.93] {
            for b in [1.0, 2.5, 40.0, 2_000.0] {
                let expected = -((b * f64::ln_1p(-x)).exp_m1());
                assert!((incomplete_beta(1.0, b, x) - expected).abs() < 1e-12, "{x} {b}");
                assert!((incomplete_beta(b, 1.0, x) - x.powf(b)).abs() < 1e-12, "{x} {b}");
            }
        }
        assert!((beta_quantile(1.0, 100.0, 0.05) - (1.0 - 0.95_f64.powf(0.01))).abs() < 1e-14);
    }
}
