//! Dates and times: texts in a form that is known, as seconds, and back.

use std::fmt;

/// A form in which dates are written. Each gives a text back exactly as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MomentForm {
    /// As Python's `strftime` has it.
    pattern: &'static str,
}

/// The forms that are known. Those with the month first come before those with the day first, as in pandas.
const FORMS: [&str; 10] = [
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M",
    "%Y/%m/%d",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d.%m.%Y",
];

/// Parts of a moment.
#[derive(Default)]
struct MomentParts {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl MomentForm {
    /// The form that all texts have.
    pub fn of<'t>(mut texts: impl Iterator<Item = &'t str> + Clone) -> Option<MomentForm> {
        let first = texts.clone().next()?;
        let mut forms = FORMS.iter().map(|pattern| MomentForm { pattern }).filter(|form| form.read(first).is_some());
        forms.find(|form| texts.all(|text| form.read(text).is_some()))
    }

    /// The form as Python's `strftime` has it.
    pub fn pattern(self) -> &'static str {
        self.pattern
    }

    /// Seconds since 1970 of a text in this form.
    pub fn read(self, text: &str) -> Option<f64> {
        let mut rest = text.as_bytes();
        let mut pattern = self.pattern.bytes();
        let mut parts = MomentParts { month: 1, day: 1, ..MomentParts::default() };
        while let Some(letter) = pattern.next() {
            if letter != b'%' {
                rest = rest.strip_prefix(&[letter])?;
                continue;
            }
            let part = pattern.next()?;
            let digits = if part == b'Y' { 4 } else { 2 };
            let (own, after) = rest.split_at_checked(digits)?;
            rest = after;
            let number = own
                .iter()
                .try_fold(0i64, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))?;
            *parts.part(part)? = number;
        }
        (rest.is_empty() && parts.is_real()).then(|| parts.seconds())
    }

    /// A moment in this form.
    pub fn write(self, seconds: f64) -> String {
        let mut parts = MomentParts::at(seconds);
        let mut text = String::new();
        let mut pattern = self.pattern.chars();
        while let Some(letter) = pattern.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            let part = pattern.next().unwrap_or('Y') as u8;
            let width = if part == b'Y' { 4 } else { 2 };
            let number = parts.part(part).map_or(0, |number| *number);
            text.push_str(&format!("{number:0width$}"));
        }
        text
    }
}

impl fmt::Display for MomentForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pattern)
    }
}

impl MomentParts {
    fn part(&mut self, letter: u8) -> Option<&mut i64> {
        Some(match letter {
            b'Y' => &mut self.year,
            b'm' => &mut self.month,
            b'd' => &mut self.day,
            b'H' => &mut self.hour,
            b'M' => &mut self.minute,
            b'S' => &mut self.second,
            _ => return None,
        })
    }

    fn is_real(&self) -> bool {
        let is_leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let days = match self.month {
            4 | 6 | 9 | 11 => 30,
            2 => 28 + i64::from(is_leap),
            1..=12 => 31,
            _ => return false,
        };
        (1..=days).contains(&self.day) && self.hour < 24 && self.minute < 60 && self.second < 60
    }

    fn seconds(&self) -> f64 {
        let days = days_from_civil(self.year, self.month, self.day);
        (((days * 24 + self.hour) * 60 + self.minute) * 60 + self.second) as f64
    }

    fn at(seconds: f64) -> MomentParts {
        let whole = seconds.floor() as i64;
        let (days, rest) = (whole.div_euclid(86_400), whole.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        MomentParts { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }
}

/// Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days - era * 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were_read() {
        for text in
            ["2019-03-05", "1969-12-31", "2024-02-29 23:59:07", "2024-02-29T00:00:00Z", "31.12.1999", "12/31/1999"]
        {
            let form = MomentForm::of([text].into_iter()).unwrap();
            assert_eq!(form.write(form.read(text).unwrap()), text);
        }
    }

    // datetime.datetime(2019, 3, 5, 6, 7, 8, tzinfo=datetime.timezone.utc).timestamp()
    #[test]
    fn seconds_equal_the_oracle_of_python() {
        let form = MomentForm::of(["2019-03-05 06:07:08"].into_iter()).unwrap();
        assert_eq!(form.read("2019-03-05 06:07:08"), Some(1_551_766_028.0));
    }

    #[test]
    fn a_form_fits_all_texts_or_none() {
        let form = |texts: &[&str]| MomentForm::of(texts.iter().copied()).map(MomentForm::pattern);
        assert_eq!(form(&["01/02/2020", "01/13/2020"]), Some("%m/%d/%Y"));
        assert_eq!(form(&["01/02/2020", "13/01/2020"]), Some("%d/%m/%Y"));
        assert_eq!(form(&["2020-02-30"]), None);
        assert_eq!(form(&["2020-1-2"]), None);
        assert_eq!(form(&["2020-01-02", "soon"]), None);
    }
}
