//! Code that runs only when its file is run as a script.

use ruff_python_ast::{CmpOp, Expr, Stmt};

use crate::span::Span;
use crate::syntax::span;

/// The first `if __name__ == "__main__":` at module level.
pub(crate) fn main_block(body: &[Stmt]) -> Option<Span> {
    body.iter().find(|statement| matches!(statement, Stmt::If(node) if asks_for_main(&node.test))).map(span)
}

fn asks_for_main(test: &Expr) -> bool {
    let Expr::Compare(node) = test else { return false };
    let [right] = &*node.comparators else { return false };
    let is_pair = |name: &Expr, text: &Expr| {
        matches!(name, Expr::Name(name) if name.id.as_str() == "__name__")
            && matches!(text, Expr::StringLiteral(text) if text.value.to_str() == "__main__")
    };
    *node.ops == [CmpOp::Eq] && (is_pair(&node.left, right) || is_pair(right, &node.left))
}

#[cfg(test)]
mod tests {
    use crate::{SourceFile, analyse};

    #[test]
    fn a_main_block_is_found_at_module_level_only() {
        let line = |text: &str| {
            let file = SourceFile::from_text("x.py", text).unwrap();
            analyse(&file).unwrap().main_block.map(|span| file.position(span.start).line)
        };
        for (text, expected) in [
            ("x = 1\nif __name__ == '__main__':\n    x\n", Some(2)),
            ("if \"__main__\" == __name__:\n    pass\n", Some(1)),
            ("def f():\n    if __name__ == '__main__':\n        pass\n", None),
            ("if __name__ != '__main__':\n    pass\n", None),
        ] {
            assert_eq!(line(text), expected, "{text}");
        }
    }
}
