//! Which calls the walk sets aside: those that may assert, seed, draw or annotate. Decided by name alone, before imports
//! are known.

use ruff_python_ast::ExprCall;

use crate::collect::Interest;
use crate::scope::last_name;
use crate::{annotation, forms, seed};

/// What [`crate::analyse`] and mutants look for.
pub(crate) const CANDIDATES: Interest = Interest { in_call: may_matter, in_name: is_interesting };

/// Whether a call is worth keeping until the whole file has been read.
fn may_matter(call: &ExprCall) -> bool {
    let Some(name) = last_name(&call.func) else { return false };
    is_interesting(name) || forms::is_checker(name) || seed::has_seed_keyword(call)
}

/// Whether a function of this name may assert, seed, draw or annotate.
fn is_interesting(name: &str) -> bool {
    forms::may_assert(name) || seed::is_interesting(name) || annotation::is_module_test(name)
}
