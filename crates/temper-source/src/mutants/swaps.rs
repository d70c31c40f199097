//! The table of library functions that can stand for each other: same arguments, another result.
//!
//! The table is `swaps.txt`; `scripts/swaps.py` executes every row against the installed libraries. Projects may add rows.

use std::collections::HashMap;

const TABLE: &str = include_str!("swaps.txt");
/// The name under which the table has methods, whose class the text does not tell.
const METHOD: &str = "method";

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{row}` is no swap: write it as in `numpy.sum -> mean max`")]
pub struct SwapError {
    /// The row.
    pub row: String,
}

/// Functions by their full name, with what can stand for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swaps {
    rows: HashMap<String, Vec<String>>,
}

impl Swaps {
    /// The table that comes with Temper.
    #[must_use]
    pub fn built_in() -> Self {
        let mut swaps = Self::default();
        for row in TABLE.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            // The table is ours and a test reads all of it.
            let _ = swaps.add(row);
        }
        swaps
    }

    /// Adds a row such as `numpy.sum -> mean max`.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub fn add(&mut self, row: &str) -> Result<(), SwapError> {
        let wrong = || SwapError { row: row.to_owned() };
        let (name, others) = row.split_once("->").ok_or_else(wrong)?;
        let (name, others) = (name.trim(), others.split_whitespace());
        let is_name = |text: &str| {
            !text.is_empty() && text.split('.').all(|part| !part.is_empty() && !part.contains(char::is_whitespace))
        };
        if !is_name(name) || !name.contains('.') || others.clone().next().is_none() || !others.clone().all(is_name) {
            return Err(wrong());
        }
        self.rows.entry(name.to_owned()).or_default().extend(others.map(str::to_owned));
        Ok(())
    }

    /// What can stand for a function, by its full name: last names.
    pub(super) fn of_function(&self, name: &str) -> &[String] {
        self.rows.get(name).map_or(&[], Vec::as_slice)
    }

    /// What can stand for a method of something that is no module.
    pub(super) fn of_method(&self, name: &str) -> &[String] {
        self.of_function(&format!("{METHOD}.{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_read_and_the_table_has_the_size_of_the_papers() {
        let mut sizes: HashMap<&str, (usize, usize)> = HashMap::new();
        for row in TABLE.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            Swaps::default().add(row).unwrap();
            let (name, others) = row.split_once("->").unwrap();
            let size = sizes.entry(name.trim().split('.').next().unwrap()).or_default();
            size.0 += 1;
            size.1 += others.split_whitespace().count();
        }
        // FASER, section IV-B: 52 functions of numpy, 38 of torch, 18 of tensorflow, 1.87 replacements each.
        for (library, functions) in [("numpy", 52), ("torch", 38), ("tensorflow", 18)] {
            let (rows, others) = sizes[library];
            assert!(rows >= functions, "{library} {rows}");
            assert!(others as f64 >= 1.87 * rows as f64, "{library} {others}/{rows}");
        }
    }

    #[test]
    fn a_row_without_replacements_is_refused() {
        for row in ["numpy.sum", "numpy.sum ->", "sum -> mean", "numpy..sum -> mean", "-> x"] {
            assert!(Swaps::default().add(row).is_err(), "{row}");
        }
    }
}
