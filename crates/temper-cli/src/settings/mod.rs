//! Configuration: what the file says (`FileOptions`), what is in force with its origin (`MergedOptions`), and the typed
//! values that commands use (`CommandSettings`). Every setting is one row of `KEYS`; its default is in `defaults.toml`.

mod file;
mod keys;
mod kind;
mod options;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use temper_report::Format;

pub use file::ANNOTATIONS;
pub use keys::DEFAULTS;
pub use options::{MergedOptions, shown};

use crate::message::Failure;

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

/// Reads the project's file and the environment, and merges them with what the command line gave.
pub fn load(root: &Path, given: Vec<Given>) -> Result<MergedOptions, Failure> {
    let file = file::FileOptions::read(root)?;
    MergedOptions::merge(given, |name| std::env::var(name).ok(), file)
}

#[cfg(test)]
mod tests {
    use super::keys::KEYS;
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
