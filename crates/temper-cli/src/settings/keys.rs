//! Every setting, with what its values look like. The defaults are in `defaults.toml`.

use temper_report::Format;

use super::kind::SettingKind;

/// The commented defaults, which are also the user's template.
pub const DEFAULTS: &str = include_str!("../../defaults.toml");

/// One setting: its name in files, and what its values look like. The environment variable and the command-line
/// option are derived from the name.
pub struct Key {
    pub name: &'static str,
    pub kind: SettingKind,
}

/// All settings, in the order of `defaults.toml` and `temper config`.
pub const KEYS: &[Key] = &[
    Key { name: "paths", kind: SettingKind::Texts },
    Key { name: "exclude", kind: SettingKind::Texts },
    Key { name: "python", kind: SettingKind::Text },
    Key { name: "jobs", kind: SettingKind::CountOrAuto },
    Key { name: "executor", kind: SettingKind::Executor },
    Key { name: "format", kind: SettingKind::OneOf(Format::NAMES) },
    Key { name: "output", kind: SettingKind::Text },
    Key { name: "report", kind: SettingKind::Reports },
    Key { name: "seed", kind: SettingKind::Whole },
    Key { name: "draws", kind: SettingKind::Count },
    Key { name: "runs", kind: SettingKind::Count },
    Key { name: "budget", kind: SettingKind::DurationOrNone },
    Key { name: "time-limit", kind: SettingKind::Duration },
    Key { name: "memory-limit", kind: SettingKind::Size },
    Key { name: "store-limit", kind: SettingKind::Size },
    Key { name: "pass-env", kind: SettingKind::Texts },
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
    temper_source::OPERATORS.iter().map(|row| row.name).collect()
}

impl Key {
    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("TEMPER_{}", self.name.to_uppercase().replace('-', "_"))
    }
}
