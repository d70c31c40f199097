//! `--format html`: one page that needs no other file and loads nothing. The script in it draws what `data.rs` says; a
//! kind of evidence is one function there (`evidence` in page.js) and one in `evidence_data.rs`.

mod bins;
mod data;
mod evidence_data;
mod members;

use crate::markup::escape;
use crate::report::CombinedReport;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
///
/// # Errors
/// When the data has no JSON form, which only a mistake of ours can cause.
pub fn render(report: &CombinedReport<'_>) -> Result<String, serde_json::Error> {
    let data = data::of(report);
    // A text of the project cannot end the element: JSON may write `<` in another way.
    let json = serde_json::to_string(&data)?.replace('<', "\\u003c");
    let values = [
        ("title", escape(&data.title)),
        ("style", STYLE.trim().to_owned()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("data", json),
        ("script", SCRIPT.trim().to_owned()),
    ];
    Ok(filled(PAGE, &values))
}

/// The template with its `{{names}}` replaced. What is put in is not looked at again.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, tail)) = after.split_once("}}") else { break };
        if let Some((_, value)) = values.iter().find(|(each, _)| *each == name) {
            out.push_str(value);
        }
        rest = tail;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sample;

    /// The data that the page's script reads.
    fn data_of(page: &str) -> Value {
        let (_, rest) = page.split_once("id=\"data\">").unwrap();
        let (json, _) = rest.split_once("</script>").unwrap();
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn nothing_of_the_projects_text_is_markup_and_nothing_is_loaded() {
        let document = sample::document_with_known();
        let page = render(&sample::report(&document, "</script><script>alert(1)</script>\n")).unwrap();
        assert_eq!(page.matches("<script").count(), 2, "the data and the script");
        let data = data_of(&page);
        assert_eq!(data["parts"][0]["text"], "</script><script>alert(1)</script>\n");
        for word in ["src=", "<link", "@import", "<bad>", "fetch(", "https:"] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn every_finding_and_every_subject_without_one_is_an_item() {
        let document = sample::document_with_known();
        let data = data_of(&render(&sample::report(&document, "")).unwrap());
        let items = data["items"].as_array().unwrap();
        let words: Vec<&str> = items.iter().map(|item| item["word"].as_str().unwrap()).collect();
        assert_eq!(words, ["crash", "crash", "undecided", "failed", "clean"]);
        assert_eq!((&items[0]["id"], &items[1]["known"]), (&"c1c1c1".into(), &"known".into()));
        assert_eq!(items[0]["evidence"], "call");
    }

    #[test]
    fn an_assertion_has_its_values_its_bounds_and_its_patch() {
        let document = sample::flaky_document(2);
        let mut report = sample::report(&document, "");
        report.surroundings.patches.insert("B2".into(), "+ new".into());
        report.surroundings.sources.insert("t.py".into(), "def test_ä():\n    assert x < 0.1\n".into());
        let data = data_of(&render(&report).unwrap());
        let item = &data["items"][0];
        assert_eq!((&item["site"]["bound"], &item["site"]["new_bound"]), (&0.1.into(), &0.31.into()));
        assert_eq!(item["site"]["points"].as_array().map(Vec::len), Some(100));
        assert_eq!(item["site"]["points"][99][1], "99", "seeds are texts: JavaScript has no number of 64 bits");
        let counts = item["site"]["bins"]["counts"].as_array().unwrap();
        assert_eq!(counts.iter().filter_map(Value::as_u64).sum::<u64>(), 100);
        assert_eq!(item["patch"], "+ new");
        assert_eq!(data["files"]["t.py"][1], serde_json::json!([2, "    assert x < 0.1"]));
        assert_eq!(data["items"][1]["word"], "sound");
    }

    #[test]
    fn five_hundred_assertions_fit_in_a_megabyte() {
        let mut document = sample::flaky_document(1);
        let (finding, subject) = (document.findings[0].clone(), document.subjects[0].clone());
        let crate::Details::Bounds { bounds } = &mut document.details else { panic!() };
        let row = bounds.sites[0].clone();
        bounds.sites.clear();
        document.findings.clear();
        document.subjects.clear();
        let long = "assert np.linalg.norm(model.coefficients - expected) == pytest.approx(2.6, rel=0.1)";
        for line in (0..500).map(|number| 1 + 9 * number) {
            let (id, name) = (format!("B{line:05}"), format!("tests/test_kmeans.py::test_inertia_{line} {line}:5"));
            let said = vec![long.to_owned(); 4];
            bounds.sites.push(crate::SiteRow {
                id: id.clone(),
                subject: name.clone(),
                line,
                source: long.into(),
                said,
                ..row.clone()
            });
            let mut evidence = finding.evidence.clone();
            if let crate::FindingEvidence::Site(site) = &mut evidence {
                site.site.numbers = (0..3000).map(|run| f64::from(run).sin()).collect();
                site.site.seeds = (0..3000).map(|run| u64::MAX - run).collect();
            }
            document.findings.push(crate::Finding { id, line, subject: name.clone(), evidence, ..finding.clone() });
            document.subjects.push(crate::Subject { name, line, ..subject.clone() });
        }
        let mut report = sample::report(&document, &long.repeat(5000));
        report.surroundings.sources.insert("t.py".into(), format!("    {long}\n").repeat(4600));
        let size = render(&report).unwrap().len();
        assert!(size < 1_000_000, "{size}");
    }
}
