//! Days of the calendar, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today, as in 2026-11-17.
pub fn today() -> String {
    let (year, month, day) = civil(now_secs().div_euclid(86_400));
    format!("{year:04}-{month:02}-{day:02}")
}

/// The time for people, as in 2026-11-17 03:40 UTC.
pub fn now_in_words() -> String {
    let minutes = now_secs().rem_euclid(86_400) / 60;
    format!("{} {:02}:{:02} UTC", today(), minutes / 60, minutes % 60)
}

/// Whether a text is a day that the calendar has, as in 2026-02-28.
pub fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let is_long = year.len() == 4 && month.len() == 2 && day.len() == 2;
    let numbers = (year.parse::<i64>(), month.parse::<i64>(), day.parse::<i64>());
    let (Ok(year), Ok(month), Ok(day), true) = (numbers.0, numbers.1, numbers.2, is_long) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=longest).contains(&day)
}

fn now_secs() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or_default()
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar. Years are counted from March, so
/// that the leap day is the last of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + 400 * era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // Taken from `date -u -d @SECONDS`.
        let known = [(0, (1970, 1, 1)), (951_782_400, (2000, 2, 29)), (1_709_164_800, (2024, 2, 29))];
        for (secs, day) in known {
            assert_eq!(civil(secs / 86_400), day);
        }
        assert_eq!(civil(4_107_542_400 / 86_400), (2100, 3, 1));
    }

    #[test]
    fn only_days_of_the_calendar_are_days() {
        for (text, expected) in
            [("2024-02-29", true), ("2023-02-29", false), ("2026-13-01", false), ("2026-1-1", false), ("soon", false)]
        {
            assert_eq!(is_day(text), expected, "{text}");
        }
        assert!(is_day(&today()));
    }
}
