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
use temper_source::PathPatterns;
use temper_worker::Limits;

pub use file::ANNOTATIONS;
pub use keys::DEFAULTS;
pub use options::{MergedOptions, shown};

use self::keys::{KEYS, Key};
use self::options::Sourced;
use crate::message::Failure;

/// The settings in force, typed.
#[derive(Debug)]
pub struct CommandSettings {
    pub paths: Vec<PathBuf>,
    pub exclude: Vec<String>,
    /// `None` is "auto".
    pub python: Option<PathBuf>,
    pub jobs: NonZeroUsize,
    /// The address of the cluster that does the work; `None` is this machine.
    pub cluster: Option<String>,
    pub format: Format,
    /// `None` is standard output.
    pub output: Option<PathBuf>,
    /// Further reports; no path is standard output.
    pub reports: Vec<(Format, Option<PathBuf>)>,
    pub seed: u64,
    /// `None` is no limit.
    pub budget: Option<Duration>,
    /// Valid inputs that `temper check` draws for each function.
    pub draws: u64,
    /// What one run of a test may use, and one import.
    pub limits: Limits,
    /// Most bytes of the store.
    pub store_limit: u64,
    /// Environment variables that checked functions may see.
    pub pass_env: Vec<String>,
    pub bounds: BoundsSettings,
    /// What differs for some files, in the order of the file.
    pub by_path: Vec<PathSettings>,
}

/// A setting for some files.
#[derive(Debug)]
pub struct PathSettings {
    pub paths: PathPatterns,
    pub runs: Option<usize>,
    pub pass: Option<f64>,
    pub draws: Option<u64>,
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
            cluster: kind::executor(options.text("executor")?).flatten(),
            format: Format::of(options.text("format")?).ok_or_else(|| options::untyped("format"))?,
            output: Some(options.text("output")?).filter(|text| *text != "-").map(PathBuf::from),
            reports: options.texts("report")?.iter().filter_map(|text| kind::report(text)).collect(),
            seed: options.whole("seed")?,
            budget: kind::duration(options.text("budget")?),
            draws: options.whole("draws")?,
            limits: Limits::new(options.duration("time-limit")?, options.bytes("memory-limit")?),
            store_limit: options.bytes("store-limit")?,
            pass_env: options.texts("pass-env")?,
            bounds: BoundsSettings::resolve(options)?,
            by_path: options.by_path().map(PathSettings::resolve).collect(),
        })
    }

    /// Valid inputs to draw for each function of a file, if not as many as for others.
    pub fn draws_at(&self, file: &Path) -> Option<u64> {
        let matching = self.by_path.iter().filter(|each| each.paths.matches(file));
        matching.rev().find_map(|each| each.draws)
    }
}

impl PathSettings {
    fn resolve((paths, setting): &(PathPatterns, Sourced)) -> PathSettings {
        let count = |key: &str| options::count(&setting.value).filter(|_| setting.key == key).map(NonZeroUsize::get);
        PathSettings {
            paths: paths.clone(),
            runs: count("runs"),
            pass: setting.value.as_float().filter(|_| setting.key == "pass"),
            draws: count("draws").map(|draws| draws as u64),
        }
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
pub fn load(root: &Path, command: &str, given: Vec<Given>) -> Result<MergedOptions, Failure> {
    let file = file::FileOptions::read(root)?;
    MergedOptions::merge(command, given, |name| std::env::var(name).ok(), file)
}

/// Variables that are almost the name of a setting, with the name that was meant.
pub fn mistaken_variables(names: impl Iterator<Item = String>) -> Vec<(String, String)> {
    let known: Vec<String> = KEYS.iter().map(Key::variable).collect();
    let ours = names.filter(|name| name.starts_with("TEMPER_") && !known.contains(name));
    let meant = |name: String| {
        let likeness = |each: &&String| strsim::damerau_levenshtein(&name, each);
        let nearest = known.iter().min_by_key(likeness).filter(|each| likeness(each) <= 2)?;
        Some((name.clone(), nearest.clone()))
    };
    ours.filter_map(meant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_almost_a_setting_is_named_with_the_one_that_was_meant() {
        let names = ["TEMPER_RUN", "TEMPER_RUNS", "TEMPER_PACKAGE_DIR", "TEMPER_TEST_PYTHON", "HOME"];
        let found = mistaken_variables(names.into_iter().map(str::to_owned));
        assert_eq!(found, [("TEMPER_RUN".to_owned(), "TEMPER_RUNS".to_owned())]);
    }

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
