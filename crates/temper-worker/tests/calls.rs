//! Functions called many times in one process, modules imported, and the exactness of what crosses the pipe.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use support::*;
use temper_worker::*;

fn calls(module: &str, function: &str, calls: Vec<Call>) -> Piece {
    let work = Work::Calls { module: module.to_owned(), function: function.to_owned(), calls };
    Piece::new(work, 0, limits())
}

fn call(arguments: Vec<Value>) -> Call {
    Call { arguments, keywords: vec![], seed: 0 }
}

#[test]
fn every_value_goes_there_and_back_exactly() {
    let project = Project::new("functions");
    let layer = Arc::new(project.modules(&["functions"], Policy::scratch_only()));
    let mut driver = project.driver(1);
    let values = vec![
        Value::None,
        Value::Bool(false),
        Value::Int(i64::MIN),
        Value::BigInt("-8000000000000001".to_owned()),
        Value::BigInt("f".repeat(5000)),
        Value::Float(-0.0),
        Value::Float(f64::INFINITY),
        Value::Float(f64::NEG_INFINITY),
        Value::Float(5e-324),
        Value::Float(f64::MAX),
        Value::Float(0.1 + 0.2),
        Value::Complex(-0.0, 5e-324),
        Value::from(""),
        Value::from("line\nzero\0 \u{10FFFF}"),
        Value::Surrogates(vec![b'a', 0xED, 0xA0, 0x80, 0xED, 0xB3, 0xBF]),
        Value::Bytes((0..=255).collect()),
        Value::List(vec![Value::List(vec![]), Value::Map(vec![(Value::Int(1), Value::from("one"))])]),
        Value::Array { dtype: "<f4".to_owned(), shape: vec![2, 3], data: (0..24).collect() },
        Value::Array { dtype: "|b1".to_owned(), shape: vec![0, 3], data: vec![] },
    ];
    let piece = calls("functions", "same", values.iter().map(|value| call(vec![value.clone()])).collect());
    let report = run_one(&mut driver, &layer, piece);
    assert_eq!(report.outcome, Outcome::Called);
    let back: Vec<_> = values.into_iter().map(CallResult::Returned).collect();
    // As text, since the text of a float is exact and tells zero from minus zero.
    assert_eq!(format!("{:?}", report.calls), format!("{back:?}"));

    let nan = run_one(&mut driver, &layer, calls("functions", "same", vec![call(vec![Value::Float(-f64::NAN)])]));
    let [CallResult::Returned(Value::Float(nan))] = nan.calls[..] else { panic!("{:?}", nan.calls) };
    assert_eq!(nan.to_bits(), 0x7ff8_0000_0000_0000);
}

#[test]
fn values_of_libraries_are_recorded_as_what_they_hold() {
    let project = Project::new("functions");
    let layer = Arc::new(project.modules(&["functions"], Policy::scratch_only()));
    let report =
        run_one(&mut project.driver(1), &layer, calls("functions", "probe_library_values", vec![call(vec![])]));
    assert_eq!(report.outcome, Outcome::Called, "{:?}", report.calls);
    let expected = [
        Value::Float(f64::from(0.1f32)),
        Value::Int(7),
        Value::Bool(true),
        Value::Float(2.5),
        Value::Int(3),
        Value::from("text"),
        Value::Array { dtype: "<i2".to_owned(), shape: vec![2], data: vec![1, 0, 2, 0] },
        Value::List(vec![Value::Float(1.5), Value::None]),
    ];
    let seen: Vec<_> = values(&report).into_iter().map(|(_, value)| value).collect();
    assert_eq!(seen[..8], expected);
    let opaque: Vec<_> = seen[8..]
        .iter()
        .map(|value| if let Value::Opaque { type_name, .. } = value { type_name } else { "?" })
        .collect();
    assert_eq!(opaque, ["object", "Unreadable"]);
}

#[test]
fn a_probe_in_a_hot_loop_is_cut_off_and_counted() {
    let project = Project::new("functions");
    let layer = Arc::new(project.modules(&["functions"], Policy::scratch_only()));
    let report = run_one(
        &mut project.driver(1),
        &layer,
        calls("functions", "probe_often", vec![call(vec![Value::Int(800_000)])]),
    );
    assert_eq!(report.probes.len() as u64 + report.dropped_probes, 800_000);
    assert!(report.dropped_probes > 0);
}

#[test]
fn exceptions_are_described_and_the_calls_go_on() {
    let project = Project::new("functions");
    let layer = Arc::new(project.modules(&["functions"], Policy::scratch_only()));
    let piece =
        calls("functions", "Divider.divide", [4, 0, 8].map(|by| call(vec![Value::Int(8), Value::Int(by)])).to_vec());
    let report = run_one(&mut project.driver(1), &layer, piece);
    assert_eq!(report.calls[0], CallResult::Returned(Value::Float(2.0)));
    let CallResult::Raised(error) = &report.calls[1] else { panic!("{:?}", report.calls) };
    assert_eq!(error.type_name, "ZeroDivisionError");
    assert_eq!(error.frames.last().unwrap().2, "divide");
    assert_eq!(report.calls[2], CallResult::Returned(Value::Float(1.0)));
}

#[test]
fn each_call_starts_from_its_own_seed() {
    let project = Project::new("functions");
    let layer = Arc::new(project.modules(&["functions"], Policy::scratch_only()));
    let seeded = [5, 6, 5].map(|seed| Call { seed, ..call(vec![]) });
    let report = run_one(&mut project.driver(1), &layer, calls("functions", "draw", seeded.to_vec()));
    assert_eq!(report.calls[0], report.calls[2]);
    assert_ne!(report.calls[0], report.calls[1]);
}

#[test]
fn a_killed_process_loses_only_the_call_it_was_in() {
    let project = Project::new("functions");
    let layer = Arc::new(project.modules(&["functions"], Policy::scratch_only()));
    let piece = calls("functions", "exit_at", (0..10).map(|at| call(vec![Value::Int(at)])).collect());
    let report = run_one(&mut project.driver(1), &layer, piece);
    assert_eq!(report.outcome, Outcome::Ended(End::Exited(3)));
    assert_eq!(report.calls, (0..4).map(|at| CallResult::Returned(Value::Int(at))).collect::<Vec<_>>());
}

#[test]
fn imports_succeed_or_raise() {
    let project = Project::new("functions");
    let layer = Arc::new(project.modules(&[], Policy::scratch_only()));
    let mut driver = project.driver(1);
    let import = |module: &str| Piece::new(Work::Import { module: module.to_owned() }, 0, limits());
    let report = run_one(&mut driver, &layer, import("functions"));
    assert_eq!(report.outcome, Outcome::Imported);
    assert_eq!(report.late_files, [project.root().join("functions.py")]);
    let Outcome::Raised(error) = run_one(&mut driver, &layer, import("broken")).outcome else { panic!() };
    assert_eq!((&*error.type_name, &*error.message), ("ModuleNotFoundError", "No module named 'no_such_module'"));
}
