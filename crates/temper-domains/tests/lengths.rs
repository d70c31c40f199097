//! Lists, texts, dictionaries, shapes and frames have the lengths that the guide promises.

use temper::Choices;
use temper_domains::{Plan, Program, Value, ValueBuilder};

const DRAWS: u64 = 20_000;

fn len(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.chars().count(),
        Value::List(items) | Value::Tuple(items) => items.len(),
        Value::Dict(pairs) => pairs.len(),
        other => panic!("{other} has no length"),
    }
}

/// How many of the draws have each length from 0 to `max`.
fn lengths(domain: &str, max: usize) -> Vec<usize> {
    let function = format!(r#"{{"name":"f","arguments":[{{"name":"x","domain":{domain}}}]}}"#);
    let program = Program { plans: vec![Plan::from_json(&function).unwrap_or_else(|error| panic!("{error}"))] };
    let mut counts = vec![0; max + 1];
    for seed in 0..DRAWS {
        let mut builder = ValueBuilder::default();
        program.draw(&mut Choices::random(seed), &mut builder).expect("nothing is rejected");
        counts[len(&builder.values[0])] += 1;
    }
    counts
}

/// Binomial counts lie within six standard deviations of their mean: the chance of one beyond is 2e-9.
fn is_near(count: usize, chance: f64) -> bool {
    let mean = DRAWS as f64 * chance;
    (count as f64 - mean).abs() <= 6.0 * (mean * (1.0 - chance)).sqrt()
}

#[test]
fn long_lists_texts_and_dictionaries_are_drawn_as_often_as_the_guide_says() {
    let ints = r#"{"kind":"ints","min":{"int":0},"max":{"int":1000000000}}"#;
    let ends = r#""min_len":{"int":0},"max_len":{"int":100}"#;
    let domains = [
        format!(r#"{{"kind":"lists","element":{ints},{ends}}}"#),
        format!(r#"{{"kind":"texts",{ends}}}"#),
        format!(r#"{{"kind":"dicts","keys":{ints},"values":{ints},"min_size":0,"max_size":100}}"#),
    ];
    for domain in domains {
        let counts = lengths(&domain, 100);
        let (full, tail) = (1.0 / 32.0, 1.0 / 16.0);
        // A length of the tail is 100 in one of about 60 draws from it.
        let ends = (42.0 / 100.0 - 42.0 / 101.0) / (1.0 - 42.0 / 101.0);
        assert!(is_near(counts[100], full + tail * ends), "{domain}: {} of the greatest length", counts[100]);
        let usual = (1.0 - full - tail) / 43.0;
        assert!((0..=41).all(|len| is_near(counts[len], usual)), "{domain}: {counts:?}");
        let longer: usize = counts[43..].iter().sum();
        assert!(is_near(longer, full + tail * 0.96) || is_near(longer, full + tail), "{domain}: {longer} longer");
    }
}

#[test]
fn short_lists_and_dimensions_have_all_lengths_equally_often() {
    let lists = r#"{"kind":"lists","element":{"kind":"bools"},"min_len":{"int":0},"max_len":{"int":7}}"#;
    let shapes = r#"{"kind":"np_shapes","min_dims":0,"max_dims":7,"min_side":{"int":1},"max_side":{"int":1}}"#;
    for domain in [lists, shapes] {
        assert!(lengths(domain, 7).iter().all(|&count| is_near(count, 1.0 / 8.0)), "{domain}");
    }
}
