//! Random tables: numbers, whole numbers, booleans, categories and missing cells, with classes that depend on them a little.

use temper::prelude::*;
use temper_model::{Dataset, read_csv};

/// A table as CSV text; shrinks to fewer rows and columns.
#[derive(Clone, Debug)]
pub struct Table {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn csv(&self) -> String {
        let lines = std::iter::once(&self.header).chain(&self.rows).map(|cells| cells.join(","));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The table as data; `None` when it has too little to learn from.
    pub fn data(&self) -> Option<Dataset> {
        read_csv(self.csv().as_bytes(), "drawn", "y").ok()
    }
}

/// Tables with columns of all kinds.
pub fn tables() -> impl Domain<Value = Table> {
    compose(|choices| draw_table(choices, 5))
}

/// Tables with columns of numbers only.
pub fn number_tables() -> impl Domain<Value = Table> {
    compose(|choices| draw_table(choices, 2))
}

fn draw_table(choices: &mut Choices, kinds: usize) -> Result<Table, Rejected> {
    let columns = choices.integer(1, 4, Spread::Uniform) as usize;
    let kinds: Vec<usize> = (0..columns).map(|_| choices.index(kinds)).collect();
    let classes = choices.integer(2, 4, Spread::Uniform);
    let count = choices.integer(4, 60, Spread::Uniform);
    let mut rows = Vec::new();
    for _ in 0..count {
        let mut row: Vec<String> = kinds.iter().map(|&kind| draw_cell(choices, kind)).collect();
        row.push(format!("c{}", choices.integer(0, classes - 1, Spread::Uniform)));
        rows.push(row);
    }
    let mut header: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
    header.push("y".into());
    Ok(Table { header, rows })
}

fn draw_cell(choices: &mut Choices, kind: usize) -> String {
    match kind {
        0 => format!("{:?}", choices.integer(-40, 40, Spread::Uniform) as f64 / 8.0 + 0.1),
        1 => choices.integer(-1000, 100_000_000, Spread::Edges).to_string(),
        2 => ["True", "False"][choices.index(2)].into(),
        3 => ["red", "green", "blue", ""][choices.index(4)].into(),
        _ => match choices.index(4) {
            0 => String::new(),
            _ => format!("{:?}", choices.integer(0, 20, Spread::Uniform) as f64 / 3.0),
        },
    }
}
