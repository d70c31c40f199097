//! `temper replay` of a finding of `temper model`: its closest failing input, asked once more.
