use temper_source::{SourceFile, analyse};

use super::*;

fn probed(text: &str) -> (String, Probed) {
    let file = SourceFile::from_text("test_x.py", text).unwrap();
    let analysis = analyse(&file).unwrap();
    let probed = probe(&file, &analysis, 0, Seeds::Keep).unwrap();
    let short = String::from_utf8(probed.source.clone()).unwrap().replace("__import__('temper.bounds').bounds.", "$");
    (short.trim_end_matches("\n__import__('temper.bounds')\n").to_owned(), probed)
}

fn check(assertion: &str, expected: &str) {
    let text = format!("import numpy as np\nimport pytest\ndef test_it(self, x, y):\n    {assertion}\n");
    let (short, _) = probed(&text);
    let line = short.lines().nth(3).unwrap().trim();
    assert_eq!(line, expected);
}

#[test]
fn a_comparison_is_judged_and_its_operands_are_kept() {
    check(
        "assert x.std() < 0.5, 'msg'",
        "assert $judge(((0,'compare',True,True,'none',True,()),),($operand(0,'actual',(x.std())) < $operand(0,'value',(0.5)))), 'msg'",
    );
}

#[test]
fn a_negated_comparison_wants_false() {
    check(
        "assert not x.std() >= 0.5",
        "assert not $judge(((0,'compare',True,True,'none',False,()),),($operand(0,'actual',(x.std())) >= $operand(0,'value',(0.5))))",
    );
    check(
        "assert not 0.5 < x.std()",
        "assert not $judge(((0,'compare',True,False,'none',False,()),),($operand(0,'value',(0.5)) < $operand(0,'actual',(x.std()))))",
    );
}

#[test]
fn an_asserting_function_is_softened() {
    check(
        "np.testing.assert_allclose(x.mean(), 1.0, rtol=0.1)",
        "$soft(((0,'assert-allclose',True,False,'none',True,(('absolute',0.0),)),),np.testing.assert_allclose)($operand(0,'actual',(x.mean())), $operand(0,'reference',(1.0)), rtol=$operand(0,'relative',(0.1)))",
    );
}

#[test]
fn a_chain_is_taken_apart_and_its_middle_is_evaluated_once() {
    check(
        "assert 0.1 < x.std() < 0.5",
        "assert ($judge(((0,'compare',False,True,'none',True,()),),($operand(0,'value',(0.1)) < $operand(0,'actual',($operand(1,'actual',(x.std())))))) and $judge(((1,'compare',True,True,'none',True,()),),($again(1,'actual') < $operand(1,'value',(0.5)))))",
    );
}

#[test]
fn approx_is_judged_on_both_sides_of_the_equality() {
    check(
        "assert x.std() == pytest.approx(2.0, rel=0.1)",
        "assert $judge(((0,'approx',True,False,'none',True,(('absolute',1e-12),)),),($operand(0,'actual',(x.std())) == pytest.approx($operand(0,'reference',(2.0)), rel=$operand(0,'relative',(0.1)))))",
    );
    check(
        "assert pytest.approx(2.0, abs=0.1) != x.std()",
        "assert $judge(((0,'approx',False,True,'none',True,()),),(pytest.approx($operand(0,'reference',(2.0)), abs=$operand(0,'absolute',(0.1))) != $operand(0,'actual',(x.std()))))",
    );
}

#[test]
fn links_that_cannot_be_taken_apart_are_left_out_with_a_reason() {
    for assertion in ["assert 0 < (x.std()) < (0.5)", "assert y == x.std() < 0.5"] {
        let (_, probed) = probed(&format!("def test_it(x, y):\n    {assertion}\n"));
        assert!(probed.sites.is_empty(), "{assertion}");
        assert!(probed.left_out.iter().all(|(_, reason)| *reason == Unprobed::Chain), "{assertion}");
    }
}

#[test]
fn expected_failures_are_left_alone() {
    let text = "import pytest\ndef test_it(x):\n    with pytest.raises(AssertionError):\n        assert x < 0.5\n";
    let (short, probed) = probed(text);
    assert_eq!(short, text);
    assert_eq!(probed.left_out, [(0, Unprobed::ExpectsFailure)]);
}

#[test]
fn line_numbers_stay_and_the_text_parses_whatever_the_layout() {
    let text = "def test_it(x, y):\n    assert (x  # a < b\n            .std()\n            < # no\n            0.5)\n    assert all(v < 3 for v in x) and x[0] > 1\n    assert abs(x.mean() -\n        y) <= 1e-3";
    let (short, probed) = probed(text);
    assert_eq!(probed.sites.len(), 4);
    assert_eq!(short.lines().count(), text.lines().count());
    assert!(short.lines().nth(4).unwrap().contains("operand(0,'value',(0.5))"));
}

#[test]
fn seeds_that_python_does_not_see_at_run_time_are_wrapped_when_they_vary() {
    let text = "import numpy as np\ndef test_it():\n    np.random.seed(0)\n    assert fit(random_state=1) < 0.9\n";
    let file = SourceFile::from_text("test_x.py", text).unwrap();
    let analysis = analyse(&file).unwrap();
    let source = |seeds| String::from_utf8(probe(&file, &analysis, 0, seeds).unwrap().source).unwrap();
    assert!(source(Seeds::Keep).contains("random_state=1)"));
    assert!(!source(Seeds::Keep).contains("install"));
    let varied = source(Seeds::Vary);
    assert!(varied.contains("np.random.seed(0)"));
    assert!(varied.contains("random_state=__import__('temper.bounds').bounds.seed((1)))"));
    assert!(varied.ends_with("__import__('temper.bounds').bounds.install()\n"));
}
