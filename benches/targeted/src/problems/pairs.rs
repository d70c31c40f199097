//! B9: failures behind two exact conditions on different parts of the input. Each condition is a utility with its own name.

use temper::Goal;
use temper::prelude::*;

/// Settles an invoice in cents: the total overflows for one account and one amount only.
pub fn invoice(&(account, amount, items): &(i32, i32, u8), goal: &Goal) -> bool {
    goal.minimize_named("account", (f64::from(account) - 123_456_789.0).abs());
    goal.minimize_named("amount", (f64::from(amount) + 7_654_321.0).abs());
    !(account == 123_456_789 && amount == -7_654_321 && items.checked_mul(2).is_none())
}

/// A handshake whose second number is looked at only if the first is right.
pub fn handshake(&(challenge, response): &(i64, i64), goal: &Goal) -> bool {
    goal.minimize_named("challenge", (challenge as f64 - 123_456_789_012.0).abs());
    if challenge != 123_456_789_012 {
        return true;
    }
    goal.minimize_named("response", (response as f64 + 98_765_432_109.0).abs());
    response != -98_765_432_109
}

/// Texts of up to twelve characters and a port.
pub fn routes() -> impl Domain<Value = (String, i32)> {
    (strings().max_len(12), ints(0..=65_535))
}

/// A route that is reserved: a name and a port.
pub fn route((name, port): &(String, i32), goal: &Goal) -> bool {
    let wanted = "release";
    let letters: f64 = name.bytes().zip(wanted.bytes()).map(|(a, b)| f64::from(a.abs_diff(b)).min(20.0)).sum();
    goal.minimize_named("name", letters + 20.0 * name.len().abs_diff(wanted.len()) as f64);
    goal.minimize_named("port", f64::from((port - 8443).abs()));
    !(name == wanted && *port == 8443)
}

/// A singular point: both coordinates within a millionth.
pub fn pole(&(x, y): &(f64, f64), goal: &Goal) -> bool {
    let (by_x, by_y) = ((x - std::f64::consts::PI).abs(), (y - std::f64::consts::E).abs());
    goal.minimize_named("x", by_x);
    goal.minimize_named("y", by_y);
    !(by_x < 1e-6 && by_y < 1e-6)
}

/// Two accounts with one sum and one difference: no account can be moved alone.
pub fn balance(&(left, right): &(i32, i32), goal: &Goal) -> bool {
    let (sum, difference) = (i64::from(left) + i64::from(right), i64::from(left) - i64::from(right));
    goal.minimize_named("sum", (sum - 1_000_003).abs() as f64);
    goal.minimize_named("difference", (difference - 777_777).abs() as f64);
    !(sum == 1_000_003 && difference == 777_777)
}
