//! Finding and reading the reference numbers and data sets.
//!
//! `TEMPER_ORACLES` and `TEMPER_DATASETS` name folders with more of them than the repository may ship.

use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use temper_model::boundary::interval_ends::Ends;
use temper_model::tree::Growth;
use temper_model::{Dataset, read_csv};

/// One file of `oracles/tree`, format `dt-oracle-1`.
pub struct Oracle {
    pub name: String,
    pub dataset: String,
    pub growth: Growth,
    pub nodes: Vec<OracleNode>,
    pub depth: usize,
    pub training_accuracy: f64,
    pub tied_leaves: Vec<usize>,
    /// Absent where only the tree is given, as are the properties.
    pub decimals: Option<Vec<u32>>,
    pub column_ends: Vec<(f64, f64)>,
    pub percent: f64,
    pub properties: Vec<OracleProperty>,
}

pub struct OracleNode {
    pub split: Option<(usize, usize, usize, f64)>,
    pub counts: Vec<u32>,
    pub impurity: f64,
}

pub struct OracleProperty {
    pub leaf: usize,
    pub class: usize,
    pub depth: usize,
    pub intervals: Vec<OracleInterval>,
}

pub struct OracleInterval {
    pub feature: usize,
    pub from_tree: (bool, bool),
    pub clean: Ends,
    pub coverage: Ends,
    pub boundary: Ends,
    pub lower: Option<Ends>,
    pub upper: Option<Ends>,
}

/// What Durelli et al. print about a data set.
pub struct Published {
    /// Name in table 5.
    pub name: &'static str,
    /// Properties in table 6.
    pub properties: usize,
    /// The columns "10-fold Cross-Validation" of table 7: precision, recall, accuracy, F1, as headed there.
    pub cross_validation: [f64; 4],
}

const PUBLISHED: [Published; 21] = [
    Published { name: "bank_marketing", properties: 3679, cross_validation: [0.88, 0.87, 0.88, 0.86] },
    Published { name: "banknote_authentication", properties: 27, cross_validation: [1.00, 1.00, 1.00, 1.00] },
    Published { name: "blood_transfusion", properties: 198, cross_validation: [0.76, 0.73, 0.76, 0.74] },
    Published { name: "breast_cancer_wisconsin", properties: 22, cross_validation: [0.94, 0.93, 0.94, 0.94] },
    Published { name: "cleveland_heart_disease", properties: 57, cross_validation: [0.64, 0.63, 0.64, 0.64] },
    Published { name: "glass_identification", properties: 50, cross_validation: [0.66, 0.63, 0.66, 0.64] },
    Published { name: "haberman_survival", properties: 103, cross_validation: [0.72, 0.69, 0.72, 0.69] },
    Published { name: "horse_racing_tipster_bets", properties: 7389, cross_validation: [0.77, 0.72, 0.77, 0.70] },
    Published { name: "indian_liver_patient", properties: 111, cross_validation: [0.67, 0.66, 0.67, 0.66] },
    Published { name: "ionosphere", properties: 23, cross_validation: [0.84, 0.83, 0.84, 0.86] },
    Published { name: "iris", properties: 9, cross_validation: [0.95, 0.95, 0.95, 0.96] },
    Published { name: "oil_spill", properties: 35, cross_validation: [0.96, 0.94, 0.96, 0.92] },
    Published { name: "page_blocks_classification", properties: 165, cross_validation: [0.96, 0.95, 0.96, 0.95] },
    Published { name: "phoneme", properties: 521, cross_validation: [0.89, 0.89, 0.89, 0.89] },
    Published { name: "pima_indians_diabetes", properties: 129, cross_validation: [0.71, 0.70, 0.71, 0.70] },
    Published { name: "seeds", properties: 16, cross_validation: [0.87, 0.86, 0.87, 0.88] },
    Published { name: "sonar_mines_vs_rocks", properties: 22, cross_validation: [0.80, 0.80, 0.80, 0.81] },
    Published { name: "students_knowledge_levels", properties: 31, cross_validation: [0.88, 0.88, 0.88, 0.89] },
    Published { name: "vertebral_column", properties: 45, cross_validation: [0.82, 0.82, 0.82, 0.84] },
    Published { name: "wine_recognition", properties: 12, cross_validation: [0.69, 0.67, 0.69, 0.71] },
    Published { name: "woods_mammography", properties: 161, cross_validation: [0.99, 0.98, 0.99, 0.98] },
];

/// The data sets of the paper that are here, with what it prints about them. Files may have a part of the full name.
pub fn published_datasets() -> Vec<(&'static Published, Dataset)> {
    let mut names: Vec<String> = data_folders()
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".csv")?.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    let found: Vec<_> = names
        .iter()
        .filter_map(|name| {
            let Some(published) = PUBLISHED.iter().find(|published| is_part(name, published.name)) else {
                eprintln!("skipped `{name}`: not in the paper");
                return None;
            };
            Some((published, dataset_named(name)?))
        })
        .collect();
    assert!(found.len() >= 3, "iris, wine and breast_cancer are in the repository");
    found
}

fn is_part(name: &str, full: &str) -> bool {
    format!("_{full}_").contains(&format!("_{name}_"))
}

fn data_folders() -> Vec<PathBuf> {
    let given = std::env::var_os("TEMPER_DATASETS").map(PathBuf::from);
    given.into_iter().chain([root().join("fixtures/data"), root().join("../shared/datasets")]).collect()
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All oracle files, sorted by name.
pub fn oracles() -> Vec<Oracle> {
    let folder = std::env::var_os("TEMPER_ORACLES").map_or(root().join("fixtures/oracles"), PathBuf::from).join("tree");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| [".json", ".json.gz"].iter().any(|end| path.to_string_lossy().ends_with(end)))
        .collect();
    files.sort();
    files.iter().filter_map(|path| read_oracle(path)).collect()
}

/// A data set by its name: from `TEMPER_DATASETS`, else from the repository, else from the folder of data sets that may lie
/// beside the repository. `None`, with a message, when it is in none of them.
pub fn dataset_named(name: &str) -> Option<Dataset> {
    for folder in data_folders() {
        let file = folder.join(format!("{name}.csv"));
        if let Ok(reader) = File::open(&file) {
            return Some(read_csv(reader, name, "target").unwrap_or_else(|error| panic!("{name}: {error}")));
        }
    }
    eprintln!("skipped `{name}`: no such file in TEMPER_DATASETS, fixtures/data or ../shared/datasets");
    None
}

fn read_oracle(path: &Path) -> Option<Oracle> {
    let mut text = String::new();
    let file = File::open(path).unwrap();
    if path.extension().is_some_and(|end| end == "gz") {
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    } else {
        (&file).read_to_string(&mut text).unwrap();
    }
    let json: Value = serde_json::from_str(&text).unwrap();
    if json["format"] != "dt-oracle-1" {
        eprintln!("skipped {}: not of format dt-oracle-1", path.display());
        return None;
    }
    let tree = &json["tree"];
    let field = |name: &str| tree[name].as_array().unwrap().iter();
    let nodes = field("children_left").zip(field("children_right")).zip(field("feature")).zip(field("threshold"));
    let nodes = nodes.zip(field("class_counts").zip(field("impurity"))).map(
        |((((left, right), feature), threshold), (counts, impurity))| OracleNode {
            split: (left.as_i64() != Some(-1)).then(|| (whole(left), whole(right), whole(feature), number(threshold))),
            counts: list(counts, |count| whole(count) as u32),
            impurity: number(impurity),
        },
    );
    Some(Oracle {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        dataset: json["dataset"].as_str().unwrap().to_owned(),
        growth: Growth {
            max_depth: json["max_depth"].as_u64().map(|depth| depth as usize),
            min_leaf: json["min_samples_leaf"].as_u64().unwrap_or(1) as u32,
            seed: whole(&json["random_state"]) as u32,
        },
        nodes: nodes.collect(),
        depth: whole(&json["depth"]),
        training_accuracy: number(&json["training_accuracy"]),
        tied_leaves: list(&json["tied_leaves"], whole),
        decimals: json["decimal_places"].is_array().then(|| list(&json["decimal_places"], |count| whole(count) as u32)),
        column_ends: list(&json["feature_min"], number).into_iter().zip(list(&json["feature_max"], number)).collect(),
        percent: json["bva_rate_percent"].as_f64().unwrap_or(20.0),
        properties: list(&json["properties"], |property| {
            let classes = &json["classes"];
            let fields: Vec<String> = list(&json["property_fields"], |name| name.as_str().unwrap().to_owned());
            read_property(property, &fields, classes)
        }),
    })
}

fn read_property(property: &Value, fields: &[String], classes: &Value) -> OracleProperty {
    let class = classes.as_array().unwrap().iter().position(|class| *class == property["cls"]).unwrap();
    let intervals = list(&property["intervals"], |row| {
        let cell = |name: &str| &row[fields.iter().position(|field| field == name).unwrap()];
        let ends =
            |lo: &str, hi: &str| (!cell(lo).is_null()).then(|| Ends { lo: number(cell(lo)), hi: number(cell(hi)) });
        OracleInterval {
            feature: whole(cell("feature")),
            from_tree: (cell("min_from_tree").as_bool().unwrap(), cell("max_from_tree").as_bool().unwrap()),
            clean: ends("clean_lo", "clean_hi").unwrap(),
            coverage: ends("anchor_dtc_lo", "anchor_dtc_hi").unwrap(),
            boundary: ends("anchor_bva_lo", "anchor_bva_hi").unwrap(),
            lower: ends("clean_bva_min_lo", "clean_bva_min_hi"),
            upper: ends("clean_bva_max_lo", "clean_bva_max_hi"),
        }
    });
    OracleProperty { leaf: whole(&property["leaf"]), class, depth: whole(&property["depth"]), intervals }
}

/// A list; an absent one is empty.
fn list<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().into_iter().flatten().map(read).collect()
}

fn whole(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no whole number")) as usize
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}
