//! The laws that every domain keeps, as checkers to run on your own domains. They report the first breach in words.
//!
//! A domain: draws lie in it, one seed gives one value, replaying a recording gives the same value and the same recording,
//! and a recording survives its byte form. A neighbourhood: neighbours lie in the domain, temperature 0 changes nothing,
//! and shrinking ends in the domain, within its budget, at something no larger.

use crate::choices::{ChoiceTree, Choices};
use crate::domain::Domain;
use crate::neighbour::choices_near;
use crate::rng::Rng;
use crate::shrink::shrink;
use std::fmt::Debug;

/// A law that a domain broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{law}: seed {seed}, {fact}")]
pub struct Breach {
    /// The law.
    pub law: &'static str,
    /// The seed of the draw that broke it.
    pub seed: u64,
    /// What was seen.
    pub fact: String,
}

fn breach(law: &'static str, seed: u64, fact: impl Debug) -> Breach {
    Breach { law, seed, fact: format!("{fact:?}") }
}

/// Checks the laws of domains on `cases` draws. `contains` says whether a value is in the domain; values are compared
/// by their debug text, so that NaN equals itself.
///
/// ```
/// use temper::prelude::*;
/// use temper::laws::check_domain_laws;
/// assert_eq!(check_domain_laws(&ints(1..=6), |v| (1..=6).contains(v), 1000), Ok(()));
/// ```
///
/// # Errors
/// The first breach found.
pub fn check_domain_laws<D: Domain>(domain: &D, contains: impl Fn(&D::Value) -> bool, cases: u64) -> Result<(), Breach>
where
    D::Value: Debug,
{
    let mut choices = Choices::random(0);
    for seed in 0..cases {
        choices.start_random(seed, true);
        let Ok(value) = domain.draw(&mut choices) else { continue };
        if !contains(&value) {
            return Err(breach("a draw lies in its domain", seed, value));
        }
        // The laws below cost several draws each, and hold or fail for whole domains rather than for single values.
        if seed % 16 == 0 {
            check_replay(domain, seed, &value, &choices.recorded())?;
        }
    }
    Ok(())
}

fn check_replay<D: Domain>(domain: &D, seed: u64, value: &D::Value, tree: &ChoiceTree) -> Result<(), Breach>
where
    D::Value: Debug,
{
    let shown = format!("{value:?}");
    let again = domain.draw(&mut Choices::random(seed));
    if again.as_ref().map(|v| format!("{v:?}")) != Ok(shown.clone()) {
        return Err(breach("one seed gives one value", seed, (value, again)));
    }
    let mut unrecorded = Choices::random(0);
    unrecorded.start_random(seed, false);
    let unrecorded = domain.draw(&mut unrecorded);
    if unrecorded.as_ref().map(|v| format!("{v:?}")) != Ok(shown.clone()) {
        return Err(breach("recording does not change the value", seed, (value, unrecorded)));
    }
    let bytes = ChoiceTree::from_bytes(&tree.to_bytes());
    if bytes.as_ref() != Ok(tree) {
        return Err(breach("a recording survives its byte form", seed, bytes));
    }
    let mut replay = Choices::replay(tree);
    let replayed = domain.draw(&mut replay);
    if replayed.as_ref().map(|v| format!("{v:?}")) != Ok(shown) {
        return Err(breach("a replay gives the recorded value", seed, (value, replayed)));
    }
    if replay.recorded() != *tree {
        return Err(breach("a replay records what it replays", seed, value));
    }
    Ok(())
}

/// Checks the laws of neighbourhoods and of shrinking on `cases` draws; see [`check_domain_laws`].
///
/// # Errors
/// The first breach found.
pub fn check_neighbourhood_laws<D: Domain>(
    domain: &D,
    contains: impl Fn(&D::Value) -> bool,
    cases: u64,
) -> Result<(), Breach>
where
    D::Value: Debug,
{
    let mut choices = Choices::random(0);
    let mut rng = Rng::new(1);
    for seed in 0..cases {
        choices.start_random(seed, true);
        let Ok(value) = domain.draw(&mut choices) else { continue };
        let tree = choices.recorded();
        let mut near = choices_near(&tree.nodes, rng.unit(), seed, choices.size());
        if let Ok(neighbour) = domain.draw(&mut near)
            && !contains(&neighbour)
        {
            return Err(breach("a neighbour lies in the domain", seed, (value, neighbour)));
        }
        if seed % 16 == 0 {
            let mut same = choices_near(&tree.nodes, 0.0, seed, choices.size());
            let unchanged = domain.draw(&mut same);
            if unchanged.as_ref().map(|v| format!("{v:?}")) != Ok(format!("{value:?}")) {
                return Err(breach("temperature 0 changes nothing", seed, (value, unchanged)));
            }
        }
        if seed % 256 == 0 {
            check_shrinking(domain, &contains, seed, &tree)?;
        }
    }
    Ok(())
}

/// Shrinks with a property that fails for about half of the values, decided by their text.
fn check_shrinking<D: Domain>(
    domain: &D,
    contains: &impl Fn(&D::Value) -> bool,
    seed: u64,
    tree: &ChoiceTree,
) -> Result<(), Breach>
where
    D::Value: Debug,
{
    const BUDGET: usize = 200;
    let mut tests = 0;
    let mut outside = None;
    let (smallest, _) = shrink(tree.clone(), BUDGET, &mut |choices| {
        tests += 1;
        let Ok(value) = domain.draw(choices) else { return false };
        if !contains(&value) {
            outside = Some(format!("{value:?}"));
        }
        format!("{value:?}").len() % 2 == 0
    });
    if let Some(value) = outside {
        return Err(breach("shrinking stays in the domain", seed, value));
    }
    if tests > BUDGET {
        return Err(breach("shrinking ends within its budget", seed, tests));
    }
    if smallest.nodes.len() > tree.nodes.len() {
        return Err(breach("shrinking never grows", seed, (tree, smallest)));
    }
    Ok(())
}
