//! Exact Python source text: evaluated, it gives the same value bit for bit.

use crate::dtype::{DType, cell_number, cell_parts, whole_cell};
use crate::function::Passing;
use crate::value::Value;

/// A float as Python reads it back exactly.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        "float('nan')".to_owned()
    } else if value.is_infinite() {
        format!("float('{}inf')", if value < 0.0 { "-" } else { "" })
    } else {
        format!("{value:?}")
    }
}

/// A text as a Python literal, quoted as `repr` does.
pub fn string_text(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02x}", c as u32)),
            // Beyond ASCII only what surely prints as itself stays.
            c if !c.is_ascii() && !c.is_alphanumeric() => out.push_str(&match c as u32 {
                code @ 0..=0xff => format!("\\x{code:02x}"),
                code @ 0..=0xffff => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

impl std::fmt::Display for Value {
    /// Python source text that gives the value again.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&value_text(self))
    }
}

/// The source text of a value.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => float_text(*value),
        Value::Text(text) => string_text(text),
        Value::List(items) => format!("[{}]", joined(items)),
        Value::Tuple(items) if items.len() == 1 => format!("({},)", value_text(&items[0])),
        Value::Tuple(items) => format!("({})", joined(items)),
        Value::Dict(items) => {
            let items: Vec<String> =
                items.iter().map(|(key, value)| format!("{}: {}", value_text(key), value_text(value))).collect();
            format!("{{{}}}", items.join(", "))
        }
        Value::Array { dtype, shape, data } => array_text(*dtype, shape, data),
        Value::Call { function, arguments } => format!("{function}({})", joined(arguments)),
        Value::Source(text) => text.clone(),
    }
}

fn joined(items: &[Value]) -> String {
    items.iter().map(value_text).collect::<Vec<_>>().join(", ")
}

fn array_text(dtype: DType, shape: &[usize], data: &[u8]) -> String {
    let name = dtype.name();
    let size = dtype.size();
    let first = data.get(..size);
    let sides = match shape {
        [side] => side.to_string(),
        shape => shape_text(shape),
    };
    match first {
        None => format!("np.zeros({sides}, '{name}')"),
        Some(first) if data.chunks_exact(size).all(|cell| cell == first) => {
            if first.iter().all(|&byte| byte == 0) {
                format!("np.zeros({sides}, '{name}')")
            } else if !is_complex(dtype) && cell_number(dtype, first) == 1.0 {
                format!("np.ones({sides}, '{name}')")
            } else if data.len() == size && shape.len() < 2 {
                listed(dtype, shape, data)
            } else {
                format!("np.full({sides}, {}, '{name}')", cell_text(dtype, first))
            }
        }
        Some(first) => sparse(dtype, shape, data, first).unwrap_or_else(|| listed(dtype, shape, data)),
    }
}

/// Arrays with more cells than this are written by their few cells that differ, when there are few.
const MAX_LISTED: usize = 32;
const MAX_DIFFERENT: usize = 8;

/// A large array that is one value but for a few cells; our own function makes it, because numpy has no expression for it.
fn sparse(dtype: DType, shape: &[usize], data: &[u8], first: &[u8]) -> Option<String> {
    let size = dtype.size();
    if data.len() / size <= MAX_LISTED {
        return None;
    }
    // The first cell may itself be the odd one out; the last is then the common one.
    let last = &data[data.len() - size..];
    let count = |common: &[u8]| data.chunks_exact(size).filter(|cell| *cell != common).count();
    let common = if count(first) <= count(last) { first } else { last };
    if count(common) > MAX_DIFFERENT {
        return None;
    }
    let different = data.chunks_exact(size).enumerate().filter(|(_, cell)| *cell != common);
    let cells: Vec<String> =
        different.map(|(at, cell)| format!("{}: {}", shape_text(&place(at, shape)), cell_text(dtype, cell))).collect();
    let sides = shape_text(shape);
    let (name, common) = (dtype.name(), cell_text(dtype, common));
    Some(format!("temper.filled({sides}, '{name}', {common}, {{{}}})", cells.join(", ")))
}

/// The index of a cell, dimension by dimension.
fn place(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut place = vec![0; shape.len()];
    for (index, side) in place.iter_mut().zip(shape).rev() {
        *index = at % side;
        at /= side;
    }
    place
}

fn listed(dtype: DType, shape: &[usize], data: &[u8]) -> String {
    let cells: Vec<String> = data.chunks_exact(dtype.size()).map(|cell| cell_text(dtype, cell)).collect();
    let array = format!("np.array({}, '{}')", nested(&cells, shape), dtype.name());
    // An array with an empty dimension after others cannot be written as nested lists; it was zeros above.
    array
}

fn nested(cells: &[String], shape: &[usize]) -> String {
    match shape {
        [] => cells.first().cloned().unwrap_or_default(),
        [_] => format!("[{}]", cells.join(", ")),
        [side, rest @ ..] => {
            let step = cells.len() / side.max(&1);
            let rows: Vec<String> = cells.chunks(step.max(1)).map(|row| nested(row, rest)).collect();
            format!("[{}]", rows.join(", "))
        }
    }
}

fn shape_text(shape: &[usize]) -> String {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("({}{comma})", sides.join(", "))
}

fn is_complex(dtype: DType) -> bool {
    matches!(dtype, DType::Complex64 | DType::Complex128)
}

fn cell_text(dtype: DType, cell: &[u8]) -> String {
    match dtype {
        DType::Bool => if cell[0] == 0 { "False" } else { "True" }.to_owned(),
        DType::Complex64 | DType::Complex128 => {
            let parts: Vec<String> = cell_parts(dtype, cell).into_iter().map(|part| part_text(dtype, part)).collect();
            format!("complex({})", parts.join(", "))
        }
        DType::Float16 | DType::Float32 | DType::Float64 => part_text(dtype, cell_number(dtype, cell)),
        _ => whole_cell(dtype, cell).to_string(),
    }
}

/// The shortest text that numpy turns into the same cell.
fn part_text(dtype: DType, value: f64) -> String {
    if value.is_nan() {
        return "np.nan".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-np.inf" } else { "np.inf" }.to_owned();
    }
    if matches!(dtype, DType::Float32 | DType::Complex64) {
        let short = format!("{:?}", value as f32);
        // Python reads the text as a double first; if that rounds twice, the double itself is written.
        if short.parse::<f64>().is_ok_and(|double| f64::from(double as f32) == value) {
            return short;
        }
    }
    format!("{value:?}")
}

/// One call as source text. The receiver of a method stands before the name, the first argument goes by its place.
pub fn call_text(function: &str, arguments: &[(Passing, &str, Value)]) -> String {
    let mut receiver = String::new();
    let mut parts: Vec<String> = Vec::new();
    for (passing, name, value) in arguments {
        match (passing, value) {
            (Passing::Receiver, value) => receiver = format!("{}.", value_text(value)),
            (Passing::Positional, value) => parts.push(value_text(value)),
            (Passing::Star, Value::List(items) | Value::Tuple(items)) => parts.extend(items.iter().map(value_text)),
            (Passing::Star, other) => parts.push(format!("*{}", value_text(other))),
            (Passing::DoubleStar, Value::Dict(items)) => parts.extend(items.iter().map(|(key, value)| match key {
                Value::Text(key) if is_identifier(key) => format!("{key}={}", value_text(value)),
                Value::Source(key) if is_identifier(key.trim_matches('\'')) => {
                    format!("{}={}", key.trim_matches('\''), value_text(value))
                }
                key => format!("**{{{}: {}}}", value_text(key), value_text(value)),
            })),
            (Passing::DoubleStar, other) => parts.push(format!("**{}", value_text(other))),
            (Passing::Keyword, value) => parts.push(format!("{name}={}", value_text(value))),
        }
    }
    format!("{receiver}{function}({})", parts.join(", "))
}

fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(shape: &[usize], cells: &[f32]) -> String {
        let data = cells.iter().flat_map(|cell| cell.to_ne_bytes()).collect();
        value_text(&Value::Array { dtype: DType::Float32, shape: shape.to_vec(), data })
    }

    #[test]
    fn arrays_are_the_simplest_expression_that_gives_them() {
        assert_eq!(floats(&[2, 3], &[0.0; 6]), "np.zeros((2, 3), 'float32')");
        assert_eq!(floats(&[0, 3], &[]), "np.zeros((0, 3), 'float32')");
        assert_eq!(floats(&[2], &[1.0; 2]), "np.ones(2, 'float32')");
        assert_eq!(floats(&[3], &[0.1; 3]), "np.full(3, 0.1, 'float32')");
        assert_eq!(
            floats(&[2, 2], &[0.0, 1.0, -0.0, f32::INFINITY]),
            "np.array([[0.0, 1.0], [-0.0, np.inf]], 'float32')"
        );
        let mut cells = [0.0; 40];
        cells[23] = 2.5;
        assert_eq!(floats(&[4, 10], &cells), "temper.filled((4, 10), 'float32', 0.0, {(2, 3): 2.5})");
    }

    #[test]
    fn numbers_and_texts_read_back_exactly() {
        for (value, expected) in [(0.1, "0.1"), (-0.0, "-0.0"), (1e300, "1e300"), (5e-324, "5e-324"), (2.0, "2.0")] {
            assert_eq!(float_text(value), expected);
            assert_eq!(expected.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
        assert_eq!(float_text(f64::NEG_INFINITY), "float('-inf')");
        assert_eq!(string_text("it's"), "\"it's\"");
        assert_eq!(string_text("a\n\\ \u{7f}\u{200b}"), r"'a\n\\ \x7f\u200b'");
    }

    #[test]
    fn calls_name_their_arguments() {
        let arguments = [
            (Passing::Receiver, "self", Value::Source("Net(3)".to_owned())),
            (Passing::Positional, "x", Value::Tuple(vec![Value::Int(1)])),
            (Passing::Keyword, "rate", Value::Float(0.5)),
            (Passing::DoubleStar, "kwargs", Value::Dict(vec![(Value::Text("lr".to_owned()), Value::Bool(true))])),
        ];
        assert_eq!(call_text("step", &arguments), "Net(3).step((1,), rate=0.5, lr=True)");
    }
}
