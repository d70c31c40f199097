//! The Python text of inserted calls and of what they are told about a site.

use temper_source::{Direction, Form, Reduction, Role, Site, SourceFile};

use super::group::{ProbeGroup, operator};
use crate::sample::run_record::role_name;

/// The start of a call of a recorder function, with its first arguments.
pub(super) fn call(function: &str, arguments: &str) -> String {
    format!("__import__('temper.bounds').bounds.{function}({arguments}")
}

/// The tuple of site descriptions that `judge` and `soft` take.
pub(super) fn sites(file: &SourceFile, group: &ProbeGroup<'_>, first: i64) -> String {
    let each = group.sites.iter().map(|(index, site)| describe(file, site, first + *index as i64));
    format!("({})", each.collect::<String>())
}

fn describe(file: &SourceFile, site: &Site, number: i64) -> String {
    let reduction = match site.reduction {
        Reduction::None => "none",
        Reduction::All => "all",
        Reduction::Any => "any",
    };
    let truth = match truth(file, site) {
        Some(true) => "True",
        Some(false) => "False",
        None => "None",
    };
    let fixed: String = fixed_bounds(site).map(|(role, value)| format!("('{role}',{value:?}),")).collect();
    let (form, is_upper) = (site.form.name(), python(site.direction == Direction::Upper));
    let is_strict = python(site.is_strict);
    format!("({number},'{form}',{is_upper},{is_strict},'{reduction}',{truth},({fixed})),")
}

fn python(truth: bool) -> &'static str {
    if truth { "True" } else { "False" }
}

/// Bounds that are not written in the assertion and so give no operand: the documented defaults.
fn fixed_bounds(site: &Site) -> impl Iterator<Item = (&'static str, f64)> + '_ {
    let absent = site.bounds.iter().filter(|bound| bound.expression.is_none() && bound.role != Role::Margin);
    absent.filter_map(|bound| Some((role_name(bound.role), bound.value?)))
}

/// The answer of the comparison that lets the assertion pass, where the text tells: `not a > c` wants False.
fn truth(file: &SourceFile, site: &Site) -> Option<bool> {
    let is_upper = site.direction == Direction::Upper;
    match site.form {
        Form::Compare | Form::Difference | Form::Margin => {
            let is_less = match operator(file, site) {
                Some(("<" | "<=", is_left)) => is_left,
                Some((">" | ">=", is_left)) => !is_left,
                Some(_) => return None,
                None => function_is_less(file, site)?,
            };
            Some(is_less == is_upper)
        }
        // For this form, the value of the flag that the site is for.
        Form::Answer => site.answer.map(|answer| answer.is_true),
        Form::Approx => match operator(file, site) {
            Some(("!=", _)) => Some(!is_upper),
            _ => Some(is_upper),
        },
        _ => Some(is_upper),
    }
}

/// For `np.less(a, c)` and `series.gt(c)`: whether it asks the actual to be the smaller one.
fn function_is_less(file: &SourceFile, site: &Site) -> Option<bool> {
    let name = file.slice(site.comparison).split('(').next()?.rsplit('.').next()?.trim();
    let is_less = match name {
        "less" | "less_equal" | "lt" | "le" => true,
        "greater" | "greater_equal" | "gt" | "ge" => false,
        _ => return None,
    };
    let other = site.reference.or_else(|| site.bounds.first().and_then(|bound| bound.expression))?;
    Some(is_less == (site.actual.start < other.start))
}
