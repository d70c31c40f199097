//! Verdicts on pairs of models that `pairs.py` has made: a planted defect, a healthy twin, on rows that neither has seen.
//!
//! A case is three files: `NAME.csv` with unseen rows and their label, `NAME.further.csv` with further rows, and `NAME.answers`
//! with one line a row, unseen rows first: the classes of the new model and of its reference (`-` for none).

use std::fs;
use std::path::Path;

use temper_model::challenger::{challenge_rows, cross_fit};
use temper_model::regions::judge_rows::{PairedRows, RowJudgement, RowOptions, judge_rows};
use temper_model::regions::region::Region;
use temper_model::{Dataset, ModelError, read_csv, read_csv_like};

use crate::clock::timed_ms;

/// Prints a line of tabs for each case of the folder: name, alarm, CPU seconds, whether the alarm is true on further rows, rows of the worst
/// region, its condition.
pub fn print_verdicts(folder: &Path) {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".answers").map(str::to_owned))
        .collect();
    names.sort();
    for name in names {
        match verdict(folder, &name) {
            Ok(line) => println!("{name}\t{line}"),
            Err(error) => println!("{name}\terror {error}"),
        }
    }
}

/// A case as read.
struct Case {
    unseen: Dataset,
    further: Dataset,
    new: Vec<usize>,
    reference: Option<Vec<usize>>,
}

fn read(folder: &Path, name: &str) -> Result<Case, ModelError> {
    let text = |end: &str| fs::read_to_string(folder.join(format!("{name}{end}"))).unwrap_or_default();
    let unseen = read_csv(text(".csv").as_bytes(), name, "label")?;
    let further = read_csv_like(text(".further.csv").as_bytes(), name, &unseen)?;
    let (mut new, mut reference) = (Vec::new(), Vec::new());
    for line in text(".answers").lines() {
        let (first, second) = line.split_once(' ').unwrap_or((line, "-"));
        new.push(first.parse().unwrap_or(0));
        reference.extend(second.parse::<usize>().ok());
    }
    let reference = Some(reference).filter(|found| found.len() == new.len());
    Ok(Case { unseen, further, new, reference })
}

fn verdict(folder: &Path, name: &str) -> Result<String, ModelError> {
    let case = read(folder, name)?;
    let unseen = case.unseen.rows();
    let wrong = |data: &Dataset, answers: &[usize]| -> Vec<bool> {
        answers.iter().zip(&data.labels).map(|(answer, label)| answer != label).collect()
    };
    let own_wrong = wrong(&case.unseen, &case.new[..unseen]);
    let (judged, milliseconds) = timed_ms(|| -> Result<_, ModelError> {
        let (kind, reference_wrong, margin) = match &case.reference {
            Some(reference) => (None, wrong(&case.unseen, &reference[..unseen]), RowOptions::AGAINST_MARGIN),
            None => {
                let challenger = cross_fit(&case.unseen, None, 0)?;
                let reference_wrong = wrong(&case.unseen, &challenger.predicted);
                (Some(challenger.kind), reference_wrong, RowOptions::CHALLENGER_MARGIN)
            }
        };
        let rows = PairedRows {
            features: &case.unseen.features,
            schema: &case.unseen.schema,
            wrong: &own_wrong,
            reference_wrong: &reference_wrong,
        };
        Ok((kind, judge_rows(&rows, &RowOptions::new(margin, 0))))
    });
    let (kind, found) = judged?;
    let further_answers = match (&case.reference, kind) {
        (Some(reference), _) => reference[unseen..].to_vec(),
        (None, kind) => kind.and_then(|kind| challenge_rows(kind, &case.unseen, &case.further, 0)).unwrap_or_default(),
    };
    let further_wrong = wrong(&case.further, &further_answers);
    let own_further = wrong(&case.further, &case.new[unseen..]);
    let further = PairedRows {
        features: &case.further.features,
        schema: &case.further.schema,
        wrong: &own_further,
        reference_wrong: &further_wrong,
    };
    let is_true = |region: &Region| {
        let counts = further.count(region, 0..own_further.len());
        counts.worse > counts.better
    };
    Ok(line(&found, &case, is_true, milliseconds / 1e3))
}

fn line(found: &RowJudgement, case: &Case, is_true: impl Fn(&Region) -> bool, seconds: f64) -> String {
    let mut truths: Vec<bool> = found.regions.iter().map(|test| is_true(&test.counts.region)).collect();
    if found.is_worse_overall {
        truths.push(is_true(&Region::default()));
    }
    let right = truths.iter().filter(|&&is| is).count();
    let worst = found.regions.first().map(|test| &test.counts.region);
    let rows = worst.map(|region| region.rows(&case.further.features)).unwrap_or_default();
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let words = worst.map(|region| region.in_words(&case.unseen.schema)).unwrap_or_default();
    let overall = &found.overall.counts;
    let alarm = u8::from(found.is_worse());
    format!(
        "{alarm}\t{}\t{right}/{}\t{seconds:.3}\t{} {}\t{}\t{words}",
        u8::from(found.is_worse_overall),
        truths.len(),
        overall.errors,
        overall.reference_errors,
        rows.join(" ")
    )
}
