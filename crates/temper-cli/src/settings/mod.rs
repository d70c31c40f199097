//! Configuration: what the file says (`FileOptions`), what is in force with its origin (`MergedOptions`), and the typed
//! values that commands use (`CommandSettings`). Every setting is one row of `KEYS`; its default is in `defaults.toml`.

mod file;
mod kind;
mod options;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use temper_report::Format;

pub use file::ANNOTATIONS;
pub use options::{MergedOptions, shown};

use crate::args::Common;
use crate::message::Failure;
use kind::SettingKind;

/// The commented defaults, which are also the user's template.
pub const DEFAULTS: &str = include_str!("../../defaults.toml");

/// One setting: its name in files, and what its values look like. The environment variable and the command-line
/// option are derived from the name.
pub struct Key {
    pub name: &'static str,
    kind: SettingKind,
}

/// All settings, in the order of `defaults.toml` and `temper config`.
pub const KEYS: &[Key] = &[
    Key { name: "paths", kind: SettingKind::Texts },
    Key { name: "exclude", kind: SettingKind::Texts },
    Key { name: "python", kind: SettingKind::Text },
    Key { name: "jobs", kind: SettingKind::CountOrAuto },
    Key { name: "format", kind: SettingKind::OneOf(Format::NAMES) },
    Key { name: "output", kind: SettingKind::Text },
    Key { name: "seed", kind: SettingKind::Whole },
    Key { name: "draws", kind: SettingKind::Count },
    Key { name: "runs", kind: SettingKind::Count },
    Key { name: "budget", kind: SettingKind::DurationOrNone },
    Key { name: "pass", kind: SettingKind::Share },
    Key { name: "confidence", kind: SettingKind::Share },
    Key { name: "seeds", kind: SettingKind::OneOf(SEEDS) },
    Key { name: "method", kind: SettingKind::OneOf(METHODS) },
    Key { name: "empirical-width", kind: SettingKind::Share },
    Key { name: "verify-runs", kind: SettingKind::Count },
    Key { name: "operators", kind: SettingKind::Words(operator_names) },
    Key { name: "mutant-fraction", kind: SettingKind::Part },
    Key { name: "swaps", kind: SettingKind::Texts },
];

const SEEDS: &[&str] = &["keep", "vary"];
const METHODS: &[&str] = &["calibrated", "flex", "faser"];

fn operator_names() -> Vec<&'static str> {
    temper_source::OPERATORS.iter().map(|(_, name)| *name).collect()
}

impl Key {
    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("TEMPER_{}", self.name.to_uppercase().replace('-', "_"))
    }
}

/// The settings in force, typed.
#[derive(Debug)]
pub struct CommandSettings {
    pub paths: Vec<PathBuf>,
    pub exclude: Vec<String>,
    /// `None` is "auto".
    pub python: Option<PathBuf>,
    pub jobs: NonZeroUsize,
    pub format: Format,
    /// `None` is standard output.
    pub output: Option<PathBuf>,
    pub seed: u64,
    /// `None` is no limit.
    pub budget: Option<Duration>,
    /// Valid inputs that `temper check` draws for each function.
    pub draws: u64,
    pub bounds: BoundsSettings,
}

/// The settings of `temper bounds`.
#[derive(Debug)]
pub struct BoundsSettings {
    /// Most runs of a test.
    pub runs: usize,
    pub pass: f64,
    pub confidence: f64,
    pub varies_seeds: bool,
    pub method: MethodSetting,
    /// Kinds of mutants; none is all.
    pub operators: Vec<String>,
    pub mutant_fraction: f64,
    pub swaps: Vec<String>,
    pub empirical_width: f64,
    /// Runs of a test with a patch in place.
    pub verify_runs: usize,
}

/// Whose rules `temper bounds` follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodSetting {
    Calibrated,
    Flex,
    Faser,
}

impl CommandSettings {
    /// Types the merged options.
    ///
    /// # Errors
    /// When a setting has no value of its kind, which only a mistake in `defaults.toml` can cause.
    pub fn resolve(options: &MergedOptions) -> Result<CommandSettings, Failure> {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Ok(CommandSettings {
            paths: options.texts("paths")?.into_iter().map(PathBuf::from).collect(),
            exclude: options.texts("exclude")?,
            python: Some(options.text("python")?).filter(|text| *text != "auto").map(PathBuf::from),
            jobs: options.count_or_auto("jobs")?.unwrap_or(cores),
            format: Format::of(options.text("format")?).ok_or_else(|| options::untyped("format"))?,
            output: Some(options.text("output")?).filter(|text| *text != "-").map(PathBuf::from),
            seed: options.whole("seed")?,
            budget: kind::duration(options.text("budget")?),
            draws: options.whole("draws")?,
            bounds: BoundsSettings::resolve(options)?,
        })
    }
}

impl BoundsSettings {
    fn resolve(options: &MergedOptions) -> Result<BoundsSettings, Failure> {
        Ok(BoundsSettings {
            runs: options.count("runs")?,
            pass: options.share("pass")?,
            confidence: options.share("confidence")?,
            varies_seeds: options.text("seeds")? == "vary",
            method: match options.text("method")? {
                "flex" => MethodSetting::Flex,
                "faser" => MethodSetting::Faser,
                _ => MethodSetting::Calibrated,
            },
            operators: options.texts("operators")?,
            mutant_fraction: options.share("mutant-fraction")?,
            swaps: options.texts("swaps")?,
            empirical_width: options.share("empirical-width")?,
            verify_runs: options.count("verify-runs")?,
        })
    }
}

/// A setting that the command line gave: its key and its texts.
pub type Given = (&'static str, Vec<String>);

/// Reads the project's file and the environment, and merges them with the command line.
pub fn load(root: &Path, common: &Common, own: Vec<Given>) -> Result<MergedOptions, Failure> {
    let file = file::FileOptions::read(root)?;
    let given = command_line(common).into_iter().chain(own).collect();
    MergedOptions::merge(given, |name| std::env::var(name).ok(), file)
}

/// The settings that the command line gave, as pairs of key and texts.
fn command_line(common: &Common) -> Vec<Given> {
    let single =
        [("format", &common.format), ("output", &common.output), ("jobs", &common.jobs), ("python", &common.python)];
    let mut given: Vec<_> =
        single.into_iter().filter_map(|(key, value)| value.clone().map(|text| (key, vec![text]))).collect();
    if !common.exclude.is_empty() {
        given.push(("exclude", common.exclude.clone()));
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_default_in_the_template_and_the_other_way_round() {
        let table: toml::Table = DEFAULTS.parse().unwrap();
        let in_file: Vec<&str> = table.keys().map(String::as_str).collect();
        let mut in_code: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        in_code.sort_unstable();
        let mut sorted = in_file.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, in_code);
    }
}
