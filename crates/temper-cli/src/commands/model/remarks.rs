//! What the user should know about the data, on standard error.

use temper_model::Remark;
use temper_model::judge::baseline::{Baseline, BaselineOrigin};

use super::setup::{Opened, message};
use crate::commands::CommandContext;
use crate::message::Message;
use crate::terminal::Stderr;

/// Remarks about the data are said on standard error.
pub fn warn(context: &CommandContext<'_>, opened: &Opened) {
    show(context, &opened.data.remarks);
}

/// Says remarks.
pub fn show(context: &CommandContext<'_>, remarks: &[Remark]) {
    let mut stderr = Stderr::new(context.common.quiet);
    for remark in remarks {
        stderr.show(&message(&remark.to_string(), true));
    }
}

/// A baseline that flatters is said on standard error.
pub fn warn_of_seen_rows(context: &CommandContext<'_>, baseline: &Baseline) {
    if baseline.origin == BaselineOrigin::GivenRows {
        Stderr::new(context.common.quiet).show(
            &Message::warning(
                "the model's usual error is measured on the rows given, which it may have been trained on",
            )
            .fact("it looks better than it is, so more leaves stand out")
            .hint("give rows that it has not seen with `--holdout FILE`"),
        );
    }
}
