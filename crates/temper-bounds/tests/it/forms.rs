//! Every form of assertion: what the probes record equals what plain pytest records in a copy instrumented by hand.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use temper_bounds::Seeds;
use temper_bounds::plan::probe::probe;
use temper_bounds::sample::run_record::{RunEnd, RunRecord, SiteRun, role_name};
use temper_source::{Analysis, Site, SourceFile, analyse};
use temper_worker::{Edit, Flow, LayerSpec, Limits, Memory, Piece, Subjects, Task, Work};

use crate::support::{Project, python};

/// Name of a site, role of a bound.
type Key = (String, String);
/// Number needed, bound in force, whether it passed.
type Found = (f64, f64, bool);
type Rows = BTreeMap<Key, Found>;

fn by_hand(project: &Project) -> Rows {
    let out = project.root().join("by_hand.json");
    let status = Command::new(python())
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "hand"])
        .current_dir(project.root())
        .env("BY_HAND", &out)
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    let text = std::fs::read_to_string(out).unwrap().replace("NaN", "null").replace("Infinity", "1e999");
    let rows: Vec<(String, String, Option<f64>, f64, bool)> =
        serde_json::from_str(&text.replace("1e999", "null")).unwrap();
    let number = |name: &str, value: Option<f64>| match name {
        "infinity" => f64::INFINITY,
        _ => value.unwrap_or(f64::NAN),
    };
    rows.into_iter()
        .map(|(name, role, value, bound, passed)| ((name.clone(), role), (number(&name, value), bound, passed)))
        .collect()
}

/// The names that the comment behind an assertion gives to its sites, in order.
fn names(file: &SourceFile, site: &Site) -> Vec<String> {
    let end = file.position(site.assertion.end).line;
    let comment = file.line_text(end).rsplit("# ").next().unwrap_or_default().to_owned();
    comment.split(' ').map(str::to_owned).collect()
}

fn name_of(file: &SourceFile, analysis: &Analysis, number: usize) -> String {
    let site = &analysis.sites[number];
    let before = analysis.sites[..number].iter().filter(|other| other.assertion == site.assertion).count();
    names(file, site)[before].clone()
}

fn rows_of(name: &str, run: &SiteRun) -> Vec<(Key, Found)> {
    let passed = run.failed == 0;
    assert_eq!(run.unreadable, 0, "{name}: {}", run.reason);
    let mut rows: Vec<_> = run
        .needed
        .iter()
        .map(|needed| ((name.to_owned(), role_name(needed.role).to_owned()), (needed.number, needed.bound, passed)))
        .collect();
    if run.nan + run.infinite > 0 {
        let number = if run.nan > 0 { f64::NAN } else { f64::INFINITY };
        rows.push(((name.to_owned(), "value".to_owned()), (number, 0.5, passed)));
    }
    rows
}

#[test]
fn every_form_records_what_a_copy_instrumented_by_hand_records() {
    let project = Project::fixture("bounds_forms").with_plugins();
    let path = project.root().join("test_forms.py");
    let file = SourceFile::from_bytes(&path, std::fs::read(&path).unwrap()).unwrap();
    let analysis = analyse(&file).unwrap();
    assert_eq!(analysis.not_understood, []);
    let probed = probe(&file, &analysis, 0, Seeds::Keep).unwrap();
    assert_eq!(probed.left_out, []);

    let arguments = vec!["test_forms.py".to_owned(), "-p".to_owned(), "no:randomly".to_owned()];
    let mut spec = LayerSpec::new(project.root(), Subjects::Tests(arguments));
    spec.edits = vec![Edit { path, source: probed.source }];
    let spec = Arc::new(spec);
    let mut driver = project.driver();
    let loaded = driver.warm(&spec).unwrap().unwrap();
    assert_eq!(loaded.unapplied, Vec::<std::path::PathBuf>::new());
    let work = |node: &String| Work::Test { node: node.clone(), memory: Memory::AsFound };
    let piece = |node: &String| Piece::new(work(node), 1, Limits::default());
    let nodes: Vec<String> = loaded.items.into_iter().map(|item| item.node).collect();
    let task = Task { layer: Arc::clone(&spec), pieces: nodes.iter().map(piece).collect() };

    let mut recorded = Rows::new();
    let on_report = |report: temper_worker::Report| {
        let run = RunRecord::from_report(&report);
        assert_eq!(
            run.end,
            RunEnd::Passed,
            "{}: {}",
            nodes[report.piece],
            String::from_utf8_lossy(&report.output.bytes)
        );
        for (number, site) in &run.sites {
            let mut name = name_of(&file, &analysis, usize::try_from(*number).unwrap());
            if name == "parametrised" {
                let set = nodes[report.piece].split_once('[').unwrap().1;
                name = format!("{name}[{set}");
            }
            recorded.extend(rows_of(&name, site));
        }
        Flow::Continue
    };
    driver.run([task], on_report).unwrap();

    let mut expected = by_hand(&project);
    // An infinity on the side where it passes is as far inside as can be: it gives no number.
    let infinite = expected.remove(&("infinity".to_owned(), "value".to_owned()));
    assert!(infinite.is_some_and(|(number, _, passed)| number == f64::INFINITY && passed));
    let missing: Vec<_> = expected.keys().filter(|key| !recorded.contains_key(*key)).collect();
    let extra: Vec<_> = recorded.keys().filter(|key| !expected.contains_key(*key)).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:?}, not expected {extra:?}");
    for (key, (number, bound, passed)) in &expected {
        let (found_number, found_bound, found_passed) = recorded[key];
        assert_eq!(found_passed, *passed, "{key:?}");
        // Two orders of the same few operations differ by roundings of the operands, which are below 1001.
        let is_close = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() < 1e-12 + 1e-9 * b.abs();
        assert!(is_close(found_number, *number), "{key:?}: {found_number} is not {number}");
        assert!(is_close(found_bound, *bound), "{key:?}: {found_bound} is not {bound}");
    }
}
