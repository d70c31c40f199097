//! The one module that knows ruff's parser, whose interface is internal to ruff and pinned to one version.
//!
//! Trees of hostile depth (thousands of nested brackets, sums of a hundred thousand terms) are parsed on a stack that
//! grows; they must also be dropped on one, which [`SyntaxTree`] does.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::{Expr, ModModule, Stmt};
use ruff_python_parser::{Mode, ParseOptions, Parsed};
use ruff_text_size::{Ranged, TextRange};

use crate::error::SourceError;
use crate::file::SourceFile;
use crate::span::Span;

/// Stack that dropping one level of a tree may take. One byte of text can open at most one level.
const DROP_BYTES_PER_LEVEL: usize = 512;
const MAX_DROP_STACK: usize = 2 << 30;

/// A parsed file.
pub(crate) struct SyntaxTree {
    /// Always there; an option only so that `drop` can move it to another stack.
    parsed: Option<Parsed<ModModule>>,
    text_len: usize,
}

impl SyntaxTree {
    /// Parses a whole file; the first syntax error is the answer if there is one.
    pub(crate) fn parse(file: &SourceFile) -> Result<Self, SourceError> {
        let text = file.text();
        let parsed = ruff_python_parser::parse_unchecked(text, ParseOptions::from(Mode::Module));
        let Some(parsed) = parsed.try_into_module() else {
            return Err(syntax_error(file, 0, "not a module".into()));
        };
        let tree = Self { parsed: Some(parsed), text_len: text.len() };
        match tree.parsed.as_ref().and_then(|parsed| parsed.errors().first()) {
            Some(error) => Err(syntax_error(file, error.location.start().to_u32(), error.error.to_string())),
            None => Ok(tree),
        }
    }

    /// The statements of the module.
    pub(crate) fn body(&self) -> &[Stmt] {
        self.parsed.as_ref().map_or(&[], |parsed| &parsed.syntax().body)
    }

    /// The last token that is neither comment nor line end and ends at or before `at`: its end, and whether it is a comma.
    pub(crate) fn token_before(&self, at: u32) -> Option<(u32, bool)> {
        let tokens: &[Token] = self.parsed.as_ref()?.tokens();
        let behind = tokens.partition_point(|token| token.end().to_u32() <= at);
        let token = tokens[..behind].iter().rev().find(|token| !is_trivia(token.kind()))?;
        Some((token.end().to_u32(), token.kind() == TokenKind::Comma))
    }

    /// Whether a token inside this range, such as a text in triple quotes, goes over several lines.
    pub(crate) fn has_token_over_lines(&self, text: &str, at: Span) -> bool {
        let Some(parsed) = &self.parsed else { return false };
        let tokens: &[Token] = parsed.tokens();
        tokens.iter().filter(|token| at.contains(to_span(token.range()))).any(|token| {
            let is_line_end = matches!(token.kind(), TokenKind::Newline | TokenKind::NonLogicalNewline);
            let is_indent = matches!(token.kind(), TokenKind::Indent | TokenKind::Dedent);
            !is_line_end && !is_indent && to_span(token.range()).text(text).contains(['\n', '\r'])
        })
    }
}

impl Drop for SyntaxTree {
    fn drop(&mut self) {
        let stack = self.text_len.saturating_mul(DROP_BYTES_PER_LEVEL).min(MAX_DROP_STACK);
        let parsed = self.parsed.take();
        stacker::maybe_grow(stack, stack + (64 << 10), || drop(parsed));
    }
}

/// Whether a text is a valid module, as far as the parser can tell.
pub(crate) fn is_module(text: &str) -> bool {
    let parsed = ruff_python_parser::parse_unchecked(text, ParseOptions::from(Mode::Module)).try_into_module();
    let tree = SyntaxTree { parsed, text_len: text.len() };
    tree.parsed.as_ref().is_some_and(|parsed| parsed.errors().is_empty())
}

/// Parses a quoted annotation. Nothing if it is no expression.
pub(crate) fn parse_expression(text: &str) -> Option<Expr> {
    // Hints are short; a long string in their place is prose.
    (text.len() < 2000).then(|| ruff_python_parser::parse_expression(text).ok())?.map(|parsed| parsed.into_expr())
}

/// The range of a node.
pub(crate) fn span(node: &impl Ranged) -> Span {
    to_span(node.range())
}

pub(crate) fn to_span(range: TextRange) -> Span {
    Span::new(range.start().to_u32(), range.end().to_u32())
}

fn is_trivia(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Comment | TokenKind::NonLogicalNewline)
}

fn syntax_error(file: &SourceFile, at: u32, message: String) -> SourceError {
    SourceError::Syntax { path: file.path().into(), at: file.position(at), message }
}

/// The last part of a dotted name: what is called in `a.b.c(...)`.
pub(crate) fn last_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}
