//! The operands of a comparison: where they stand, and the calls that record them.

use temper_source::{Site, Span};

use super::call_text;
use super::nested_insertions::Inserts;
use crate::sample::run_record::role_name;

/// The operands of a site by the names that the recorder knows.
pub(super) fn operands(site: &Site) -> impl Iterator<Item = (&'static str, Span)> + '_ {
    let reference = site.reference.map(|span| ("reference", span));
    let bounds = site.bounds.iter().filter_map(|bound| Some((role_name(bound.role), bound.expression?)));
    let answer = site.answer.map(|answer| ("answer", answer.flag));
    std::iter::once(("actual", site.actual)).chain(reference).chain(bounds).chain(answer)
}

pub(super) fn wrap_operands(site: &Site, number: i64, inserts: &mut Inserts) {
    for (slot, span) in operands(site) {
        inserts.wrap(span, call_text::call("operand", &format!("{number},'{slot}',(")), "))".to_owned());
    }
}
