//! What kind of machine this is, as far as numbers depend on it: libraries choose their kernels by the processor.

use std::env::consts::ARCH;
use std::fs;

/// `x86_64 AMD EPYC 7763`; only the architecture where the processor has no name.
pub fn kind() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name: Vec<&str> = name.map(|(_, name)| name.split_whitespace().collect()).unwrap_or_default();
    [&[ARCH], name.as_slice()].concat().join(" ")
}
