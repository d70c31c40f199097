//! `frames`: data frames of pandas with given columns.

use serde::Deserialize;

use super::fields::{Field, FieldNode};
use crate::builder::{BuildError, LibraryFunction};
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueKind};
use crate::node::{Drawing, Solved, ValueNode};
use crate::solve::terms::Dimension;
use crate::solve::unknowns::Side;

const DATA_FRAME: LibraryFunction = LibraryFunction { module: "pandas", name: "DataFrame", written: "pd.DataFrame" };

/// Data frames.
#[derive(Debug, Deserialize)]
pub struct Frames {
    columns: Vec<Field>,
    rows: Dimension,
}

impl ValueKind for Frames {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Dimension(&self.rows));
        self.columns.iter().for_each(|column| visit(Part::Domain(&column.domain)));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let columns = self.columns.iter().map(|column| column.compile(compiler, place)).collect::<Result<_, _>>()?;
        Ok(Box::new(FrameNode { columns, rows: compiler.side(&self.rows, place.owners)? }))
    }
}

#[derive(Debug)]
struct FrameNode {
    columns: Vec<FieldNode>,
    rows: Side,
}

impl ValueNode for FrameNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let rows = solved.sides(std::slice::from_ref(&self.rows)).first().copied().unwrap_or(0).max(0) as usize;
        for column in &self.columns {
            drawing.builder.text(&column.name);
            let len = drawing.items((rows, rows), &*column.node, solved)?;
            drawing.builder.sequence(len, false);
        }
        drawing.builder.dict(self.columns.len());
        drawing.builder.library_call(DATA_FRAME, 1)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    fn frames(rows: &str) -> String {
        let one = r#"{"kind":"ints","min":{"int":1},"max":{"int":1}}"#;
        let column = |name: &str| format!(r#"{{"name":"{name}","domain":{one}}}"#);
        format!(r#"{{"kind":"frames","columns":[{},{}],"rows":{rows}}}"#, column("a"), column("b c"))
    }

    #[test]
    fn all_columns_have_the_rows() {
        check(&frames(r#"{"size":{"int":2}}"#), Laws::one("pd.DataFrame({'a': [1, 1], 'b c': [1, 1]})"));
        let range = r#"{"named":{"name":"n","min":{"int":0},"max":{"int":1}}}"#;
        let all = ["pd.DataFrame({'a': [], 'b c': []})", "pd.DataFrame({'a': [1], 'b c': [1]})"];
        check(&frames(range), Laws::all(&all).simplest(all[0]));
    }

    #[test]
    fn a_negative_number_of_rows_is_refused() {
        fails(&frames(r#"{"size":{"int":-1}}"#), "a dimension is -1");
        fails(r#"{"kind":"frames","columns":[]}"#, "missing field `rows`");
    }
}
