//! Catches the panics of a property without printing each one: a search and a shrink meet hundreds. The panic hook is
//! wrapped once; it stays silent only on a thread that is inside [`catch`].

use crate::outcome::Outcome;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

static WRAP_HOOK: Once = Once::new();

/// Runs a property; a panic in it becomes [`Outcome::Crashed`].
#[inline]
pub(crate) fn catch(property: impl FnOnce() -> Outcome) -> Outcome {
    WRAP_HOOK.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                hook(info);
            }
        }));
    });
    let was_quiet = IS_QUIET.replace(true);
    // The property sees only its input by reference, and after a panic that input is not looked at again.
    let result = catch_unwind(AssertUnwindSafe(property));
    IS_QUIET.set(was_quiet);
    result.unwrap_or_else(|panic| Outcome::Crashed(message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}
