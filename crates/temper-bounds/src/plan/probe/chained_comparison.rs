//! Chained comparisons: `lo < a < hi` becomes `(judge(lo < a) and judge(again(a) < hi))`.
//!
//! Python stops a chain at the first link that does not hold, which would hide the others; each link judged by itself does
//! not. The shared operand is evaluated once, as in the chain.

use temper_source::{SourceFile, Span};

use super::nested_insertions::Inserts;
use super::{ProbeGroup, Unprobed, call_text, operands, wrap_operands};

/// Whether two comparisons are neighbouring links: they overlap in one operand and neither holds the other.
pub(super) fn is_linked(left: Span, right: Span) -> bool {
    left.start < right.start && right.start < left.end && left.end < right.end
}

/// Whether a comparison found by its operator has another operator beside it, and so is a link whose neighbour is no site.
pub(super) fn is_part_of_longer(text: &str, comparison: Span) -> bool {
    let before = text.get(..comparison.start as usize).unwrap_or_default().trim_end();
    let after = text.get(comparison.end as usize..).unwrap_or_default().trim_start();
    let starts_with_operator =
        ["<", ">", "==", "!=", "is ", "in ", "not in "].iter().any(|sign| after.starts_with(sign));
    let ends_with_operator = ["<", ">", "==", "!=", "<=", ">="].iter().any(|sign| before.ends_with(sign));
    starts_with_operator || ends_with_operator
}

pub(super) fn probe(
    file: &SourceFile,
    links: &[ProbeGroup<'_>],
    first: i64,
    inserts: &mut Inserts,
) -> Result<(), Unprobed> {
    let (Some(start), Some(end)) = (links.first(), links.last()) else { return Ok(()) };
    let whole = Span::new(start.comparison.start, end.comparison.end);
    if !is_balanced(file.slice(whole)) || links.iter().any(|link| !is_balanced(file.slice(link.comparison))) {
        return Err(Unprobed::Chain);
    }
    if is_part_of_longer(file.text(), whole) {
        return Err(Unprobed::Chain);
    }
    let mut middles = Vec::new();
    for pair in links.windows(2) {
        let shared = Span::new(pair[1].comparison.start, pair[0].comparison.end);
        let (index, site) = pair[1].sites[0];
        let (slot, _) = operands(site).find(|(_, span)| *span == shared).ok_or(Unprobed::Chain)?;
        let next = call_text::call("judge", &format!("{},(", call_text::sites(file, &pair[1], first)));
        let again = call_text::call("again", &format!("{},'{slot}')", first + index as i64));
        middles.push((shared.end, format!(")) and {next}{again}")));
    }
    let open = call_text::call("judge", &format!("{},(", call_text::sites(file, start, first)));
    inserts.wrap(whole, format!("({open}"), ")))".to_owned());
    middles.into_iter().for_each(|(at, text)| inserts.between(at, text));
    for link in links {
        link.sites.iter().for_each(|(index, site)| wrap_operands(site, first + *index as i64, inserts));
    }
    Ok(())
}

/// Whether parentheses close what they open, which a range that starts inside a pair does not.
fn is_balanced(text: &str) -> bool {
    let mut open = 0_i32;
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' => open -= 1,
            _ => {}
        }
        if open < 0 {
            return false;
        }
    }
    open == 0
}
