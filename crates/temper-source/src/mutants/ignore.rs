//! `# temper: ignore` and `# temper: ignore[constant, swap]` at the end of a line: no mutants of that line; on a `def` or
//! `class` line, none of all below it.

use super::mutant::Operator;

/// Which kinds of change a comment keeps away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// All.
    All,
    /// Those that it names; names it does not know keep nothing away.
    Some(Vec<Operator>),
}

impl Ignored {
    /// What the comment in a line says, if there is one.
    #[must_use]
    pub fn in_line(line: &str) -> Option<Self> {
        let (_, comment) = line.split_once('#')?;
        let rest = comment.split_once("temper: ignore")?.1;
        let Some(names) = rest.strip_prefix('[').and_then(|rest| rest.split(']').next()) else {
            return Some(Self::All);
        };
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        if names.contains(&"mutants") {
            return Some(Self::All);
        }
        Some(Self::Some(names.into_iter().filter_map(Operator::named).collect()))
    }

    /// Whether a kind of change is kept away.
    #[must_use]
    pub fn covers(&self, operator: Operator) -> bool {
        match self {
            Self::All => true,
            Self::Some(operators) => operators.contains(&operator),
        }
    }
}
