//! `dicts`: dictionaries with keys and values of two domains.

use serde::Deserialize;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueDomain, ValueKind};
use crate::node::{Drawing, Solved, ValueNode};

/// Dictionaries.
#[derive(Debug, Deserialize)]
pub struct Dicts {
    keys: ValueDomain,
    values: ValueDomain,
    min_size: usize,
    max_size: usize,
}

impl ValueKind for Dicts {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Domain(&self.keys));
        visit(Part::Domain(&self.values));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let Dicts { keys, values, min_size: min, max_size: max } = self;
        if min > max {
            return Err(compiler.empty(format!("min_size is {min} and max_size is {max}"), "raise `max_size`"));
        }
        let keys = keys.compile(compiler, place.unnamed())?;
        let values = values.compile(compiler, place.unnamed())?;
        Ok(Box::new(DictNode { keys, values, min: *min, max: *max }))
    }
}

#[derive(Debug)]
struct DictNode {
    keys: Box<dyn ValueNode>,
    values: Box<dyn ValueNode>,
    min: usize,
    max: usize,
}

impl ValueNode for DictNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let mut list = drawing.choices.begin_list(self.min, self.max, false);
        let mut len = 0;
        let mut result = Ok(());
        while result.is_ok() && drawing.choices.more(&mut list) {
            let height = drawing.builder.height();
            result = self.keys.fill(drawing, solved).and_then(|()| self.values.fill(drawing, solved));
            if result.is_ok() && drawing.builder.is_repeated_key(len) {
                drawing.builder.truncate(height);
                drawing.choices.discard_item(&mut list);
            } else {
                len += 1;
            }
        }
        let is_long_enough = list.is_long_enough();
        drawing.choices.end_list(list);
        result?;
        if !is_long_enough {
            return Err(BuildError::Rejected);
        }
        drawing.builder.dict(len);
        Ok(())
    }

    fn type_name(&self) -> Option<&str> {
        Some("dict")
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    fn dicts(keys: &str, min: usize, max: usize) -> String {
        let values = r#"{"kind":"ints","min":{"int":0},"max":{"int":0}}"#;
        format!(r#"{{"kind":"dicts","keys":{keys},"values":{values},"min_size":{min},"max_size":{max}}}"#)
    }

    const BOOLS: &str = r#"{"kind":"bools"}"#;

    #[test]
    fn keys_differ() {
        let both = ["{True: 0, False: 0}", "{False: 0, True: 0}"];
        check(&dicts(BOOLS, 2, 2), Laws::all(&both));
        check(&dicts(BOOLS, 0, 1), Laws::all(&["{}", "{False: 0}", "{True: 0}"]).simplest("{}"));
    }

    #[test]
    fn more_keys_than_there_are_values_is_a_rejection() {
        check(&dicts(BOOLS, 3, 3), Laws::rejected());
    }

    #[test]
    fn an_empty_range_of_sizes_is_refused() {
        fails(&dicts(BOOLS, 3, 2), "min_size is 3 and max_size is 2");
        fails(r#"{"kind":"dicts","keys":{"kind":"bools"},"min_size":0,"max_size":1}"#, "missing field `values`");
    }
}
