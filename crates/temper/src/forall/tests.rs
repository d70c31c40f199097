use crate::outcome::IntoOutcome;
use crate::prelude::*;

fn sum(list: &[i32]) -> f64 {
    list.iter().sum::<i32>().into()
}

#[test]
fn one_seed_gives_one_run() {
    let run = |seed| {
        let report = forall(vecs(ints(0..=9))).maximize(|v| sum(v)).seed(seed).budget(2000).run(|v| sum(v) < 300.0);
        (report.tests, report.climb, report.found.map(|found| found.value))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0);
}

#[test]
fn a_utility_times_a_power_of_two_gives_the_same_run() {
    let tests = |factor: f64| {
        (0..20)
            .map(|seed| {
                forall(vecs(floats(0.0..=1.0)))
                    .maximize(|v| v.iter().sum::<f64>() * factor)
                    .seed(seed)
                    .shrink_budget(0)
                    .run(|v| v.iter().sum::<f64>() < 60.0)
                    .tests
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(tests(1.0), tests(1024.0));
    assert_eq!(tests(1.0), tests(1.0 / 65536.0));
}

#[test]
fn parallel_chains_give_one_result_whatever_the_machine_does() {
    let run = || {
        let report =
            forall(vecs(ints(0..=9))).maximize(|v| sum(v)).seed(5).budget(8000).run_parallel(3, |v| sum(v) < 400.0);
        (report.tests, report.found.map(|found| found.value))
    };
    let first = run();
    assert!(first.1.is_some());
    assert!((0..5).all(|_| run() == first));
}

#[test]
fn every_method_respects_its_budget() {
    for method in [Method::Annealing, Method::HillClimbing, Method::Random] {
        let counted = std::cell::Cell::new(0);
        let property = forall(ints(0..=9)).maximize(|&v| v.into()).method(method).enumerated(false);
        let report = property.budget(777).run(|_| {
            counted.set(counted.get() + 1);
        });
        assert_eq!((counted.get(), report.tests, report.best_utility), (777, 777, Some(9.0)), "{method:?}");
    }
}

#[test]
fn budgets_that_are_not_set_are_those_of_the_documentation() {
    let drawn = forall(any::<i32>()).run(|_| true);
    let searched = forall(any::<i32>()).maximize(|&v| v.into()).run(|_| true);
    assert_eq!((drawn.tests, searched.tests), (200, 10_000));
    // Only the list that was found fails, so that every candidate for a simpler one is tried in vain.
    let (first, evaluations) = (std::cell::RefCell::new(None), std::cell::Cell::new(0));
    let numbers = vecs(any::<u64>()).len(400..=400);
    let found = forall(numbers).budget(1).run(|list| {
        evaluations.set(evaluations.get() + 1);
        *list != *first.borrow_mut().get_or_insert_with(|| list.clone())
    });
    // The draw, its record, the test that it fails again, and the shrinking. Each pass leaves half of the budget to the
    // others, so not all of it is spent if nothing helps.
    assert!(found.is_found() && (9_000..=3 + 10_000).contains(&evaluations.get()), "{}", evaluations.get());
}

#[test]
fn minimizing_reports_what_the_user_measures() {
    let report = forall(ints(0..=1000i32)).minimize(|&v| (v - 400).abs().into()).run(|&v| v != 400);
    assert_eq!(report.value(), Some(&400));
    assert_eq!(report.best_utility, Some(0.0));
    assert!(report.climb.windows(2).all(|w| w[0].1 > w[1].1));
    let told = forall(ints(0..=1000i32)).run_with(|&v, goal| {
        goal.minimize((v - 400).abs().into());
        v != 400
    });
    assert_eq!((told.value(), told.best_utility), (Some(&400), Some(0.0)));
}

#[test]
fn a_utility_that_is_nan_or_infinite_does_no_harm() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let utility = |v: &i32| if v % 3 == 0 { bad } else { f64::from(*v) };
        let report = forall(ints(0..=1000)).maximize(utility).budget(2000).run(|_| true);
        assert_eq!(report.tests, 2000);
    }
}

#[test]
fn rejected_inputs_are_counted_and_never_counterexamples() {
    let property = forall(ints(0..=9)).budget(1000).enumerated(false);
    let report = property.run(|&v| if v > 4 { Outcome::Rejected } else { Outcome::Passed });
    assert!(!report.is_found());
    // Binomial(1000, 1/2): 400 to 600 is more than six standard deviations to each side.
    assert!((400..600).contains(&report.rejected), "{}", report.rejected);
}

/// The message of the panic that ends a check.
fn panic_message(check: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *std::panic::catch_unwind(check).expect_err("the check panics").downcast::<String>().expect("a text")
}

#[test]
fn a_run_that_tested_nothing_is_an_error() {
    let never = forall(ints(0..=9).filter(|_| false)).budget(100).run(|_| false);
    assert_eq!((never.is_found(), never.holds(), never.rejected), (false, false, 100));
    let by_domain = panic_message(|| forall(ints(0..=10).filter(|_| false)).check(|_| false));
    assert_eq!(
        by_domain,
        "no input was tested: all 200 draws were rejected\n  200 by the domain: its filters accepted no value\n\
         hint: draw inputs that are right by construction, with `map`, `and_then` or `compose`"
    );
    let by_property = panic_message(|| forall(any::<i32>()).check(|_| Outcome::Rejected));
    assert!(by_property.contains("200 by the property: it answered `Outcome::Rejected`"), "{by_property}");
    let no_witness = panic_message(|| not_exists(ints(0..=10).filter(|_| false)).check(|_| true));
    assert!(no_witness.starts_with("no input was tested"), "{no_witness}");
    let with_goal = panic_message(|| forall(any::<i32>()).budget(50).check_with(|_, _| Outcome::Rejected));
    assert!(with_goal.starts_with("no input was tested: all 50 draws"), "{with_goal}");
    let in_threads = forall(ints(0..=9).filter(|_| false)).budget(100).run_parallel(2, |_| true);
    assert!(!in_threads.holds());
    let no_budget = panic_message(|| forall(ints(0..=9)).budget(0).check(|_| true));
    assert!(no_budget.starts_with("no input was tested: the budget is 0"), "{no_budget}");
}

#[test]
fn a_run_that_rejected_more_than_nine_tenths_is_an_error() {
    let one_in = |n: u32| {
        let count = std::cell::Cell::new(0u32);
        forall(any::<i32>()).budget(100).run(move |_| {
            count.set(count.get() + 1);
            if count.get().is_multiple_of(n) { Outcome::Passed } else { Outcome::Rejected }
        })
    };
    assert!(one_in(10).holds());
    let too_few = one_in(11);
    assert!(!too_few.holds());
    let message = too_few.to_string();
    assert!(
        message.starts_with("only 9 of 100 draws were tested: 91 were rejected\n  91 by the property"),
        "{message}"
    );
    // A counterexample is one, whatever else was rejected.
    let found =
        forall(ints(0..=1000)).budget(1000).run(|&v| if v < 990 { Outcome::Rejected } else { false.into_outcome() });
    assert_eq!(found.value(), Some(&990));
    assert!(found.too_few_tests.is_none());
}

#[test]
fn a_failure_shrinks_to_the_same_failure() {
    let report = forall(ints(0..=100_000i64)).seed(0).method(Method::Random).run(|&x| {
        assert!(x < 5_000, "bug one");
        assert!(x != 3, "bug two");
    });
    assert_eq!(report.value(), Some(&5_000));
    assert!(report.to_string().contains("bug one"), "{report}");
}

#[test]
fn a_returned_failure_shrinks_to_the_same_kind() {
    #[derive(Debug)]
    #[expect(dead_code, reason = "only the text is read")]
    enum Wrong {
        Large { value: i64 },
        Three(i64),
    }
    let kinds = |seed| {
        let report = forall(ints(0..=100_000i64)).seed(seed).run(|&x| match x {
            5_000.. => Err(Wrong::Large { value: x }),
            3 => Err(Wrong::Three(x)),
            _ => Ok(()),
        });
        report.found.map(|found| (found.value, found.outcome.to_string()))
    };
    let large = "the property does not hold: Large { value: 5000 }".to_owned();
    assert_eq!(kinds(0), Some((5_000, large)));
    // A message with values in it is one failure, however it reads.
    let text = forall(ints(0..=100_000i64)).run(|&x| if x < 700 { Ok(()) } else { Err(format!("{x} is large")) });
    assert_eq!(text.value(), Some(&700));
}

#[test]
fn a_failure_that_does_not_repeat_says_so_and_is_not_saved() {
    let folder = std::env::temp_dir().join(format!("temper-unstable-{}", std::process::id()));
    let runs = std::cell::Cell::new(0);
    let report = forall(vecs(any::<u8>()).min_len(1)).save_in(&folder, "unstable").run(|_| {
        runs.set(runs.get() + 1);
        runs.get() != 20
    });
    let found = report.found.as_ref().expect("the twentieth test fails");
    assert!(!found.is_stable && found.outcome.to_string().contains("not in this way when run again"), "{report}");
    assert!(!folder.exists());
}

#[test]
fn exists_finds_and_not_exists_refutes() {
    exists(ints(0..=100_000)).maximize(|&v| v.into()).check(|&v| v == 100_000);
    not_exists(ints(0..=100)).check(|&v| v > 100);
    let found = std::panic::catch_unwind(|| not_exists(ints(0..=100)).check(|&v| v > 7));
    let message = *found.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("input: 8"), "{message}");
}

#[test]
fn the_message_of_a_failed_check_shows_input_tests_and_seed() {
    let failed = std::panic::catch_unwind(|| {
        forall(ints(0..=1000))
            .seed(9)
            .save_in(std::env::temp_dir().join("temper-unwritable\0"), "x")
            .check(|&v| v < 10);
    });
    let message = *failed.unwrap_err().downcast::<String>().unwrap();
    for part in ["found after", "input: 10\n", "the property does not hold", "seed: 9"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_search_finds_what_drawing_does_not() {
    // The sum of twenty draws is near 10,000 with a standard deviation near 1,300.
    let domain = || vecs(ints(0..=999)).len(20..=20);
    let drawn = forall(domain()).budget(5000).run(|v| sum(v) < 18_000.0);
    let searched = forall(domain()).maximize(|v| sum(v)).budget(5000).run(|v| sum(v) < 18_000.0);
    assert!(!drawn.is_found() && searched.is_found(), "{:?}", searched.best_utility);
}

#[test]
fn a_small_domain_is_enumerated_and_then_the_run_is_over() {
    let seen = std::cell::RefCell::new(Vec::new());
    let report = forall(ints(-1000..=1000)).budget(10_000).run(|&x| seen.borrow_mut().push(x));
    assert_eq!((report.tests, report.is_exhausted, report.holds()), (2001, true, true));
    assert!(report.to_string().starts_with("not found: all inputs were tested, in 2001 tests"), "{report}");
    let mut seen = seen.into_inner();
    assert_eq!(seen[..4], [0, 1, -1, 2]);
    seen.sort_unstable();
    assert_eq!(seen, (-1000..=1000).collect::<Vec<i32>>());
    // A budget that is not enough for all inputs is spent on drawn ones.
    let drawn = forall(ints(-1000..=1000)).budget(2000).run(|_| true);
    assert_eq!((drawn.tests, drawn.is_exhausted), (2000, false));
}

#[test]
fn nothing_in_a_small_domain_is_missed() {
    let needle = forall(ints(0..=4999)).budget(5000).run(|&x| x != 4711);
    assert_eq!((needle.value(), needle.is_exhausted), (Some(&4711), false));
    // One input in a thousand passes its precondition, and it is the only one to be found wrong.
    let few = forall(ints(0..=999)).budget(1000).run(|&x| if x == 500 { Outcome::Passed } else { Outcome::Rejected });
    assert!(few.holds() && few.rejected == 999, "{few}");
    let none = forall(ints(0..=9)).run(|_| Outcome::Rejected);
    assert!(!none.holds() && none.tests == 10, "{none}");
}

#[test]
fn a_search_over_a_small_domain_ends_with_all_of_it() {
    // The utility leads away from the only counterexample.
    let report = forall(ints(0..=2000)).maximize(|&x| x.into()).run(|&x| x != 3);
    assert_eq!(report.value(), Some(&3));
    let holds = forall(ints(0..=2000)).maximize(|&x| x.into()).run(|_| true);
    assert_eq!((holds.tests, holds.is_exhausted, holds.best_utility), (2 * 2001, true, Some(2000.0)));
    let told = forall(ints(0..=2000)).run_with(|&x, goal| goal.minimize(x.into()));
    assert_eq!((told.tests, told.best_utility), (2 * 2001, Some(0.0)));
}

#[test]
fn utilities_with_names_are_raised_together() {
    let key = |seed| {
        forall(any::<(i32, u16, i32)>()).seed(seed).budget(20_000).run_with(|&(a, b, c), goal| {
            goal.minimize_named("first", (f64::from(a) - 1_234_567.0).abs());
            goal.minimize_named("second", (f64::from(b) - 4_321.0).abs());
            goal.maximize_named("third", -(f64::from(c) + 98_765.0).abs());
            !(a == 1_234_567 && b == 4_321 && c == -98_765)
        })
    };
    for seed in 0..5 {
        let report = key(seed);
        assert_eq!(report.value(), Some(&(1_234_567, 4_321, -98_765)), "{report}");
        let best = [("first", 0.0), ("second", 0.0), ("third", 0.0)].map(|(name, best)| (name.to_owned(), best));
        assert_eq!(report.best_by_name, best);
        assert!(report.to_string().contains("\n  best second: 0\n"), "{report}");
    }
}

#[test]
fn a_name_that_is_told_late_joins_the_others() {
    let report = forall(any::<(i32, i32)>()).budget(20_000).run_with(|&(a, b), goal| {
        goal.minimize_named("outer", (f64::from(a) - 777.0).abs());
        if a == 777 {
            goal.minimize_named("inner", (f64::from(b) + 31_337.0).abs());
        }
        !(a == 777 && b == -31_337)
    });
    assert_eq!(report.value(), Some(&(777, -31_337)));
}

#[test]
fn labels_count_tested_inputs_and_no_shrinking() {
    let report = forall(ints(0..=99_999)).budget(100).enumerated(false).run(|&n| {
        event("any");
        event("any");
        classify(n % 2 == 0, "even");
        if n % 3 == 0 { Outcome::Rejected } else { Outcome::Passed }
    });
    assert_eq!(report.labels.tests, report.tests - report.rejected);
    assert_eq!(report.labels.counts["any"], report.labels.tests);
    assert!((10..90).contains(&report.labels.counts["even"]), "{report}");
    assert!(report.to_string().contains("label: any: "), "{report}");
    let failed = forall(vecs(ints(0..=99))).run(|list| {
        event("any");
        list.len() < 5
    });
    assert!(failed.found.as_ref().is_some_and(|found| found.shrinks > 0));
    assert_eq!(failed.labels.counts["any"], failed.tests, "shrinking is not counted");
}

#[test]
fn a_run_inside_a_property_has_its_own_labels() {
    let outer = forall(ints(0..=9)).run(|_| {
        event("outer");
        let inner = forall(ints(0..=4)).run(|_| event("inner"));
        assert_eq!(inner.labels.counts.keys().collect::<Vec<_>>(), ["inner"]);
    });
    assert_eq!(outer.labels.counts.keys().collect::<Vec<_>>(), ["outer"]);
    event("outside of a property it does nothing");
}

#[test]
fn a_label_that_is_too_rare_is_no_green_run() {
    let run = |part| forall(ints(0..=1_000_000)).cover("even", part).run(|n| classify(n % 2 == 0, "even"));
    assert!(run(0.2).holds());
    let rare = run(0.9);
    assert!(!rare.holds() && !rare.is_found());
    assert!(rare.to_string().contains("of the inputs are `even`; 90.0 % were asked for"), "{rare}");
    let failed = forall(ints(0..=1000)).cover("large", 0.9).run(|&n| n < 500);
    assert!(failed.missed_labels.is_empty(), "a failure is told first");
}

#[test]
fn labels_are_counted_on_all_threads() {
    let even = |part| forall(ints(0..=1_000_000)).cover("even", part);
    let run = |part| even(part).run_parallel(3, |n| classify(n % 2 == 0, "even"));
    let report = run(0.2);
    assert!(report.holds() && report.labels.tests == report.tests && report.labels.share("even") > 0.2, "{report}");
    assert!(!run(0.9).holds());
}

#[test]
fn different_failures_are_collected_and_each_is_shrunk() {
    let property = |&n: &i32| {
        assert!(n < 700, "too large");
        assert!(n % 10 != 3, "ends in 3");
    };
    let report = forall(ints(0..=1000)).failures(5).run(property);
    let mut values: Vec<i32> = report.others.iter().map(|other| other.value).collect();
    values.extend(report.value());
    values.sort_unstable();
    assert_eq!(values, [3, 700]);
    assert!(report.to_string().contains("another failure: "), "{report}");
    assert!(forall(ints(0..=1000)).run(property).others.is_empty());
}
