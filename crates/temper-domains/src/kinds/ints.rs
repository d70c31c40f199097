//! `ints`: whole numbers of a range.

use serde::Deserialize;
use temper::Spread;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueKind};
use crate::node::{Asks, Drawing, Solved, ValueNode};
use crate::solve::linear::Variable;
use crate::solve::terms::Term;
use crate::solve::unknowns::{Amount, Answer, NoAnswer, Quantity};

/// Whole numbers; both ends belong to the range. The worker has put in the defaults.
#[derive(Clone, Debug, Deserialize)]
pub struct Ints {
    min: Term,
    max: Term,
}

impl ValueKind for Ints {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Term(&self.min));
        visit(Part::Term(&self.max));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let Ints { min, max } = self;
        if let (Some(low), Some(high)) = (min.fixed(), max.fixed())
            && low > high
        {
            let fact = format!("ints(min={low}, max={high}): min is above max");
            return Err(compiler.empty(fact, "raise `max` or lower `min`"));
        }
        // Inside a list the element has no name; its bounds are known by the time it is drawn.
        if !place.is_referred {
            return Ok(Box::new(FreeInt { min: min.into(), max: max.into() }));
        }
        Ok(Box::new(UnknownInt(compiler.whole_unknown(min, max, i64::MIN, place.owners))))
    }
}

/// A whole number that the solver settles.
#[derive(Debug)]
struct UnknownInt(Variable);

impl ValueNode for UnknownInt {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        drawing.builder.int(solved.numbers[self.0].int());
        Ok(())
    }

    fn asks(&self) -> Asks {
        Asks::Nothing
    }

    fn is_replaceable(&self) -> bool {
        false
    }

    fn type_name(&self) -> Option<&str> {
        Some("int")
    }

    fn number(&self) -> Answer<Quantity> {
        Ok(Quantity::Unknown(self.0))
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        Err(NoAnswer::Undefined)
    }

    fn sides(&self, _: &[usize]) -> Answer<Vec<Quantity>> {
        Err(NoAnswer::Undefined)
    }
}

/// A whole number that nothing refers to.
#[derive(Debug)]
struct FreeInt {
    min: Amount,
    max: Amount,
}

impl ValueNode for FreeInt {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let (min, max) = (solved.amount(&self.min)?, solved.amount(&self.max)?);
        if min > max {
            return Err(BuildError::Rejected);
        }
        let value = drawing.choices.integer(min, max, Spread::Edges);
        drawing.builder.int(value);
        Ok(())
    }

    fn asks(&self) -> Asks {
        Asks::One
    }

    fn type_name(&self) -> Option<&str> {
        Some("int")
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails, holds};

    fn ints(min: i64, max: i64) -> String {
        format!(r#"{{"kind":"ints","min":{{"int":{min}}},"max":{{"int":{max}}}}}"#)
    }

    #[test]
    fn all_of_a_small_range_is_drawn() {
        check(&ints(-2, 2), Laws::all(&["-2", "-1", "0", "1", "2"]).simplest("0"));
        check(&ints(7, 9), Laws::all(&["7", "8", "9"]).simplest("7"));
        check(&ints(5, 5), Laws::one("5"));
    }

    #[test]
    fn the_ends_of_64_bits_are_drawn_exactly() {
        let ends = [i64::MIN.to_string(), i64::MAX.to_string()];
        check(&ints(i64::MIN, i64::MAX), Laws::within(|text| text.parse::<i64>().is_ok()).meets(&ends));
    }

    #[test]
    fn numbers_that_are_compared_are_drawn_in_order() {
        let less = r#"{"compare":["lt",{"value":{"name":"a"}},{"value":{"name":"b"}}]}"#;
        let number = |text: &str| text.parse::<i64>().unwrap();
        holds(&[("a", &ints(0, 9)), ("b", &ints(3, 12))], less, |a, b| number(a) < number(b));
    }

    #[test]
    fn an_empty_range_is_refused() {
        fails(&ints(5, 3), "ints(min=5, max=3): min is above max");
        fails(r#"{"kind":"ints","min":{"int":1}}"#, "missing field `max`");
        fails(r#"{"kind":"ints","min":{"whole":1},"max":{"int":1}}"#, "unknown variant `whole`");
    }
}
