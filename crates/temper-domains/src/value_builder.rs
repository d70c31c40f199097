//! Builds [`Value`]s: what reports show, from the same choices as the Python objects of a worker.

use std::collections::{HashMap, VecDeque};

use temper::Choices;

use crate::builder::{BuildError, Builder, FillCells, LibraryFunction};
use crate::constant::Constant;
use crate::dtype::DType;
use crate::function::{Function, Passing};
use crate::text::call_text;
use crate::value::Value;

/// How calls of one function are written.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The expression that is called.
    pub label: String,
    /// Its arguments.
    pub arguments: Vec<(Passing, String)>,
    /// Whether it is an attribute that is read, and not called.
    pub is_attribute: bool,
}

impl Signature {
    /// The call with these values, as source text, without the arguments at the omitted places.
    pub fn call(&self, values: Vec<Value>, omitted: &[usize]) -> String {
        let parts = self.arguments.iter().zip(values).enumerate().filter(|(at, _)| !omitted.contains(at));
        let mut is_gap = false;
        let arguments: Vec<(Passing, &str, Value)> = parts
            .enumerate()
            .map(|(written, (at, ((passing, name), value)))| {
                is_gap |= written != at;
                // After an argument that is left out, the others need their names.
                let passing = if is_gap && *passing == Passing::Positional { Passing::Keyword } else { *passing };
                (passing, name.as_str(), value)
            })
            .collect();
        let text = call_text(&self.label, &arguments);
        if self.is_attribute { text.trim_end_matches("()").to_owned() } else { text }
    }
}

impl From<&Function> for Signature {
    fn from(function: &Function) -> Signature {
        let arguments = function.arguments.iter().map(|argument| (argument.passing, argument.name.clone())).collect();
        let label = function.label.clone().unwrap_or_else(|| function.name.clone());
        Signature { label, arguments, is_attribute: function.is_attribute }
    }
}

/// Builds [`Value`]s. Generators are not run: their calls become source text.
#[derive(Clone, Debug, Default)]
pub struct ValueBuilder {
    /// The functions of the program, for the text of calls.
    pub signatures: Vec<Signature>,
    /// The texts of composed values, by function, in the order they were made.
    pub composed: HashMap<usize, VecDeque<String>>,
    /// The stack.
    pub values: Vec<Value>,
}

impl ValueBuilder {
    fn take(&mut self, count: usize) -> Vec<Value> {
        self.values.split_off(self.values.len() - count)
    }
}

impl Builder for ValueBuilder {
    fn bool(&mut self, value: bool) {
        self.values.push(Value::Bool(value));
    }

    fn int(&mut self, value: i64) {
        self.values.push(Value::Int(value));
    }

    fn float(&mut self, value: f64) {
        self.values.push(Value::Float(value));
    }

    fn text(&mut self, value: &str) {
        self.values.push(Value::Text(value.to_owned()));
    }

    fn constant(&mut self, constant: &Constant) {
        self.values.push(Value::Source(constant.text.clone()));
    }

    fn sequence(&mut self, len: usize, is_tuple: bool) {
        let items = self.take(len);
        self.values.push(if is_tuple { Value::Tuple(items) } else { Value::List(items) });
    }

    fn dict(&mut self, len: usize) {
        let mut parts = self.take(2 * len).into_iter();
        let mut items = Vec::with_capacity(len);
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            items.push((key, value));
        }
        self.values.push(Value::Dict(items));
    }

    fn array(&mut self, dtype: DType, shape: &[usize], fill: FillCells<'_>) -> Result<(), BuildError> {
        let mut data = vec![0; shape.iter().product::<usize>() * dtype.size()];
        fill(&mut data)?;
        self.values.push(Value::Array { dtype, shape: shape.to_vec(), data });
        Ok(())
    }

    fn library_call(&mut self, function: LibraryFunction, arguments: usize) -> Result<(), BuildError> {
        let arguments = self.take(arguments);
        self.values.push(Value::Call { function: function.written, arguments });
        Ok(())
    }

    fn call(&mut self, function: usize, arguments: usize) -> Result<(), BuildError> {
        let arguments = self.take(arguments);
        let signature = self.signatures.get(function).ok_or(BuildError::Failed)?;
        let text = signature.call(arguments, &[]);
        self.values.push(Value::Source(text));
        Ok(())
    }

    fn compose(&mut self, function: usize, moved: Option<f64>, _: &mut Choices) -> Result<(), BuildError> {
        if moved.is_some() {
            self.values.pop();
        }
        let text = self.composed.get_mut(&function).and_then(VecDeque::pop_front);
        self.values.push(Value::Source(text.unwrap_or_else(|| "...".to_owned())));
        Ok(())
    }

    fn accepts(&mut self, _: usize, _: usize) -> Result<bool, BuildError> {
        Ok(true)
    }

    fn is_repeated_key(&self, before: usize) -> bool {
        let last = self.values.len() - 2;
        (1..=before).any(|pair| self.values[last - 2 * pair] == self.values[last])
    }

    fn height(&self) -> usize {
        self.values.len()
    }

    fn truncate(&mut self, height: usize) {
        self.values.truncate(height);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_written_as_people_pass_arguments() {
        let arguments = [(Passing::Positional, "x"), (Passing::Positional, "y"), (Passing::Keyword, "z")];
        let arguments = arguments.map(|(passing, name)| (passing, name.to_owned())).to_vec();
        let signature = Signature { label: "f".to_owned(), arguments, is_attribute: false };
        let values = || vec![Value::Int(1), Value::Int(2), Value::Int(3)];
        assert_eq!(signature.call(values(), &[]), "f(1, 2, z=3)");
        // After an argument that is left out, the others need their names.
        assert_eq!(signature.call(values(), &[0]), "f(y=2, z=3)");
        assert_eq!(signature.call(values(), &[1, 2]), "f(1)");
        let read = Signature { label: "size".to_owned(), is_attribute: true, ..Signature::default() };
        assert_eq!(read.call(Vec::new(), &[]), "size");
    }

    #[test]
    fn values_are_made_of_those_on_top_of_the_stack() {
        let mut builder = ValueBuilder::default();
        (0..3).for_each(|value| builder.int(value));
        builder.sequence(2, false);
        builder.text("k");
        builder.bool(true);
        builder.dict(1);
        assert_eq!(builder.values.iter().map(Value::to_string).collect::<Vec<_>>(), ["0", "[1, 2]", "{'k': True}"]);
        builder.truncate(1);
        assert_eq!(builder.height(), 1);
    }

    #[test]
    fn a_repeated_key_is_noticed_among_the_pairs_below() {
        let mut builder = ValueBuilder::default();
        for key in [1, 2, 1] {
            builder.int(key);
            builder.bool(true);
        }
        assert!(builder.is_repeated_key(2));
        assert!(!builder.is_repeated_key(1) && !builder.is_repeated_key(0));
    }
}
