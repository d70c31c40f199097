//! `floats`: finite numbers of a range; not-a-number and the infinities only when asked for.

use serde::Deserialize;
use temper::choices::FloatBounds;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueKind};
use crate::node::{Asks, Drawing, Solved, ValueNode};
use crate::solve::interval::{FloatRange, Interval};
use crate::solve::linear::Variable;
use crate::solve::terms::Term;
use crate::solve::unknowns::{Answer, NoAnswer, Quantity};

/// Floats.
#[derive(Clone, Debug, Deserialize)]
pub struct Floats {
    /// The lower bound; none means every finite value.
    #[serde(default)]
    min: Option<Term>,
    /// The upper bound.
    #[serde(default)]
    max: Option<Term>,
    #[serde(default)]
    exclude_min: bool,
    #[serde(default)]
    exclude_max: bool,
    #[serde(default)]
    nan: bool,
    #[serde(default)]
    inf: bool,
    /// 16, 32 or 64.
    width: u32,
}

impl Floats {
    /// The range between two ends; an end that is not known yet is open.
    fn range(&self, min: Option<f64>, max: Option<f64>) -> FloatRange {
        let all = FloatRange::all(self.width);
        FloatRange {
            min: min.unwrap_or(all.min),
            max: max.unwrap_or(all.max),
            exclude_min: self.exclude_min && min.is_some(),
            exclude_max: self.exclude_max && max.is_some(),
            width: self.width,
        }
    }
}

impl ValueKind for Floats {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        self.min.iter().chain(&self.max).for_each(|term| visit(Part::Term(term)));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let all = FloatRange::all(self.width);
        let end = |term: &Option<Term>, open: f64| term.as_ref().map_or(Some(open), Term::number);
        let (min, max) = (end(&self.min, all.min), end(&self.max, all.max));
        let range = self.range(min, max);
        let bounds = range.bounds().map_err(|_| empty(compiler, &range))?;
        let is_fixed = min.is_some() && max.is_some();
        if is_fixed && (!place.is_referred || self.nan || self.inf) {
            return Ok(Box::new(FreeFloat(bounds.with_nan(self.nan).with_inf(self.inf))));
        }
        if !place.is_referred {
            return Ok(Box::new(BoundedFloat(self.clone())));
        }
        let variable = compiler.unknown(Interval::Float(range), place.owners);
        if let Some(term) = &self.min {
            compiler.bound(variable, term, false, self.exclude_min, place.owners);
        }
        if let Some(term) = &self.max {
            compiler.bound(variable, term, true, self.exclude_max, place.owners);
        }
        Ok(Box::new(UnknownFloat(variable)))
    }
}

fn empty(compiler: &Compiler, range: &FloatRange) -> AnnotationError {
    let mut shown = format!("floats(min={}, max={}", range.min, range.max);
    for (is_set, name) in [(range.exclude_min, "exclude_min"), (range.exclude_max, "exclude_max")] {
        if is_set {
            shown.push_str(&format!(", {name}=True"));
        }
    }
    let (fact, hint) = if range.min > range.max {
        ("min is above max".to_owned(), "raise `max` or lower `min`".to_owned())
    } else if range.min == range.max {
        let end = if range.exclude_min { "min" } else { "max" };
        (format!("min equals max, and {end} is excluded"), format!("remove `exclude_{end}=True` or raise `max`"))
    } else {
        (format!("no {}-bit float lies between them", range.width), "widen the range or raise `width`".to_owned())
    };
    compiler.empty(format!("{shown}): {fact}"), &hint)
}

/// A float that the solver settles.
#[derive(Debug)]
struct UnknownFloat(Variable);

impl ValueNode for UnknownFloat {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        drawing.builder.float(solved.numbers[self.0].float());
        Ok(())
    }

    fn asks(&self) -> Asks {
        Asks::Nothing
    }

    fn is_replaceable(&self) -> bool {
        false
    }

    fn type_name(&self) -> Option<&str> {
        Some("float")
    }

    fn number(&self) -> Answer<Quantity> {
        Ok(Quantity::Unknown(self.0))
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        Err(NoAnswer::Undefined)
    }
}

/// A float between fixed bounds that nothing refers to.
#[derive(Debug)]
struct FreeFloat(FloatBounds);

impl ValueNode for FreeFloat {
    fn fill(&self, drawing: &mut Drawing<'_>, _: &Solved<'_>) -> Result<(), BuildError> {
        let value = drawing.choices.float(&self.0);
        drawing.builder.float(value);
        Ok(())
    }

    fn asks(&self) -> Asks {
        Asks::One
    }

    fn type_name(&self) -> Option<&str> {
        Some("float")
    }
}

/// A float in a list, with bounds that follow from unknowns.
#[derive(Debug)]
struct BoundedFloat(Floats);

impl ValueNode for BoundedFloat {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let end = |term: &Option<Term>| term.as_ref().map(|term| solved.term(term)).transpose();
        let range = self.0.range(end(&self.0.min)?, end(&self.0.max)?);
        let bounds = range.bounds().map_err(|_| BuildError::Rejected)?;
        let value = drawing.choices.float(&bounds.with_nan(self.0.nan).with_inf(self.0.inf));
        drawing.builder.float(value);
        Ok(())
    }

    fn asks(&self) -> Asks {
        Asks::One
    }

    fn type_name(&self) -> Option<&str> {
        Some("float")
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    fn floats(parameters: &str) -> String {
        format!(r#"{{"kind":"floats",{parameters}}}"#)
    }

    fn between(min: f64, max: f64) -> impl Fn(&str) -> bool {
        move |text| text.parse::<f64>().is_ok_and(|value| (min..=max).contains(&value))
    }

    #[test]
    fn draws_lie_in_the_range_and_meet_its_ends() {
        let unit = floats(r#""min":{"float":0.0},"max":{"float":1.0},"width":64"#);
        check(&unit, Laws::within(between(0.0, 1.0)).meets(&["0.0", "1.0"]).simplest("0.0"));
        let open =
            floats(r#""min":{"float":0.0},"max":{"float":1.0},"exclude_min":true,"exclude_max":true,"width":64"#);
        check(&open, Laws::within(|text| text.parse::<f64>().is_ok_and(|value| 0.0 < value && value < 1.0)));
    }

    #[test]
    fn widths_are_kept_and_special_values_are_drawn_when_asked_for() {
        let narrow = floats(r#""min":{"float":-9.0},"max":{"float":9.0},"width":32"#);
        check(&narrow, Laws::within(|text| text.parse::<f64>().is_ok_and(|value| f64::from(value as f32) == value)));
        let all = floats(r#""nan":true,"inf":true,"width":64"#);
        let special = ["float('nan')", "float('inf')", "float('-inf')"];
        check(&all, Laws::within(|_| true).meets(&special));
        let finite = floats(r#""width":64"#);
        check(&finite, Laws::within(|text| text.parse::<f64>().is_ok_and(f64::is_finite)));
    }

    #[test]
    fn empty_ranges_are_refused_with_their_reason() {
        let ends = |min: f64, max: f64, more: &str| {
            floats(&format!(r#""min":{{"float":{min:?}}},"max":{{"float":{max:?}}},"width":64{more}"#))
        };
        fails(&ends(2.0, 1.0, ""), "floats(min=2, max=1): min is above max");
        fails(
            &ends(1.0, 1.0, r#","exclude_min":true"#),
            "floats(min=1, max=1, exclude_min=True): min equals max, and min is excluded",
        );
        let narrow = floats(r#""min":{"float":1.0000001},"max":{"float":1.0000002},"width":16"#);
        fails(&narrow, "no 16-bit float lies between them");
        fails(r#"{"kind":"floats"}"#, "missing field `width`");
    }
}
