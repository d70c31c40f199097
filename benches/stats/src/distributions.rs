//! The distributions of the calibration benchmark: how to draw from them and their true quantiles. Fourteen that the rule
//! was chosen by, and ten that it was not.

use temper_stats::random::Random;

/// The targets whose quantiles are known.
pub const TARGETS: [f64; 3] = [0.99, 0.999, 0.9999];

/// A distribution with a known far tail.
pub struct Distribution {
    pub name: &'static str,
    pub kind: &'static str,
    /// Quantiles at [`TARGETS`] and standard deviation, from scipy 1.17.1 (`isf`, `ppf`; the mixture by `brentq`).
    pub quantiles: [f64; 3],
    pub median: f64,
    pub deviation: f64,
    draw: fn(&mut Random) -> f64,
}

impl Distribution {
    pub fn draw(&self, n: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..n).map(|_| (self.draw)(&mut random)).collect()
    }
}

fn exponential(random: &mut Random) -> f64 {
    -random.open().ln()
}

/// Gamma with unit scale (Marsaglia and Tsang 2000), for shapes of at least 1.
fn gamma(random: &mut Random, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = random.normal();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && random.open().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

fn student(random: &mut Random, freedom: f64) -> f64 {
    let chi_square = 2.0 * gamma(random, 0.5 * freedom);
    random.normal() / (chi_square / freedom).sqrt()
}

fn beta(random: &mut Random, a: f64, b: f64) -> f64 {
    let (x, y) = (gamma(random, a), gamma(random, b));
    x / (x + y)
}

fn bimodal(random: &mut Random) -> f64 {
    if random.open() < 0.7 { random.normal() } else { 5.0 + 0.5 * random.normal() }
}

/// Errors of a classifier that is wrong on a tenth of 50 cases.
fn proportion(random: &mut Random) -> f64 {
    (0..50).filter(|_| random.open() < 0.1).count() as f64 / 50.0
}

/// All fourteen that the rule was chosen by. `kind` is what the far tail is: `light` ones must be decided.
pub const ALL: [Distribution; 14] = [
    Distribution {
        name: "normal",
        kind: "light",
        quantiles: [2.326_347_874_040_840_8, 3.090_232_306_167_813, 3.719_016_485_455_709],
        median: 0.0,
        deviation: 1.0,
        draw: Random::normal,
    },
    Distribution {
        name: "uniform",
        kind: "light",
        quantiles: [0.99, 0.999, 0.9999],
        median: 0.5,
        deviation: 0.288_675_134_594_812_87,
        draw: Random::open,
    },
    Distribution {
        name: "beta(50,5)",
        kind: "light",
        quantiles: [0.975_691_098_516_981_7, 0.985_876_092_981_596_5, 0.991_485_744_199_524_5],
        median: 0.914_036_915_987_968_8,
        deviation: 0.038_416_102_487_659_844,
        draw: |r| beta(r, 50.0, 5.0),
    },
    Distribution {
        name: "triangular",
        kind: "light",
        quantiles: [0.929_289_321_881_345_2, 0.977_639_320_225_002_1, 0.992_928_932_188_134_9],
        median: 0.5,
        deviation: 0.204_124_145_231_931_5,
        draw: |r| 0.5 * (r.open() + r.open()),
    },
    Distribution {
        name: "gamma(2)",
        kind: "exponential",
        quantiles: [6.638_352_067_993_811, 9.233_413_476_451_585, 11.756_371_222_495_538],
        median: 1.678_346_990_016_661_2,
        deviation: std::f64::consts::SQRT_2,
        draw: |r| exponential(r) + exponential(r),
    },
    Distribution {
        name: "exponential",
        kind: "exponential",
        quantiles: [4.605_170_185_988_091, 6.907_755_278_982_136, 9.210_340_371_976_294],
        median: std::f64::consts::LN_2,
        deviation: 1.0,
        draw: exponential,
    },
    Distribution {
        name: "half-normal",
        kind: "light",
        quantiles: [2.575_829_303_548_900_4, 3.290_526_731_491_894_5, 3.890_591_886_413_120_4],
        median: 0.674_489_750_196_081_7,
        deviation: 0.602_810_274_989_086_9,
        draw: |r| r.normal().abs(),
    },
    Distribution {
        name: "lognormal(0.5)",
        kind: "heavy",
        quantiles: [3.200_074_007_942_962, 4.688_516_181_008_959, 6.420_578_628_740_895],
        median: 1.0,
        deviation: 0.603_900_533_210_881_1,
        draw: |r| (0.5 * r.normal()).exp(),
    },
    Distribution {
        name: "lognormal(1)",
        kind: "heavy",
        quantiles: [10.240_473_656_312_131, 21.982_183_979_582_828, 41.223_829_927_844_31],
        median: 1.0,
        deviation: 2.161_197_415_895_087_7,
        draw: |r| r.normal().exp(),
    },
    Distribution {
        name: "laplace",
        kind: "exponential",
        quantiles: [3.912_023_005_428_145, 6.214_608_098_422_190_5, 8.517_193_191_416_348],
        median: 0.0,
        deviation: std::f64::consts::SQRT_2,
        draw: |r| if r.open() < 0.5 { exponential(r) } else { -exponential(r) },
    },
    Distribution {
        name: "t5",
        kind: "heavy",
        quantiles: [3.364_929_998_907_217_4, 5.893_429_531_356_009, 9.677_566_300_882_814],
        median: 0.0,
        deviation: 1.290_994_448_735_805_6,
        draw: |r| student(r, 5.0),
    },
    Distribution {
        name: "t3",
        kind: "heavy",
        quantiles: [4.540_702_858_568_132, 10.214_531_852_407_383, 22.203_742_273_205],
        median: 0.0,
        deviation: 1.732_050_807_568_877_2,
        draw: |r| student(r, 3.0),
    },
    Distribution {
        name: "bimodal",
        kind: "light",
        quantiles: [5.916_957_343_679_211, 6.356_525_956_203_576, 6.701_466_427_558_667_5],
        median: 0.565_948_821_932_862_8,
        deviation: 2.454_587_541_726_715,
        draw: bimodal,
    },
    Distribution {
        name: "binomial(50,0.1)/50",
        kind: "light",
        quantiles: [0.2, 0.26, 0.28],
        median: 0.1,
        deviation: 0.042_426_406_871_192_85,
        draw: proportion,
    },
];

fn weibull(random: &mut Random, shape: f64) -> f64 {
    exponential(random).powf(1.0 / shape)
}

fn wide_mixture(random: &mut Random) -> f64 {
    if random.open() < 0.8 { random.normal() } else { 2.0 * random.normal() }
}

/// Ten smooth ones that no constant was chosen by.
pub const UNSEEN: [Distribution; 10] = [
    Distribution {
        name: "gumbel",
        kind: "exponential",
        quantiles: [4.600_149_226_776_58, 6.907_255_070_523_717, 9.210_290_369_892_725],
        median: 0.366_512_920_581_664_35,
        deviation: 1.282_549_830_161_864,
        draw: |r| -exponential(r).ln(),
    },
    Distribution {
        name: "logistic",
        kind: "exponential",
        quantiles: [4.595_119_850_134_59, 6.906_754_778_648_554, 9.210_240_366_975_85],
        median: 0.0,
        deviation: 1.813_799_364_234_217_8,
        draw: |r| {
            let share = r.open();
            (share / (1.0 - share)).ln()
        },
    },
    Distribution {
        name: "weibull(1.5)",
        kind: "light",
        quantiles: [2.767_985_365_022_524_6, 3.627_086_912_339_476, 4.393_902_880_269_335],
        median: 0.783_219_768_774_651_4,
        deviation: 0.612_935_791_754_676_4,
        draw: |r| weibull(r, 1.5),
    },
    Distribution {
        name: "weibull(0.8)",
        kind: "heavy",
        quantiles: [6.746_167_273_329_153, 11.198_792_023_001_086, 16.045_180_240_883_07],
        median: 0.632_458_197_972_176,
        deviation: 1.428_164_890_402_581_2,
        draw: |r| weibull(r, 0.8),
    },
    Distribution {
        name: "beta(2,8)",
        kind: "light",
        quantiles: [0.544_033_692_248_024_9, 0.665_109_489_172_104, 0.752_125_983_195_412_9],
        median: 0.179_619_611_980_360_97,
        deviation: 0.120_604_537_831_105_45,
        draw: |r| beta(r, 2.0, 8.0),
    },
    Distribution {
        name: "chi-square(3)",
        kind: "exponential",
        quantiles: [11.344_866_730_144_368, 16.266_236_196_238_13, 21.107_513_466_160_21],
        median: 2.365_973_884_375_337_7,
        deviation: 2.449_489_742_783_178,
        draw: |r| 2.0 * gamma(r, 1.5),
    },
    Distribution {
        name: "t7",
        kind: "heavy",
        quantiles: [2.997_951_566_868_528_6, 4.785_289_628_638_334, 7.063_432_828_157_514],
        median: 0.0,
        deviation: 1.183_215_956_619_923_2,
        draw: |r| student(r, 7.0),
    },
    Distribution {
        name: "lognormal(0.75)",
        kind: "heavy",
        quantiles: [5.724_532_607_697_251, 10.152_035_524_080_38, 16.269_014_765_177_243],
        median: 1.0,
        deviation: 1.151_156_892_850_723_6,
        draw: |r| (0.75 * r.normal()).exp(),
    },
    Distribution {
        name: "normal, a fifth twice as wide",
        kind: "light",
        quantiles: [3.324_550_904_474_768_3, 5.151_730_007_065_217, 6.581_053_568_121_941],
        median: 0.0,
        deviation: 1.264_911_064_067_351_8,
        draw: wide_mixture,
    },
    Distribution {
        name: "F(10,30)",
        kind: "heavy",
        quantiles: [2.979_093_563_633_883, 4.238_791_758_741_73, 5.664_084_833_419_205_5],
        median: 0.955_396_576_423_623_9,
        deviation: 0.579_273_078_817_766_4,
        draw: |r| 3.0 * gamma(r, 5.0) / gamma(r, 15.0),
    },
];
