//! A test file of scikit-learn whose sites, seeds and tests were counted by reading it, before any program did.

use temper_source::{Direction, Direction::Lower, Direction::Upper, ExactHint, Form, Reduction, Role};

use crate::analysed;

const TEXT: &str = include_str!("../../../../fixtures/source/scikit-learn/least_angle_tests.py");

/// Line, form, direction, strict, in a loop, bounds (role and value).
type Row = (u32, Form, Direction, bool, bool, &'static [(Role, f64)]);

const DECIMAL_6: &[(Role, f64)] = &[(Role::Decimal, 6.0)];
const ZERO: &[(Role, f64)] = &[(Role::Value, 0.0)];
const MARGIN: &[(Role, f64)] = &[(Role::Margin, 0.0)];
const DEFAULTS: &[(Role, f64)] = &[(Role::Relative, 1e-7), (Role::Absolute, 0.0)];
const BOTH: &[(Role, f64)] = &[(Role::Relative, 1e-5), (Role::Absolute, 1e-5)];
const CENT: &[(Role, f64)] = &[(Role::Value, 0.01)];
const MIL: &[(Role, f64)] = &[(Role::Value, 1e-3)];

use Form::{AssertAllclose, AssertArrayAlmostEqual, AssertArrayLess, Compare, Margin};

const BY_HAND: [Row; 44] = [
    (88, AssertAllclose, Upper, false, true, DEFAULTS),
    (117, AssertArrayAlmostEqual, Upper, true, true, DECIMAL_6),
    (129, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (139, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (152, Compare, Upper, true, false, &[(Role::Value, 1.0)]),
    (168, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (176, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (187, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (204, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (220, AssertArrayAlmostEqual, Upper, true, true, &[(Role::Decimal, 8.0)]),
    (228, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (249, Margin, Upper, true, true, MARGIN),
    (265, Compare, Upper, true, true, CENT),
    (272, Compare, Upper, true, true, MIL),
    (286, Compare, Upper, true, true, CENT),
    (305, Compare, Upper, true, true, CENT),
    (319, Compare, Upper, true, true, CENT),
    (328, AssertArrayAlmostEqual, Upper, true, false, DECIMAL_6),
    (330, Compare, Upper, true, false, ZERO),
    (359, AssertArrayAlmostEqual, Upper, true, false, &[(Role::Decimal, 1.0)]),
    (389, Margin, Upper, true, false, MARGIN),
    (435, AssertArrayAlmostEqual, Upper, true, true, DECIMAL_6),
    (436, AssertArrayAlmostEqual, Upper, true, true, DECIMAL_6),
    (437, AssertArrayAlmostEqual, Upper, true, true, DECIMAL_6),
    (438, AssertArrayAlmostEqual, Upper, true, true, DECIMAL_6),
    (439, AssertArrayAlmostEqual, Upper, true, true, DECIMAL_6),
    // `old_alpha` is 0 only in the first round of the loop, so both sides are computed.
    (453, AssertArrayLess, Upper, true, true, MARGIN),
    (494, Margin, Lower, true, false, MARGIN),
    (495, Margin, Upper, true, false, MARGIN),
    (496, Margin, Upper, true, false, MARGIN),
    (530, Compare, Upper, true, false, ZERO),
    (535, Compare, Lower, false, false, ZERO),
    (564, Compare, Upper, true, true, ZERO),
    (567, Compare, Lower, false, true, ZERO),
    (589, Compare, Upper, true, true, CENT),
    (608, Compare, Upper, true, true, MIL),
    (619, Compare, Upper, true, true, CENT),
    (706, AssertArrayAlmostEqual, Upper, true, false, &[(Role::Decimal, 12.0)]),
    (758, Compare, Lower, true, false, &[(Role::Value, 0.1)]),
    (759, AssertAllclose, Upper, false, false, &[(Role::Relative, 1e-3), (Role::Absolute, 0.0)]),
    (777, AssertAllclose, Upper, false, false, DEFAULTS),
    (830, AssertAllclose, Upper, false, false, BOTH),
    (832, AssertAllclose, Upper, false, false, BOTH),
    (833, AssertAllclose, Upper, false, false, BOTH),
];

#[test]
fn sites_agree_with_the_count_by_hand() {
    let (_, found) = analysed(TEXT);
    let found_lines: Vec<u32> = found.sites.iter().map(|site| site.position.line).collect();
    let lines: Vec<u32> = BY_HAND.iter().map(|row| row.0).collect();
    assert_eq!(found_lines, lines);
    for (site, &(line, form, direction, is_strict, in_loop, bounds)) in found.sites.iter().zip(&BY_HAND) {
        let found_bounds: Vec<_> = site.bounds.iter().map(|bound| (bound.role, bound.value.unwrap())).collect();
        let found_row = (site.form, site.direction, site.is_strict, site.in_loop, &*found_bounds);
        assert_eq!(found_row, (form, direction, is_strict, in_loop, bounds), "line {line}");
    }
    assert_eq!(found.not_understood, []);
}

#[test]
fn details_agree_with_the_count_by_hand() {
    let (file, found) = analysed(TEXT);
    let at = |line| found.sites.iter().position(|site| site.position.line == line).unwrap();
    assert_eq!(found.sites[at(88)].owner.name, "_assert_same_lars_path_result");
    assert_eq!(found.sites[at(330)].reduction, Reduction::All);
    assert_eq!(file.slice(found.sites[at(330)].actual), "np.diff(lasso.alphas_)");
    assert_eq!(file.slice(found.sites[at(249)].reference.unwrap()), "obj_cd * (1.0 + 1e-8)");
    let exact: Vec<_> = found.sites.iter().filter_map(|site| Some((site.position.line, site.likely_exact?))).collect();
    assert_eq!(exact, [(495, ExactHint::Length), (496, ExactHint::Shape)]);
    // `rtol = 1e-5` in line 820 serves three sites.
    let shared = &found.sites[at(830)].bounds[0];
    assert_eq!(file.position(shared.places[0].span.start).line, 820);
    assert_eq!(shared.shared_with, [at(832), at(833)]);
}

#[test]
fn seeds_and_tests_agree_with_the_count_by_hand() {
    let (file, found) = analysed(TEXT);
    let seeds: Vec<(u32, &str)> =
        found.seeds.iter().map(|seed| (file.position(seed.argument.start).line, file.slice(seed.argument))).collect();
    let by_hand = [
        (146, "0"),
        (340, "42"),
        (463, "42"),
        (486, "42"),
        (504, "42"),
        (717, "0"),
        (732, "0"),
        (753, "0"),
        (770, "42"),
        (794, "0"),
        (823, "0"),
        (855, "0"),
    ];
    assert_eq!(seeds, by_hand);
    assert_eq!(found.draws, []);
    let defined = TEXT.lines().filter(|line| line.starts_with("def test_")).count();
    assert_eq!(found.tests.len(), defined);
    let parametrised = found.tests.iter().filter(|test| test.is_parametrised).count();
    assert_eq!(parametrised, 9);
}

#[test]
fn ranges_nest_and_lists_are_in_the_order_of_the_text() {
    let (file, found) = analysed(TEXT);
    for site in &found.sites {
        assert!(site.assertion.contains(site.comparison) && site.comparison.contains(site.actual));
        assert_eq!(file.position(site.assertion.start), site.position);
        for bound in &site.bounds {
            assert!(bound.expression.is_none_or(|span| site.comparison.contains(span)));
            assert_eq!(bound.is_written(), bound.expression.is_some());
        }
    }
    assert!(found.sites.is_sorted_by_key(|site| site.assertion));
    assert!(found.seeds.is_sorted_by_key(|seed| seed.call));
    assert!(found.tests.is_sorted_by_key(|test| test.span));
}
