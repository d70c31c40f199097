//! What can be wrong with the data or with a model's answers, worded for the person who gave them.

use crate::data::label::Label;

/// A problem that the user can do something about. Each message is a first line, the fact that shows it, and at most one hint.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file could not be read at all.
    #[error("`{file}` could not be read\n  {reason}")]
    Unreadable {
        /// The file as the user named it.
        file: String,
        /// What the system or the reader says.
        reason: String,
    },
    /// A line has more or fewer cells than the header.
    #[error(
        "line {line} of `{file}` has {found} cells, its header has {expected}\nhint: quote cells that contain commas"
    )]
    RaggedLine {
        /// The file as the user named it.
        file: String,
        /// Line number, the header being line 1.
        line: u64,
        /// Cells on that line.
        found: u64,
        /// Cells in the header.
        expected: u64,
    },
    /// Two columns have one name.
    #[error("`{file}` has two columns named `{column}`\nhint: rename one of them in the header")]
    DuplicateColumn {
        /// The file as the user named it.
        file: String,
        /// The name.
        column: String,
    },
    /// The target column is not in the table.
    #[error("no column is named `{target}`\n  columns: {columns}{}", nearest_hint(.nearest))]
    NoTarget {
        /// The name that was asked for.
        target: String,
        /// The names that exist.
        columns: String,
        /// The existing name that looks most like it.
        nearest: Option<String>,
    },
    /// Nothing is left when the target column is taken away.
    #[error("the table has no column besides the target `{target}`\nhint: give the columns that the model reads")]
    NoFeatures {
        /// The target column.
        target: String,
    },
    /// The table has a header and nothing else.
    #[error("the table has no rows\n  only a header was found")]
    NoRows,
    /// Not one label a row.
    #[error("{labels} labels were given for {rows} rows\nhint: give one label a row")]
    Lengths {
        /// Rows.
        rows: usize,
        /// Labels.
        labels: usize,
    },
    /// A row has no label.
    #[error("row {row} has no value in the target column `{target}`\nhint: drop the rows whose label is unknown")]
    MissingLabel {
        /// The target column.
        target: String,
        /// Row number, the first row under the header being 1.
        row: usize,
    },
    /// All rows have the same label.
    #[error(
        "the target column `{target}` holds one class only, `{class}`\n  a classifier needs two classes to tell apart"
    )]
    OneClass {
        /// The target column.
        target: String,
        /// The only class.
        class: Label,
    },
    /// A class has a single row.
    #[error(
        "class `{class}` of `{target}` has 1 row\n  at least 2 rows a class are needed\nhint: drop the class, or merge it with another"
    )]
    SmallClass {
        /// The target column.
        target: String,
        /// The class.
        class: Label,
    },
    /// The target looks like a quantity, not like classes.
    #[error(
        "the target column `{target}` looks like a quantity: {distinct} distinct numbers in {rows} rows, for example {example}\n  leaves and their properties are about classes\nhint: leave `--task` and `--paper` out, or cut the quantity into classes"
    )]
    Regression {
        /// The target column.
        target: String,
        /// Number of distinct values.
        distinct: usize,
        /// Number of rows.
        rows: usize,
        /// One of the values.
        example: Label,
    },
    /// The target is to be a quantity and is not.
    #[error(
        "row {row} holds `{value}` in the target column `{target}`, which is no number\nhint: leave `--task regression` out if the target is a class"
    )]
    NotQuantity {
        /// The target column.
        target: String,
        /// Row number, the first row under the header being 1.
        row: usize,
        /// The cell.
        value: String,
    },
    /// No column varies, so nothing can be split.
    #[error("all {columns} columns are constant\n  a surrogate needs at least one column that varies")]
    AllConstant {
        /// Number of columns besides the target.
        columns: usize,
    },
    /// A cell holds an infinite number.
    #[error(
        "column `{column}` holds `{value}` in row {row}\n  numbers must be finite\nhint: drop the row or put the largest meaningful number there"
    )]
    Infinite {
        /// The column.
        column: String,
        /// Row number, the first row under the header being 1.
        row: usize,
        /// The cell as written.
        value: String,
    },
    /// A value given as a number is not a finite 32-bit one.
    #[error(
        "column {column} holds {value} in row {row}\n  the surrogate reads finite 32-bit numbers\nhint: drop the row, or scale the column"
    )]
    NotFinite {
        /// Column position, from 0.
        column: usize,
        /// Row position, from 0.
        row: usize,
        /// The value.
        value: f64,
    },
    /// A hold-out has something that the data do not have.
    #[error(
        "`{file}` holds `{value}` in column `{column}` of row {row}, which the data do not have\nhint: leave such rows out of the hold-out"
    )]
    Unlike {
        /// The file as the user named it.
        file: String,
        /// The column.
        column: String,
        /// Row number, the first row under the header being 1.
        row: usize,
        /// The cell as written.
        value: String,
    },
    /// More rows times classes than the learner can number.
    #[error(
        "{rows} rows with {classes} classes are too many\n  rows times classes must stay below 2^32\nhint: test on a subset of the rows"
    )]
    TooManyRows {
        /// Number of rows.
        rows: usize,
        /// Number of classes.
        classes: usize,
    },
    /// A setting has a value that makes no sense.
    #[error("`{setting}` is {value}\n  it must be {wanted}")]
    Setting {
        /// The name of the setting.
        setting: &'static str,
        /// The value it was given.
        value: String,
        /// The values that would do.
        wanted: &'static str,
    },
    /// A statistic could not be computed from the figures.
    #[error(transparent)]
    Statistics(#[from] temper_stats::Error),
    /// The model did not answer as a classifier must.
    #[error(transparent)]
    Predict(#[from] PredictError),
}

/// What can be wrong with a model's answer to a batch.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PredictError {
    /// `predict` raised.
    #[error("the model's `predict` raised on a batch of {rows} rows\n  {message}{}", hinted(.hint))]
    Raised {
        /// Rows in the batch.
        rows: usize,
        /// The exception as the user would see it.
        message: String,
        /// What to do about it, as far as the table tells.
        hint: Option<String>,
    },
    /// `fit` raised.
    #[error("the model's `fit` raised on {rows} rows\n  {message}{}", hinted(.hint))]
    NotTrained {
        /// Rows it was given.
        rows: usize,
        /// The exception as the user would see it.
        message: String,
        /// What to do about it, as far as the table tells.
        hint: Option<String>,
    },
    /// A trained model has no form that another process can load.
    #[error(
        "the trained model cannot be pickled\n  {message}\nhint: train it yourself and give a function, as in `--model pkg.module:predict`"
    )]
    Unpicklable {
        /// The exception as the user would see it.
        message: String,
    },
    /// The model could not be loaded or imported.
    #[error("the worker could not load `{model}`\n  {message}{}", hinted(.hint))]
    NotLoaded {
        /// The model as the user named it.
        model: String,
        /// The exception as the user would see it.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// What was loaded is no model.
    #[error(
        "`{model}` has no `predict` and is no function\nhint: give an object with `predict`, or a function from rows to labels"
    )]
    NoPredict {
        /// What was loaded.
        model: String,
    },
    /// A table that pandas could not read.
    #[error(
        "`{file}` could not be read\n  {message}\nhint: write the table as CSV, or install pandas and pyarrow in the project's environment"
    )]
    Table {
        /// The file as the user named it.
        file: String,
        /// What pandas says.
        message: String,
    },
    /// The process with the model ended before it answered.
    #[error("the process with the model {how}")]
    Ended {
        /// How it ended, to follow "the process".
        how: String,
    },
    /// The workers themselves failed.
    #[error("the workers failed\n  {message}")]
    Workers {
        /// What they say.
        message: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A table of numbers instead of labels.
    #[error(
        "the model answered a table of shape {shape}, not one label a row\nhint: return labels, for example `model.predict_proba(rows).argmax(axis=1)`"
    )]
    NotLabels {
        /// Its shape.
        shape: String,
    },
    /// Another number of answers than questions.
    #[error(
        "the model answered {found} labels for {expected} rows\nhint: `predict` takes a batch and returns one label a row"
    )]
    WrongLength {
        /// Answers.
        found: usize,
        /// Questions.
        expected: usize,
    },
    /// A text where a number is wanted.
    #[error(
        "the target is a quantity, and the model's answers are not\n  {message}\nhint: `--task classification` says that the target is a class"
    )]
    NotNumber {
        /// What was wrong.
        message: String,
    },
    /// A model without probabilities.
    #[error(
        "the model gives no probabilities\n  {message}\nhint: give a model with `predict_proba`, or a function that returns one probability a class"
    )]
    NoProbabilities {
        /// What was wrong.
        message: String,
    },
    /// Numbers between the classes: probabilities or scores.
    #[error(
        "the model answered `{value}`, which looks like a probability, not like a class\n  classes: {classes}\nhint: return labels, for example `model.predict_proba(rows).argmax(axis=1)`"
    )]
    Probabilities {
        /// One of the answers.
        value: Label,
        /// The classes of the target column.
        classes: String,
    },
    /// A label that the target column does not have.
    #[error("the model answered `{value}`, which is no class of the target column\n  classes: {classes}")]
    UnseenLabel {
        /// The answer.
        value: Label,
        /// The classes of the target column.
        classes: String,
    },
}

fn hinted(hint: &Option<String>) -> String {
    hint.as_ref().map_or(String::new(), |hint| format!("\nhint: {hint}"))
}

fn nearest_hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!("\nhint: did you mean `{name}`?"))
}

/// A list of names for a message, cut after ten.
pub(crate) fn listed<T: std::fmt::Display>(items: &[T]) -> String {
    let shown: Vec<String> = items.iter().take(10).map(|item| format!("`{item}`")).collect();
    let rest = items.len().saturating_sub(shown.len());
    let list = shown.join(", ");
    if rest == 0 { list } else { format!("{list} and {rest} more") }
}
