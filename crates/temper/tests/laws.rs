//! Every domain of the crate keeps the laws, and no bytes make a replay panic.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use temper::choices::{FloatBounds, Width};
use temper::laws::{check_domain_laws, check_neighbourhood_laws};
use temper::prelude::*;
use temper::rng::Rng;

/// Draws, and neighbours of draws, of each domain.
const CASES: u64 = 100_000;

fn check<D: Domain>(name: &str, domain: D, contains: impl Fn(&D::Value) -> bool)
where
    D::Value: Debug,
{
    let kept =
        check_domain_laws(&domain, &contains, CASES).and_then(|()| check_neighbourhood_laws(&domain, &contains, CASES));
    if let Err(breach) = kept {
        panic!("{name}: {breach}");
    }
    replay_anything(&domain, &contains, CASES / 50);
}

/// Replays random nodes and damaged recordings: the draw must lie in the domain or reject, and never panic.
fn replay_anything<D: Domain>(domain: &D, contains: &impl Fn(&D::Value) -> bool, cases: u64)
where
    D::Value: Debug,
{
    let mut rng = Rng::new(17);
    let mut choices = Choices::random(3);
    for _ in 0..cases {
        let mut bytes = if rng.chance(0.5) {
            choices.start_random(rng.bits(), true);
            let _ = domain.draw(&mut choices);
            choices.recorded().to_bytes()
        } else {
            vec![1]
        };
        for _ in 0..rng.index(40) {
            let at = 1 + rng.index(bytes.len());
            let byte = if rng.chance(0.7) { rng.below(8) as u8 } else { rng.bits() as u8 };
            match rng.index(3) {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at.min(bytes.len()), byte),
            }
        }
        if let Ok(tree) = ChoiceTree::from_bytes(&bytes)
            && let Ok(value) = domain.draw(&mut Choices::replay(&tree))
        {
            assert!(contains(&value), "{value:?} from {bytes:?}");
        }
    }
}

#[test]
fn integers_keep_the_laws() {
    check("narrow", ints(1..=6), |v| (1..=6).contains(v));
    check("half-open", ints(-50..200i16), |v| (-50..200).contains(v));
    check("negative", ints(-1_000_000..=-7i64), |v| (-1_000_000..=-7).contains(v));
    check("uniform", ints(0..=1000u32).uniform(), |v| *v <= 1000);
    check("bytes", any::<u8>(), |_| true);
    check("all i64", any::<i64>(), |_| true);
    check("all u64", any::<u64>(), |_| true);
    check("large u64", ints(u64::MAX - 3..), |v| *v >= u64::MAX - 3);
    check("all i128", any::<i128>(), |_| true);
    check("wide", wide_ints(-5, 1 << 70), |v| (-5..=1 << 70).contains(v));
    check("wide negative", wide_ints(-(1 << 80), -(1 << 65)), |v| (-(1 << 80)..=-(1 << 65)).contains(v));
    check("bool", bools().p(0.1), |_| true);
}

#[test]
fn floats_keep_the_laws() {
    check("unit", floats(0.0..1.0), |v| (0.0..1.0).contains(v));
    check("uniform", floats(-2.0..=3.0).uniform(), |v| (-2.0..=3.0).contains(v));
    check("all doubles", any::<f64>(), |_| true);
    check("single", floats32(0.1..0.3), |v| (0.1..0.3).contains(v));
    let half = FloatBounds::new(Width::F16, -1.0, 100.0, true, false).unwrap();
    check("half", floats_within(half), |v| half.contains(*v));
}

#[test]
fn text_keeps_the_laws() {
    check("chars", chars(), |c| !c.is_control());
    check("unicode", unicode_chars(), |_| true);
    check("alphabet", chars_of("xyz"), |c| "xyz".contains(*c));
    check("strings", strings().max_len(12), |s| s.len() <= 12);
    check("any string", any::<String>(), |_| true);
}

#[test]
fn collections_keep_the_laws() {
    check("vecs", vecs(ints(0..=9)), |v| v.iter().all(|x| (0..=9).contains(x)));
    check("lengths", vecs(bools()).len(3..=5), |v| (3..=5).contains(&v.len()));
    check("nested", vecs(vecs(ints(0..=3)).max_len(4)).max_len(4), |v| v.len() <= 4);
    check("bytes", bytes().len(5..=5), |v| v.len() == 5);
    check("permutations", permutations(0..7), |v| (0..7).all(|x| v.contains(&x)) && v.len() == 7);
    check("bits", bits().min_len(2), |v| v.len() >= 2);
    check("arrays", arrays::<4, _>(ints(0..=9)), |v| v.iter().all(|x| (0..=9).contains(x)));
    check("sets", sets(ints(0..=20)).len(3..=8), |v: &BTreeSet<i32>| (3..=8).contains(&v.len()));
    check("maps", maps(ints(0..=50), bools()).max_len(6), |v: &BTreeMap<i32, bool>| v.len() <= 6);
    // Hash collections print in no fixed order, so the laws are checked on one item at most.
    check("hash sets", hash_sets(ints(0..=9)).max_len(1), |v: &HashSet<i32>| v.len() <= 1);
    check("hash maps", hash_maps(ints(0..=9), bools()).max_len(1), |v: &HashMap<i32, bool>| v.len() <= 1);
    check("options", options(ints(1..=3)), |v| v.is_none_or(|x| (1..=3).contains(&x)));
    check("tuples", (ints(0..=1), bools(), floats(0.0..=1.0)), |v| v.0 <= 1);
}

#[test]
fn combinators_keep_the_laws() {
    check("just", just(7), |v| *v == 7);
    check("select", select([2, 3, 5]), |v| [2, 3, 5].contains(v));
    let either = || [ints(0..=9).boxed(), ints(100..=109).boxed()];
    check("one_of", one_of(either()), |v| (0..=9).contains(v) || (100..=109).contains(v));
    let [low, high] = either();
    check("weighted", weighted([(1, low), (0, high)]), |v| (0..=109).contains(v));
    check("map", ints(0..=9).map(|v| v * 2), |v| v % 2 == 0 && *v <= 18);
    check("filter", ints(0..=99).filter(|v| v % 7 == 0), |v| v % 7 == 0);
    let edge = (ints(1..=42), ints(1..=42)).filter(|(a, b)| a < b);
    check("filtered pairs", vecs(edge).max_len(10), |v| v.iter().all(|(a, b)| a < b));
    let rows = ints(0..=8usize).and_then(|n| vecs(ints(0..=n)).len(n..=n));
    check("and_then", rows, |v| v.iter().all(|&x| x <= v.len()));
    let sorted = compose(|c| {
        let low = c.draw(&ints(0..=50))?;
        Ok((low, c.draw(&ints(low..=50))?))
    });
    check("compose", sorted, |(low, high)| low <= high);
    check("untargeted", untargeted(ints(0..=9)), |v| *v <= 9);
    let stepped = ints(0..=9).with_neighbours(|v, _, c| Ok((v + if c.flag(0.5) { 1 } else { 9 }) % 10));
    check("with_neighbours", stepped, |v| (0..=9).contains(v));
    check("first_next", first_next(|_| Ok(0i64), |v, _, c| Ok(v + c.draw(&ints(0..=3))?)), |v| *v >= 0);
}

#[derive(Clone, Debug, temper::Domain)]
#[expect(dead_code, reason = "the fields are only printed and drawn")]
struct Layer {
    #[domain(ints(1..=512))]
    units: u32,
    #[domain(floats(0.0..1.0))]
    dropout: f64,
    activation: Activation,
    tags: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq, temper::Domain)]
enum Activation {
    Linear,
    #[domain(weight = 3)]
    Relu,
    Leaky(#[domain(floats(0.0..=0.5))] f64),
}

#[derive(Clone, Debug, temper::Domain)]
#[expect(dead_code, reason = "the number is only printed")]
enum Expression {
    // Likely enough for trees to stay small: a call has 21 arguments on average.
    #[domain(weight = 30)]
    Number(i8),
    Negated(Box<Expression>),
    Sum {
        left: Box<Expression>,
        right: Box<Expression>,
    },
    Call(Vec<Expression>),
}

fn depth(expression: &Expression) -> usize {
    match expression {
        Expression::Number(_) => 0,
        Expression::Negated(inner) => 1 + depth(inner),
        Expression::Sum { left, right } => 1 + depth(left).max(depth(right)),
        Expression::Call(arguments) => 1 + arguments.iter().map(depth).max().unwrap_or(0),
    }
}

#[test]
fn derived_and_recursive_domains_keep_the_laws() {
    check("struct", any::<Layer>(), |v| (1..=512).contains(&v.units) && v.dropout < 1.0);
    check("enum", any::<Activation>(), |v| !matches!(v, Activation::Leaky(slope) if *slope > 0.5));
    check("recursive enum", any::<Expression>(), |v| depth(v) <= 6);
    let trees = recursive(3, ints(0..=9).map(|v| vec![v]), |inner| vecs(inner).max_len(3).map(|v| v.concat()));
    check("recursive", trees, |v| v.len() <= 27);
}

#[test]
fn variants_are_as_likely_as_their_weights() {
    let mut choices = Choices::random(1);
    let mut counts = [0; 3];
    for seed in 0..5000 {
        choices.start_random(seed, false);
        counts[match any::<Activation>().draw(&mut choices).unwrap() {
            Activation::Linear => 0,
            Activation::Relu => 1,
            Activation::Leaky(_) => 2,
        }] += 1;
    }
    // Binomial(5000, 3/5) has a standard deviation of 35.
    assert!((2750..3250).contains(&counts[1]), "{counts:?}");
}

#[test]
fn bulk_arrays_keep_the_laws() {
    check("small", bulk_ints(ints(0..=9), 12), |v| v.len() == 12);
    check("bulk ints", bulk_ints(ints(-3..=9), 100), |v| v.len() == 100 && v.iter().all(|x| (-3..=9).contains(x)));
    check("bulk floats", bulk_floats(floats32(0.0..1.0), 70), |v| v.iter().all(|x| (0.0..1.0).contains(x)));
}

#[test]
fn a_part_with_its_own_neighbours_moves_by_them_only() {
    let domain = ints(0..=1000).with_neighbours(|v, _, c| Ok(v + if c.flag(0.5) { 1 } else { -1 }));
    let mut choices = Choices::random(4);
    let near: BTreeSet<i32> = (0..100).map(|_| domain.neighbour(&500, 1.0, &mut choices).unwrap()).collect();
    assert_eq!(near, BTreeSet::from([499, 501]));
}

#[test]
fn values_are_encoded_where_domains_can() {
    let domain = vecs((ints(0..=9), options(bools()), strings().max_len(3))).max_len(5);
    let value = vec![(3, Some(true), "ab".to_owned()), (0, None, String::new())];
    let mut near = Choices::random(4);
    assert_eq!(domain.neighbour(&value, 0.0, &mut near), Ok(value.clone()));
    for _ in 0..200 {
        let neighbour = domain.neighbour(&value, 1.0, &mut near).unwrap();
        assert!(neighbour.len() <= 5 && neighbour.iter().all(|(n, _, s)| *n <= 9 && s.len() <= 3));
    }
    assert!(ints(0..=9).map(|v| v + 1).neighbour(&3, 1.0, &mut near).is_err());
    assert!(ints(0..=9).neighbour(&30, 1.0, &mut near).is_err(), "a value outside the domain has no answers");
}
