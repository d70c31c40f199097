//! Catches the panics of a property without printing each one: a search and a shrink meet hundreds. The panic hook is
//! wrapped once. It stays silent only on a thread that is inside [`catch`], and keeps the place of the panic there.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Once;

/// Where a panic was raised. Unlike its message, the place does not depend on the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PanicPlace {
    file: String,
    line: u32,
    column: u32,
}

impl PanicPlace {
    fn of(location: &Location<'_>) -> PanicPlace {
        PanicPlace { file: location.file().to_owned(), line: location.line(), column: location.column() }
    }
}

impl fmt::Display for PanicPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A panic that was caught.
#[derive(Clone, Debug)]
pub(crate) struct CaughtPanic {
    pub message: String,
    pub place: Option<PanicPlace>,
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<PanicPlace>> = const { RefCell::new(None) };
}

static WRAP_HOOK: Once = Once::new();

/// Runs what a user wrote.
///
/// # Errors
/// When it panics.
#[inline]
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    WRAP_HOOK.call_once(wrap_hook);
    let was_quiet = IS_QUIET.replace(true);
    // The callee sees only its input by reference, and after a panic that input is shown and not used again.
    let result = catch_unwind(AssertUnwindSafe(call));
    IS_QUIET.set(was_quiet);
    result.map_err(|panic| CaughtPanic { message: message(&*panic), place: PLACE.take() })
}

fn wrap_hook() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if IS_QUIET.get() {
            PLACE.set(info.location().map(PanicPlace::of));
        } else {
            hook(info);
        }
    }));
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}
