//! `datetimes`: points in time, as `datetime.datetime`, `datetime.date` or `numpy.datetime64`.
//!
//! The worker counts from 2000-01-01, in days for dates and in microseconds for the others, so that shrinking, which goes
//! towards 0, ends at that day or at the bound next to it.

use serde::Deserialize;
use temper::Spread;

use crate::builder::{BuildError, Builder, LibraryFunction};
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::ValueKind;
use crate::node::{Asks, Drawing, Solved, ValueNode};
use crate::solve::interval::Interval;
use crate::solve::linear::Variable;
use crate::solve::unknowns::{Answer, NoAnswer, Quantity};

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;
const DATETIME: LibraryFunction =
    LibraryFunction { module: "datetime", name: "datetime", written: "datetime.datetime" };
const DATE: LibraryFunction = LibraryFunction { module: "datetime", name: "date", written: "datetime.date" };
const DATETIME64: LibraryFunction = LibraryFunction { module: "numpy", name: "datetime64", written: "np.datetime64" };

/// Points in time; both ends belong to the range.
#[derive(Clone, Debug, Deserialize)]
pub struct Datetimes {
    min: i64,
    max: i64,
    form: Form,
}

/// The Python type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Datetime,
    Date,
    Datetime64,
}

impl ValueKind for Datetimes {
    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let Datetimes { min, max, form } = *self;
        if min > max {
            let (low, high) = (form.iso(min), form.iso(max));
            let fact = format!("datetimes(min={low}, max={high}): min is after max");
            return Err(compiler.empty(fact, "make `max` later or `min` earlier"));
        }
        if place.is_referred {
            let variable = compiler.unknown(Interval::Int(min, max), place.owners);
            return Ok(Box::new(UnknownDatetime { variable, form }));
        }
        Ok(Box::new(self.clone()))
    }
}

impl Form {
    /// Puts the value on the stack.
    fn build(self, at: i64, builder: &mut dyn Builder) -> Result<(), BuildError> {
        if self == Form::Datetime64 {
            builder.text(&self.iso(at));
            return builder.library_call(DATETIME64, 1);
        }
        let (day, micros) = self.split(at);
        let (year, month, day) = civil(day);
        let mut parts = vec![year, month, day];
        if self == Form::Date {
            parts.iter().for_each(|&part| builder.int(part));
            return builder.library_call(DATE, parts.len());
        }
        let second = micros / MICROS_PER_SECOND;
        parts.extend([second / 3600, second / 60 % 60, second % 60, micros % MICROS_PER_SECOND]);
        // As Python's `repr` has it: seconds and microseconds are left out if they are 0 and last.
        while parts.len() > 5 && parts.last() == Some(&0) {
            parts.pop();
        }
        parts.iter().for_each(|&part| builder.int(part));
        builder.library_call(DATETIME, parts.len())
    }

    /// Days, and the microseconds of the day.
    fn split(self, at: i64) -> (i64, i64) {
        match self {
            Form::Date => (at, 0),
            _ => (at.div_euclid(MICROS_PER_DAY), at.rem_euclid(MICROS_PER_DAY)),
        }
    }

    /// The text of ISO 8601; numpy reads its unit off the digits.
    fn iso(self, at: i64) -> String {
        let (day, micros) = self.split(at);
        let (year, month, day) = civil(day);
        let date = format!("{year:04}-{month:02}-{day:02}");
        if self == Form::Date {
            return date;
        }
        let (second, micro) = (micros / MICROS_PER_SECOND, micros % MICROS_PER_SECOND);
        format!("{date}T{:02}:{:02}:{:02}.{micro:06}", second / 3600, second / 60 % 60, second % 60)
    }

    fn type_name(self) -> &'static str {
        match self {
            Form::Datetime => "datetime",
            Form::Date => "date",
            Form::Datetime64 => "datetime64",
        }
    }
}

/// Year, month and day of a day counted from 2000-01-01, in the Gregorian calendar. By Howard Hinnant's
/// `civil_from_days` ("chrono-Compatible Low-Level Date Algorithms"): years begin in March, so that the leap day is last.
fn civil(day: i64) -> (i64, i64, i64) {
    // From 0000-03-01 to 2000-01-01 there are 730,425 days.
    let day = day + 730_425;
    let (era, day_of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

impl ValueNode for Datetimes {
    fn fill(&self, drawing: &mut Drawing<'_>, _: &Solved<'_>) -> Result<(), BuildError> {
        let at = drawing.choices.integer(self.min, self.max, Spread::Edges);
        self.form.build(at, drawing.builder)
    }

    fn asks(&self) -> Asks {
        Asks::One
    }

    fn type_name(&self) -> Option<&str> {
        Some(self.form.type_name())
    }
}

/// A point in time that the solver settles.
#[derive(Debug)]
struct UnknownDatetime {
    variable: Variable,
    form: Form,
}

impl ValueNode for UnknownDatetime {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        self.form.build(solved.numbers[self.variable].int(), drawing.builder)
    }

    fn asks(&self) -> Asks {
        Asks::Nothing
    }

    fn is_replaceable(&self) -> bool {
        false
    }

    fn type_name(&self) -> Option<&str> {
        Some(self.form.type_name())
    }

    /// In microseconds whatever the form, so that all forms compare.
    fn number(&self) -> Answer<Quantity> {
        Ok(match self.form {
            Form::Date => Quantity::Multiple(self.variable, MICROS_PER_DAY),
            _ => Quantity::Unknown(self.variable),
        })
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        Err(NoAnswer::Undefined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Laws, check, fails, holds};

    fn datetimes(form: &str, min: i64, max: i64) -> String {
        format!(r#"{{"kind":"datetimes","form":"{form}","min":{min},"max":{max}}}"#)
    }

    #[test]
    fn texts_are_those_of_python() {
        for (at, expected) in [
            (0, "datetime.datetime(2000, 1, 1, 0, 0)"),
            (1, "datetime.datetime(2000, 1, 1, 0, 0, 0, 1)"),
            (-1, "datetime.datetime(1999, 12, 31, 23, 59, 59, 999999)"),
            (5 * MICROS_PER_SECOND, "datetime.datetime(2000, 1, 1, 0, 0, 5)"),
            (59 * MICROS_PER_DAY, "datetime.datetime(2000, 2, 29, 0, 0)"),
            (425 * MICROS_PER_DAY, "datetime.datetime(2001, 3, 1, 0, 0)"),
            (-63_082_281_600 * MICROS_PER_SECOND, "datetime.datetime(1, 1, 1, 0, 0)"),
            (2_921_940 * MICROS_PER_DAY - 1, "datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)"),
        ] {
            check(&datetimes("datetime", at, at), Laws::one(expected));
        }
        check(&datetimes("date", -1, -1), Laws::one("datetime.date(1999, 12, 31)"));
        let numpy = "np.datetime64('1999-12-31T23:59:59.999999')";
        check(&datetimes("datetime64", -1, -1), Laws::one(numpy));
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let days_of = |year: i64, month: i64| match month {
            4 | 6 | 9 | 11 => 30,
            2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
            2 => 28,
            _ => 31,
        };
        let mut expected = (1900, 1, 1);
        for day in -36_524..146_097 {
            assert_eq!(civil(day), expected);
            let (year, month, of_month) = expected;
            expected = match (month, of_month) {
                (12, 31) => (year + 1, 1, 1),
                _ if of_month == days_of(year, month) => (year, month + 1, 1),
                _ => (year, month, of_month + 1),
            };
        }
    }

    #[test]
    fn draws_meet_the_ends_and_shrink_towards_the_year_2000() {
        let all = ["datetime.date(1999, 12, 31)", "datetime.date(2000, 1, 1)", "datetime.date(2000, 1, 2)"];
        check(&datetimes("date", -1, 1), Laws::all(&all).simplest(all[1]));
        check(&datetimes("date", 31, 60), Laws::within(|_| true).simplest("datetime.date(2000, 2, 1)"));
        check(&datetimes("date", -60, -1), Laws::within(|_| true).simplest("datetime.date(1999, 12, 31)"));
        let ends = ["datetime.datetime(1970, 1, 1, 0, 0)", "datetime.datetime(2070, 1, 1, 0, 0)"];
        let century = datetimes("datetime", -10_957 * MICROS_PER_DAY, 25_568 * MICROS_PER_DAY);
        check(&century, Laws::within(|text| text.starts_with("datetime.datetime(")).meets(&ends));
    }

    #[test]
    fn an_empty_range_is_refused() {
        fails(&datetimes("date", 1, 0), "datetimes(min=2000-01-02, max=2000-01-01): min is after max");
        fails(&datetimes("time", 0, 1), "unknown variant `time`");
        fails(r#"{"kind":"datetimes","form":"date","min":0}"#, "missing field `max`");
    }

    #[test]
    fn dates_and_times_that_are_compared_are_drawn_in_order() {
        let (days, micros) = (datetimes("date", 0, 40), datetimes("datetime64", 0, 40 * MICROS_PER_DAY));
        let le = r#"{"compare":["le",{"value":{"name":"a"}},{"value":{"name":"b"}}]}"#;
        let order = |a: &str, b: &str| {
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            digits(a) <= digits(b)
        };
        holds(&[("a", &micros), ("b", &micros)], le, order);
        holds(&[("a", &days), ("b", &micros)], le, |a, b| {
            let day: Vec<i64> = a[14..a.len() - 1].split(", ").map(|part| part.parse().unwrap()).collect();
            format!("{:04}-{:02}-{:02}", day[0], day[1], day[2]).as_str() <= &b[15..25]
        });
    }
}
