//! Damaged messages and files: whatever reads them returns, with a value or an error.

use std::fs;

use temper::{ChoiceTree, Regressions};
use temper_check::Saved;
use temper_model::read_csv;
use temper_report::Document;
use temper_store::Store;
use temper_testkit::{Project, fuzz};
use temper_worker::{Value, wire};

#[test]
fn a_damaged_message_is_no_message() {
    let value = Value::map([
        ("kind", "done".into()),
        ("id", 7_u64.into()),
        ("numbers", Value::List(vec![1.5.into(), Value::Int(-3), Value::None, true.into()])),
        ("bytes", Value::Bytes(vec![0, 255, 3])),
    ]);
    let mut sample = Vec::new();
    wire::encode(&value, &mut sample);
    fuzz("wire", &[&sample], |input| {
        let mut rest = input;
        while !rest.is_empty() && wire::decode(&mut rest).is_some() {}
    });
}

#[test]
fn a_damaged_record_is_an_error() {
    let record = concat!(
        r#"{"schema_version":1,"command":"check","versions":{"temper":"1"},"seed":7,"subjects":[],"findings":[{"id":"d4e5f6","#,
        r#""kind":"crash","subject":"f","path":"a.py","line":3,"message":"`f`: m","evidence":{"count":1,"drawn":9,"import":"","#,
        r#""recurs":true,"rejected":0,"source":""},"call":"f(1)"}]}"#
    );
    assert!(Document::from_json(record).is_ok());
    fuzz("record", &[record.as_bytes()], |input| {
        if let Ok(text) = std::str::from_utf8(input)
            && let Ok(document) = Document::from_json(text)
        {
            let _ = document.to_json();
        }
    });
}

#[test]
fn damaged_findings_are_an_error() {
    let project = Project::empty();
    let sample = br#"{"version": 1, "annotations": null, "findings": [{"id": "7f3a91", "module": "m", "path": "m.py", "subject": "f",
        "kind": "crash", "call": "f(0)", "check": "", "tree": "0102ff", "omitted": [0], "line": 3, "message": "ValueError"}]}"#;
    fs::create_dir(project.root().join(".temper")).unwrap();
    let path = project.root().join(".temper/check.json");
    fuzz("check.json and ids", &[sample, b"{\"findings\": []}", b"7f3a91"], |input| {
        fs::write(&path, input).unwrap();
        if let Ok(saved) = Saved::read(project.root()) {
            let _ = saved.find(&String::from_utf8_lossy(input)).map(|finding| finding.tree_bytes());
            saved.findings.iter().for_each(|finding| drop(finding.tree_bytes()));
        }
    });
}

#[test]
fn a_damaged_table_is_an_error() {
    let samples: [&[u8]; 3] = [
        b"a,b,label\n1,2.5,x\n3,,y\n-4,1e3,x\n\"5\",6,\"y\"\n",
        b"date;size;class\n2024-01-01;1,5;0\n2024-02-30;2,5;1\n;3;0\n",
        b"a\tb\tlabel\nTrue\tred\t1\nFalse\tblue\t0\nnan\t\t1\n",
    ];
    fuzz("CSV", &samples, |input| {
        for target in ["label", "class"] {
            let _ = read_csv(input, "table.csv", target);
        }
    });
}

#[test]
fn a_damaged_regression_file_is_passed_over() {
    let project = Project::empty();
    let regressions = Regressions::in_folder(project.root(), "property");
    let path = project.root().join("property.txt");
    let sample = b"# saved\n\n# f(1)\n0103ff0a00\n# f(2)\n00ff7f01020304\n";
    fuzz("regression file", &[sample], |input| {
        fs::write(&path, input).unwrap();
        for tree in regressions.load() {
            assert_eq!(ChoiceTree::from_bytes(&tree.to_bytes()).unwrap(), tree);
        }
        let _ = ChoiceTree::from_bytes(input);
    });
}

#[test]
fn a_damaged_store_is_set_aside_or_an_error() {
    let project = Project::in_memory();
    let mut store = Store::open(project.root()).unwrap();
    store.put_record("kind", "key", "body").unwrap();
    drop(store);
    let path = project.root().join(".temper/store.db");
    let sample = fs::read(&path).unwrap();
    fuzz("store", &[&sample], |input| {
        fs::remove_dir_all(project.root().join(".temper")).unwrap();
        fs::create_dir(project.root().join(".temper")).unwrap();
        fs::write(&path, input).unwrap();
        if let Ok(store) = Store::open(project.root()) {
            let _ = (store.record("kind", "key"), store.records("kind"), store.contents());
        }
    });
}
