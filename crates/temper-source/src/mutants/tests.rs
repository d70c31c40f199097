use super::*;

fn found(text: &str) -> Vec<(SourceFile, Mutant)> {
    let file = SourceFile::from_text("pkg/code.py", text).unwrap();
    let all = mutants(&file, &Wanted::default()).unwrap();
    all.into_iter().map(|mutant| (file.clone(), mutant)).collect()
}

/// The changed texts of one line of code, by one operator.
fn changes(operator: Operator, line: &str) -> Vec<String> {
    let text = format!("import numpy as np\ndef f(x, y):\n    {line}\n");
    let mut changed: Vec<String> = found(&text)
        .iter()
        .filter(|(_, mutant)| mutant.operator == operator)
        .map(|(file, mutant)| mutant.diff(file).1.trim().to_owned())
        .collect();
    changed.sort();
    changed
}

#[test]
fn each_operator_changes_its_own_kind_of_code() {
    let cases: [(Operator, &str, &[&str]); 36] = [
        (Operator::Arithmetic, "return x ** y", &["return x * y"]),
        (Operator::Comparison, "return x < y", &["return x <= y", "return x >= y"]),
        (Operator::Comparison, "return x not in y", &["return x in y"]),
        (Operator::Boolean, "return x and y", &["return x or y"]),
        (Operator::Bitwise, "return x << y", &["return x >> y"]),
        (Operator::Augmented, "x -= y", &["x += y", "x = y"]),
        (Operator::Constant, "return 1", &["return (-1)", "return 0", "return 2"]),
        (Operator::Constant, "return 0.5", &["return (-0.5)", "return 0.0", "return 1.0", "return 1.5"]),
        (Operator::Literal, "return True", &["return False"]),
        (Operator::Assignment, "z = x", &["z = None"]),
        (Operator::Lambda, "return lambda z: z", &["return lambda z: None"]),
        (Operator::Flow, "return x", &["return None"]),
        (Operator::Condition, "return x if x and y else y", &["return x if not (x and y) else y"]),
        (Operator::Argument, "return g(x, k=y)", &["return g(k=y)", "return g(x)"]),
        (Operator::Unary, "return -(x + y)", &["return (x + y)"]),
        (Operator::Statement, "x.fit(y)", &["pass"]),
        (Operator::Slice, "return x[y:]", &["return x[:]"]),
        (Operator::Swap, "return np.sum(x)", &["return np.max(x)", "return np.mean(x)", "return np.prod(x)"]),
        (Operator::Axis, "return g(x, axis=0)", &["return g(x, axis=1)", "return g(x, axis=None)"]),
        (Operator::Reduction, "return g(x, reduction='mean')", &["return g(x, reduction=\"sum\")"]),
        (Operator::Hyperparameter, "return g(x, lr=0.5)", &["return g(x, lr=0.05)", "return g(x, lr=5.0)"]),
        (Operator::Loop, "for z in range(y): g(z)", &["for z in list(range(y))[:1]: g(z)"]),
        (Operator::Training, "x.eval()", &["x.train()"]),
        (Operator::Training, "return x.detach() + y", &["return x + y"]),
        (Operator::Training, "with x.no_grad(): g(y)", &["with __import__('contextlib').nullcontext(): g(y)"]),
        (Operator::Window, "return x[:y]", &["return x[:(y) + 1]", "return x[:(y) - 1]"]),
        (Operator::Precision, "return np.float64(x)", &["return np.float32(x)"]),
        (Operator::Layer, "return F.relu(x + y)", &["return (x + y)"]),
        (Operator::Layer, "return F.dropout(x, 0.5)", &["return (x)"]),
        (Operator::Layer, "return x.sigmoid()", &["return (x)"]),
        (Operator::Layer, "return F.conv2d(x, y)", &[]),
        (Operator::Choice, "return g(x, optimizer='adam')", &["return g(x, optimizer=\"sgd\")"]),
        (Operator::Choice, "return g(x, name='adam')", &[]),
        (
            Operator::Shuffle,
            "z = np.random.permutation(len(x))",
            &["z = __import__('numpy').sort(np.random.permutation(len(x)))"],
        ),
        (Operator::Shuffle, "z = np.random.permutation(x)", &[]),
        (Operator::Label, "x.fit(y, z)", &["x.fit(y, z[::-1])"]),
    ];
    for (operator, line, expected) in cases {
        assert_eq!(changes(operator, line), expected, "{line}");
    }
}

#[test]
fn text_for_people_and_the_outside_of_functions_stay() {
    let text = "\
\"\"\"Doc.\"\"\"
from __future__ import annotations
import logging
__version__ = 3
logger = logging.getLogger()

@cached(4)
def f(x: int = 3, *, y: float = 0.5) -> Tuple[3]:
    \"\"\"Adds 1 + 1.\"\"\"
    logger.info('%d', 1 + 1)
    print(1 + 1)
    z: List[7] = x
    if __name__ == '__main__':
        f(1)
    raise ValueError(f'{1 + 1}' + 'x')
";
    let names: Vec<String> = found(text).iter().map(|(file, mutant)| mutant.name(file)).collect();
    assert_eq!(
        names,
        [
            "5:10: replace logging.getLogger() with None in the module",
            "8:16: replace 3 with 0 in f",
            "8:16: replace 3 with 2 in f",
            "8:16: replace 3 with 30 in f",
            "8:16: replace 3 with 4 in f",
            "8:33: replace 0.5 with 0.0 in f",
            "8:33: replace 0.5 with 0.05 in f",
            "8:33: replace 0.5 with 5.0 in f",
            "12:18: replace x with None in f",
            "15:5: replace raise ValueError(f'{1 + 1}' + 'x') with pass in f",
        ]
    );
}

#[test]
fn a_default_matters_when_its_function_runs() {
    let all = found(
        "class A:\n    def f(self, n=20, *,\n          is_fast=True):\n        \"\"\"Doc.\"\"\"\n        return n\n",
    );
    let defaults: Vec<&Mutant> =
        all.iter().map(|(_, m)| m).filter(|m| m.operator == Operator::Hyperparameter).collect();
    let replacements: Vec<&str> = defaults.iter().map(|mutant| mutant.replacement.as_str()).collect();
    assert_eq!(replacements, ["0", "19", "2", "200", "21", "False"]);
    assert!(defaults.iter().all(|mutant| mutant.lines == (5, 5) && mutant.function.as_deref() == Some("A.f")));
}

#[test]
fn a_choice_by_name_that_is_a_default_changes_for_all_calls() {
    let all = found("class A:\n    def f(self, activation='relu', name='relu'):\n        return activation\n");
    let choices: Vec<&Mutant> = all.iter().map(|(_, m)| m).filter(|m| m.operator == Operator::Choice).collect();
    let replacements: Vec<&str> = choices.iter().map(|mutant| mutant.replacement.as_str()).collect();
    assert_eq!(replacements, ["\"tanh\""]);
}

#[test]
fn optimisers_losses_and_layers_of_classes_are_swapped() {
    let text = "from torch import nn, optim\n\ndef f(p):\n    o = optim.Adam(p, lr=0.1)\n    return nn.Dropout(0.5), nn.CrossEntropyLoss()\n";
    let swapped: Vec<String> = found(text)
        .iter()
        .filter(|(_, mutant)| mutant.operator == Operator::Swap)
        .map(|(_, mutant)| mutant.replacement.clone())
        .collect();
    assert_eq!(swapped, ["Adagrad", "SGD", "AlphaDropout", "Identity", "MultiMarginLoss"]);
}

#[test]
fn the_reference_has_a_row_for_every_operator() {
    let text = include_str!("../../../../docs/reference/operators.md");
    for OperatorRow { name, change, fault, .. } in OPERATORS {
        let row = format!("| {name} | {change} | {fault} |");
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn swaps_follow_imports_and_methods_and_nothing_else() {
    let text = "from numpy import mean\nimport numpy.random as r\n\ndef f(x, sum):\n    return mean(x) + r.rand(3) + x.std() + max(x)\n";
    let swapped: Vec<String> = found(text)
        .iter()
        .filter(|(_, mutant)| mutant.operator == Operator::Swap)
        .map(|(_, mutant)| mutant.replacement.clone())
        .collect();
    assert_eq!(
        swapped,
        ["__import__('numpy').max", "__import__('numpy').median", "__import__('numpy').sum", "randn", "mean", "var"]
    );
}

#[test]
fn lines_stay_where_they_are_and_every_mutant_parses() {
    let text = "def f(x,\n      y=1):\n    z = g(\n        x,  # one\n        y,\n        *x,\n    )\n    a = [\n        v for v in z\n        if v\n    ]; b = 2\n    return (a\n            + b)\n";
    let all = found(text);
    assert!(all.len() > 8);
    for (file, mutant) in all {
        let changed = file.with_text(mutant.apply(&file).unwrap());
        SyntaxTree::parse(&changed).unwrap();
        assert_eq!(changed.text().lines().count(), file.text().lines().count(), "{}", mutant.name(&file));
    }
}

#[test]
fn comments_keep_mutants_away() {
    let text = "def f(x):\n    y = x + 1  # temper: ignore\n    return y * 2  # temper: ignore[constant]\n\ndef g(x):  # temper: ignore[mutants]\n    return x + 1\n";
    let names: Vec<String> = found(text).iter().map(|(file, mutant)| mutant.name(file)).collect();
    assert_eq!(names, ["3:12: replace y * 2 with None in f", "3:14: replace * with / in f"]);
}

#[test]
fn names_tell_the_function_as_python_does() {
    let text = "class A:\n    def f(self):\n        def g():\n            return -x\n        return g\n";
    let names: Vec<String> = found(text).iter().map(|(file, mutant)| mutant.name(file)).collect();
    assert_eq!(names[0], "4:20: remove - in A.f.<locals>.g");
}

#[test]
fn generated_code_has_no_mutants() {
    assert!(found("# This file is @generated by protoc. DO NOT EDIT.\nx = 1 + 1\n").is_empty());
}

#[test]
fn the_lines_of_a_mutant_are_those_of_its_statement() {
    let text = "def f(x):\n    if (x\n            > 1):\n        return g(\n            x)\n";
    let all = found(text);
    let lines = |operator: Operator| all.iter().find(|(_, m)| m.operator == operator).unwrap().1.lines;
    assert_eq!(lines(Operator::Comparison), (2, 3));
    assert_eq!(lines(Operator::Flow), (4, 5));
}
