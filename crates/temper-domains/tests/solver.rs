//! What the solver promises: every draw keeps the annotations and the preconditions it understands, nothing that is
//! allowed is lost, and a record gives its draw again.

use temper::Choices;
use temper_domains::{BuildError, Plan, Program, Value, ValueBuilder};

fn program(function: &str) -> Program {
    Program { plans: vec![Plan::from_json(function).unwrap_or_else(|error| panic!("{error}: {function}"))] }
}

fn draw(program: &Program, choices: &mut Choices) -> Result<Vec<Value>, BuildError> {
    let mut builder = ValueBuilder::default();
    program.draw(choices, &mut builder)?;
    Ok(builder.values)
}

fn draws(program: &Program, count: u64) -> Vec<Vec<Value>> {
    (0..count).map(|seed| draw(program, &mut Choices::random(seed)).expect("nothing is rejected")).collect()
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other} is no whole number"),
    }
}

fn shape(value: &Value) -> Vec<usize> {
    match value {
        Value::Array { shape, .. } => shape.clone(),
        other => panic!("{other} is no array"),
    }
}

fn ints(name: &str, min: &str, max: &str) -> String {
    let end = |text: &str| match text.parse::<i64>() {
        Ok(number) => format!(r#"{{"int":{number}}}"#),
        Err(_) => format!(r#"{{"value":{{"name":"{text}"}}}}"#),
    };
    format!(r#"{{"name":"{name}","domain":{{"kind":"ints","min":{},"max":{}}}}}"#, end(min), end(max))
}

fn function(arguments: &[String], conditions: &[&str]) -> String {
    let conditions: Vec<String> =
        conditions.iter().map(|condition| format!(r#"{{"text":"t","line":7,"condition":{condition}}}"#)).collect();
    format!(r#"{{"name":"f","arguments":[{}],"preconditions":[{}]}}"#, arguments.join(","), conditions.join(","))
}

fn array(name: &str, dims: &str) -> String {
    format!(r#"{{"name":"{name}","domain":{{"kind":"np_arrays","dtype":"float32","shape":{{"dims":[{dims}]}}}}}}"#)
}

fn named(name: &str) -> String {
    format!(r#"{{"named":{{"name":"{name}"}}}}"#)
}

fn value(name: &str) -> String {
    format!(r#"{{"value":{{"name":"{name}"}}}}"#)
}

#[test]
fn a_bound_that_names_another_argument_is_kept_and_both_ends_are_reached() {
    let program = program(&function(&[ints("k", "1", "n"), ints("n", "0", "9")], &[]));
    let mut equal = 0;
    for values in draws(&program, 2000) {
        let (k, n) = (int(&values[0]), int(&values[1]));
        assert!((1..=n).contains(&k) && n <= 9, "{k} {n}");
        equal += u32::from(k == n);
    }
    assert!(equal > 0);
}

#[test]
fn shared_shape_variables_agree_without_a_rejected_draw() {
    let (n, k, m) = (named("n"), named("k"), named("m"));
    let program =
        program(&function(&[array("x", &format!("{n},{k}")), array("w", &format!("{k},{m}")), array("b", &m)], &[]));
    let mut shapes = std::collections::HashSet::new();
    for values in draws(&program, 1000) {
        let (x, w, b) = (shape(&values[0]), shape(&values[1]), shape(&values[2]));
        assert!(x[1] == w[0] && w[1] == b[0], "{x:?} {w:?} {b:?}");
        shapes.insert((x[0], x[1], w[1]));
    }
    // 512 triples are possible; 1000 draws meet far more than half of them.
    assert!(shapes.len() > 300, "{}", shapes.len());
}

#[test]
fn comparisons_between_whole_numbers_are_built() {
    for (condition, holds) in [
        (format!(r#"{{"compare":["le",{},{}]}}"#, value("a"), value("b")), (|a, b| a <= b) as fn(i64, i64) -> bool),
        (format!(r#"{{"compare":["lt",{},{}]}}"#, value("a"), value("b")), |a, b| a < b),
        (format!(r#"{{"compare":["eq",{},{}]}}"#, value("a"), value("b")), |a, b| a == b),
        (format!(r#"{{"compare":["ne",{},{}]}}"#, value("a"), value("b")), |a, b| a != b),
        (format!(r#"{{"compare":["eq",{{"mod":[{},{{"int":3}}]}},{{"int":1}}]}}"#, value("a")), |a, _| a % 3 == 1),
        (
            format!(
                r#"{{"compare":["le",{{"mul":[{{"int":2}},{}]}},{{"div":[{},{{"int":2}}]}}]}}"#,
                value("a"),
                value("b")
            ),
            |a, b| 2 * a <= b / 2,
        ),
    ] {
        let program = program(&function(&[ints("a", "0", "12"), ints("b", "0", "12")], &[&condition]));
        let found: std::collections::HashSet<(i64, i64)> =
            draws(&program, 6000).iter().map(|values| (int(&values[0]), int(&values[1]))).collect();
        let all: std::collections::HashSet<(i64, i64)> =
            (0..=12).flat_map(|a| (0..=12).map(move |b| (a, b))).filter(|&(a, b)| holds(a, b)).collect();
        // Every pair that the condition allows is drawn, and no other.
        assert_eq!(found, all, "{condition}");
    }
}

#[test]
fn the_length_of_a_list_follows_an_argument_only_when_the_alternative_is_a_list() {
    let layers = r#"{"name":"layers","domain":{"kind":"anys","options":[
        {"kind":"constant","index":0,"text":"-1","type":"int","int":-1},
        {"kind":"lists","element":{"kind":"ints","min":{"int":2},"max":{"int":5}},"min_len":{"int":2},"max_len":{"int":5}}]}}"#;
    let condition = format!(
        r#"{{"or":[{{"type":{{"path":{{"name":"layers"}},"names":["list"],"negated":true}}}},
           {{"compare":["eq",{{"len":{{"name":"layers"}}}},{}]}}]}}"#,
        value("blocks")
    );
    // No list has one or six elements, so with those only the constant is left.
    let program = program(&function(&[ints("blocks", "1", "6"), layers.to_owned()], &[&condition]));
    let (mut lists, mut constants) = (0, 0);
    for values in draws(&program, 2000) {
        match &values[1] {
            Value::List(items) => {
                assert_eq!(items.len() as i64, int(&values[0]));
                lists += 1;
            }
            Value::Source(text) => {
                assert_eq!(text, "-1");
                constants += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert!(lists > 500 && constants > 500, "{lists} {constants}");
}

#[test]
fn floats_that_are_compared_are_drawn_in_order() {
    let floats = |name| {
        format!(
            r#"{{"name":"{name}","domain":{{"kind":"floats","min":{{"float":0.0}},"max":{{"float":1.0}},"width":64}}}}"#
        )
    };
    let condition = format!(r#"{{"compare":["lt",{},{}]}}"#, value("lo"), value("hi"));
    let program = program(&function(&[floats("lo"), floats("hi")], &[&condition]));
    for values in draws(&program, 2000) {
        let (Value::Float(lo), Value::Float(hi)) = (&values[0], &values[1]) else { panic!("{values:?}") };
        assert!(lo < hi && *lo >= 0.0 && *hi <= 1.0, "{lo} {hi}");
    }
}

#[test]
fn leading_dimensions_are_the_same_wherever_their_name_stands() {
    let rest = r#"{"rest":"batch"}"#;
    let program = program(&function(
        &[array("x", &format!("{rest},{}", named("n"))), array("mask", rest), array("w", &named("n"))],
        &[],
    ));
    let mut ranks = std::collections::HashSet::new();
    for values in draws(&program, 500) {
        let (x, mask, w) = (shape(&values[0]), shape(&values[1]), shape(&values[2]));
        assert_eq!(x[..x.len() - 1], mask[..]);
        assert_eq!(x[x.len() - 1], w[0]);
        ranks.insert(mask.len());
    }
    assert_eq!(ranks.len(), 3);
}

#[test]
fn a_record_gives_its_draw_again() {
    let program = program(&function(&[ints("k", "1", "n"), ints("n", "0", "1000"), array("x", &named("k"))], &[]));
    for seed in 0..300 {
        let mut choices = Choices::random(seed);
        let first = draw(&program, &mut choices).unwrap();
        let again = draw(&program, &mut Choices::replay(&choices.recorded())).unwrap();
        assert_eq!(first, again);
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let with_line = |json: String| json.replacen(r#","domain""#, r#","line":12,"domain""#, 1);
    for (function, expected) in [
        (
            function(&[with_line(ints("a", "1", "b"))], &[]),
            "annotation `@arg(a)` names `b`, which is no argument and no shape variable of `f`",
        ),
        (function(&[with_line(ints("a", "5", "3"))], &[]), "annotation `@arg(a)` allows no value"),
        (
            function(&[with_line(ints("a", "0", "b")), ints("b", "0", "a")], &[]),
            "the annotations of `a`, `b` depend on each other in a circle",
        ),
        (
            function(&[with_line(ints("a", "10", "b")), ints("b", "0", "9")], &[]),
            "annotation `@arg(a)` allows no value",
        ),
    ] {
        let error = Plan::from_json(&function).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.line(), 12, "{error}");
        assert!(!error.hint().is_empty());
    }
    let never = format!(r#"{{"compare":["lt",{},{{"int":0}}]}}"#, value("a"));
    let error = Plan::from_json(&function(&[ints("a", "0", "9")], &[&never])).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.line()), ("no input of `f` can meet `@require(t)`", 7));
}

#[test]
fn a_dead_end_of_the_solver_is_a_rejection_and_not_a_wrong_value() {
    // 6a == 10b + 15c is not a difference constraint; what is drawn still satisfies it.
    let product = |factor: i64, name: &str| format!(r#"{{"mul":[{{"int":{factor}}},{}]}}"#, value(name));
    let sum = format!(r#"{{"add":[{},{}]}}"#, product(10, "b"), product(15, "c"));
    let condition = format!(r#"{{"compare":["eq",{},{sum}]}}"#, product(6, "a"));
    let program =
        program(&function(&[ints("a", "0", "100"), ints("b", "0", "100"), ints("c", "0", "100")], &[&condition]));
    let mut found = 0;
    for seed in 0..2000 {
        match draw(&program, &mut Choices::random(seed)) {
            Ok(values) => {
                assert_eq!(6 * int(&values[0]), 10 * int(&values[1]) + 15 * int(&values[2]));
                found += 1;
            }
            Err(error) => assert_eq!(error, BuildError::Rejected),
        }
    }
    assert!(found > 50, "{found}");
}
