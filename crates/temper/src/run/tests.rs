use super::*;
use crate::domain::{Domain, ints};

const TOP: i64 = 99_999;

/// A subject over the numbers from 0 to [`TOP`], which notes what it was asked.
struct Numbers<F> {
    judge: F,
    proposals: Vec<NextInput>,
    seen: Vec<i64>,
    seeds: Vec<u64>,
    shrunk: Vec<&'static str>,
    is_over_at: usize,
}

type NumberEvaluation = Evaluation<&'static str, i64>;

fn numbers<F: FnMut(i64) -> NumberEvaluation>(judge: F) -> Numbers<F> {
    let (proposals, seen, seeds, shrunk) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Numbers { judge, proposals, seen, seeds, shrunk, is_over_at: usize::MAX }
}

impl<F: FnMut(i64) -> NumberEvaluation> TestSubject for Numbers<F> {
    type Key = &'static str;
    type Evidence = i64;

    fn evaluate(&mut self, choices: &mut Choices) -> NumberEvaluation {
        let value = ints(0..=TOP).draw(choices).expect("every number is allowed");
        self.seen.push(value);
        (self.judge)(value)
    }

    fn is_over(&mut self, stage: RunStage, evaluations: usize) -> bool {
        stage != RunStage::Shrinking && evaluations >= self.is_over_at
    }

    fn before_draw(&mut self, seed: u64) {
        self.seeds.push(seed);
    }

    fn next_input(&mut self) -> Option<NextInput> {
        (!self.proposals.is_empty()).then(|| self.proposals.remove(0))
    }

    fn before_shrinking(&mut self, key: &&'static str, _: &ChoiceTree) -> bool {
        self.shrunk.push(key);
        *key != "endless"
    }
}

fn passed() -> NumberEvaluation {
    Evaluation::Passed { utility: None }
}

fn failed(key: &'static str, value: i64) -> NumberEvaluation {
    Evaluation::Failed { key, utility: None, evidence: value }
}

fn tree_of(value: i64) -> ChoiceTree {
    let mut answers = crate::domain::Encoder::default();
    answers.integer(value);
    answers.finish()
}

/// A plan like that of `temper check`: each draw from its own seed, all failures collected.
fn collecting(draws: usize) -> RunPlan {
    let budget = RunBudget::Tests { draws, searches: draws, patience: 1000 };
    RunPlan {
        drawing: Drawing::BySeed { skipped: Vec::new() },
        when_failed: WhenFailed::Collect(20),
        ..RunPlan::new(None, 7, budget)
    }
}

#[test]
fn every_failure_is_collected_and_shrunk_within_its_key() {
    let judge = |x| match x {
        70_000.. => failed("large", x),
        5_000..30_000 => failed("middle", x),
        _ => passed(),
    };
    let mut subject = numbers(judge);
    let report = run(&mut subject, &collecting(200));
    let mut found: Vec<_> = report.failures.iter().map(|f| (f.key, f.evidence, f.is_stable)).collect();
    found.sort_unstable();
    assert_eq!(found, [(Some("large"), Some(70_000), true), (Some("middle"), Some(5_000), true)]);
    let failing = subject.seen[..200].iter().filter(|&&x| judge(x) != passed()).count();
    assert_eq!(report.failures.iter().map(|failure| failure.count).sum::<usize>(), failing);
    assert_eq!((report.evaluations, report.tested(), subject.seeds.len()), (200, 200, 200));
}

#[test]
fn failures_beyond_the_most_that_are_collected_are_left_out() {
    let keys = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let mut subject = numbers(|x| failed(keys[(x % 10) as usize], x));
    let plan = RunPlan { when_failed: WhenFailed::Collect(3), ..collecting(100) };
    let report = run(&mut subject, &plan);
    assert_eq!((report.failures.len(), report.evaluations), (3, 100));
}

#[test]
fn a_failure_that_cannot_be_shrunk_stays_as_it_was_found() {
    let mut subject = numbers(|x| if x > 500 { failed("endless", x) } else { passed() });
    let report = run(&mut subject, &collecting(20));
    let failure = &report.failures[0];
    assert_eq!(failure.evidence, subject.seen.iter().copied().find(|&x| x > 500));
    assert_eq!((failure.shrinks, failure.is_stable), (0, true));
    // It is not even evaluated again: a call that does not end would not end again.
    assert_eq!((subject.seen.len(), subject.shrunk), (20, vec!["endless"]));
}

#[test]
fn skipped_seeds_are_not_drawn_and_the_others_stay() {
    let draws = |skipped: Vec<u64>| {
        let mut subject = numbers(|_| passed());
        run(&mut subject, &RunPlan { drawing: Drawing::BySeed { skipped }, ..collecting(5) });
        subject.seeds.into_iter().zip(subject.seen).collect::<Vec<_>>()
    };
    let (all, without) = (draws(Vec::new()), draws(vec![8, 10]));
    assert_eq!(without.iter().map(|(seed, _)| *seed).collect::<Vec<_>>(), [7, 9, 11, 12, 13]);
    assert!(all.iter().filter(|draw| ![8, 10].contains(&draw.0)).all(|draw| without.contains(draw)));
}

#[test]
fn first_inputs_count_as_drawn() {
    let mut subject = numbers(|_| passed());
    let report = run(&mut subject, &RunPlan { first: vec![tree_of(12_345)], ..collecting(5) });
    assert_eq!((subject.seen[0], report.evaluations, subject.seeds.len()), (12_345, 5, 4));
}

#[test]
fn rejected_inputs_do_not_count_as_tests_until_there_are_too_many() {
    let run_rejecting = |keep: i64| {
        let mut count = 0;
        let mut subject = numbers(move |_| {
            count += 1;
            if keep > 0 && count % keep == 0 { passed() } else { Evaluation::Rejected { by: RejectedBy::Precondition } }
        });
        let report = run(&mut subject, &collecting(200));
        (report.tested(), report.evaluations, report.too_few_tests().is_some())
    };
    assert_eq!(run_rejecting(1), (200, 200, false));
    assert_eq!(run_rejecting(10), (200, 2000, false));
    // One in eleven: 2,000 evaluations are all that 200 tests are worth.
    assert_eq!(run_rejecting(11), (181, 2000, true));
    // A run that tested nothing is given up at its patience.
    assert_eq!(run_rejecting(0), (0, 1000, true));
}

#[test]
fn a_utility_lets_a_run_go_on_for_longer() {
    let tested = |utility: Option<f64>| {
        let mut subject = numbers(move |_| Evaluation::Passed { utility: utility.map(Utilities::One) });
        let budget = RunBudget::Tests { draws: 20, searches: 300, patience: 1000 };
        run(&mut subject, &RunPlan::new(None, 1, budget)).tested()
    };
    assert_eq!((tested(None), tested(Some(1.0))), (20, 300));
}

#[test]
fn the_clock_ends_a_run_but_not_before_its_first_input() {
    for (is_over_at, expected) in [(0, 1), (30, 30)] {
        let mut subject = numbers(|_| passed());
        subject.is_over_at = is_over_at;
        assert_eq!(run(&mut subject, &collecting(200)).evaluations, expected);
    }
}

#[test]
fn proposals_follow_the_draws_within_their_budget() {
    let proposals: Vec<_> = (0..50).map(|value| NextInput::Recorded(tree_of(value))).collect();
    let mut subject = numbers(|x| if x == 17 { failed("seventeen", x) } else { passed() });
    subject.proposals.clone_from(&proposals);
    let report = run(&mut subject, &RunPlan { search_budget: 30, ..collecting(5) });
    assert_eq!(subject.seen[5..35], (0..30).collect::<Vec<i64>>());
    assert_eq!((report.searched, report.evaluations, report.failures.len()), (30, 35, 1));
    let mut unasked = numbers(|_| passed());
    unasked.proposals = proposals;
    assert_eq!(run(&mut unasked, &collecting(5)).evaluations, 5);
}

#[test]
fn a_climb_moves_on_from_inputs_that_are_no_worse() {
    let mut subject = numbers(|x| Evaluation::Passed { utility: Some((-(x - 600).abs() as f64).into()) });
    let start = NextInput::Climb { seed: 1, from: tree_of(90_000), utility: -89_400.0 };
    subject.proposals = std::iter::once(start).chain(std::iter::repeat_n(NextInput::Neighbour, 2000)).collect();
    run(&mut subject, &RunPlan { search_budget: 5000, ..collecting(1) });
    assert_eq!(subject.seen.len(), 2002);
    assert!(subject.seen.contains(&600));
}

#[test]
fn a_failure_that_hides_others_is_steered_around() {
    // Nearly every draw ends in the first failure; the second lies among the few numbers that do not.
    let judge = |x: i64| match x {
        2_000.. => failed("common", x),
        1_000..1_010 => failed("hidden", x),
        _ => passed(),
    };
    let keys = |search_budget| {
        let report = run(&mut numbers(judge), &RunPlan { search_budget, ..collecting(30) });
        (report.failures.iter().filter_map(|failure| failure.key).collect::<Vec<_>>(), report.searched)
    };
    assert_eq!(keys(0), (vec!["common"], 0));
    assert_eq!(keys(10_000), (vec!["common", "hidden"], 2000));
    // A small search spends a quarter of itself on it.
    assert_eq!(keys(400).1, 100);
}

#[test]
fn a_failure_hides_others_if_more_than_half_of_the_inputs_end_in_it() {
    let searched = |failing: usize| {
        let mut count = 0;
        let mut subject = numbers(move |x| {
            count += 1;
            if count <= failing { failed("common", x) } else { passed() }
        });
        run(&mut subject, &RunPlan { search_budget: 1000, ..collecting(100) }).searched
    };
    assert_eq!((searched(50), searched(51)), (0, 250));
}

#[test]
fn inputs_without_a_result_are_tested_and_no_start_to_steer_from() {
    let mut subject = numbers(|x| match x {
        0..50_000 => Evaluation::NoResult { utility: None },
        _ => failed("rest", x),
    });
    let report = run(&mut subject, &RunPlan { search_budget: 1000, ..collecting(50) });
    assert_eq!((report.tested(), report.searched), (50, 0));
}

#[test]
fn a_saved_failure_is_the_whole_result() {
    let mut subject = numbers(|x| if x > 500 { failed("large", x) } else { passed() });
    let plan = RunPlan { saved: vec![tree_of(3), tree_of(800), tree_of(900)], ..collecting(200) };
    let report = run(&mut subject, &plan);
    assert_eq!((report.evaluations, subject.seen), (0, vec![3, 800]));
    let failure = &report.failures[0];
    assert_eq!((failure.is_saved, failure.evidence, report.too_few_tests()), (true, Some(800), None));
}

#[test]
fn the_quickest_chain_counts_and_its_failure_is_tested_again() {
    let chain = |evaluations, found: Option<i64>, best: f64| ChainReport {
        evaluations,
        rejections: Rejections { by_property: 2, ..Rejections::default() },
        climb: vec![(1, best)],
        found: found.map(tree_of),
    };
    let plan = RunPlan::new(None, 1, RunBudget::Evaluations(100));
    let best = |chains: Vec<ChainReport>| {
        let mut subject = numbers(|x| if x > 500 { failed("large", x) } else { passed() });
        run_chains(&mut subject, &plan, |_| chains)
    };
    let found = best(vec![chain(50, None, 9.0), chain(30, Some(700), 1.0), chain(20, Some(900), 2.0)]);
    assert_eq!((found.evaluations, found.rejections.total(), &found.climb[..]), (60, 6, &[(1, 2.0)][..]));
    assert_eq!((found.failures[0].evidence, found.failures[0].is_stable), (Some(501), true));
    let highest = best(vec![chain(50, None, 3.0), chain(50, None, 9.0)]);
    assert_eq!((highest.failures.len(), &highest.climb[..]), (0, &[(1, 9.0)][..]));
    let unstable = best(vec![chain(20, Some(100), 1.0)]);
    assert_eq!((unstable.failures[0].key, unstable.failures[0].is_stable), (None, false));
}

#[test]
fn a_first_input_that_fails_ends_a_run_that_stops() {
    let mut subject = numbers(|x| failed("any", x));
    let first = vec![tree_of(800), tree_of(900)];
    let plan = RunPlan { first, when_failed: WhenFailed::Stop, shrink_budget: 0, ..collecting(200) };
    let report = run(&mut subject, &plan);
    assert_eq!((report.evaluations, report.failures[0].evidence), (1, Some(800)));
}

#[test]
fn a_simpler_input_that_ends_in_another_failure_is_not_kept() {
    // The draw, the test that it fails again and one try to shrink it end in one failure; the last test, in another.
    let mut count = 0;
    let mut subject = numbers(move |x| {
        count += 1;
        failed(if count <= 3 { "early" } else { "late" }, x)
    });
    let report = run(&mut subject, &RunPlan { shrink_budget: 1, ..collecting(1) });
    let failure = &report.failures[0];
    assert_eq!(subject.seen.len(), 4);
    assert_eq!((failure.key, failure.evidence, failure.shrinks), (Some("early"), Some(subject.seen[0]), 0));
}

#[test]
fn the_clock_of_shrinking_is_asked_apart() {
    struct Hurried(usize);
    impl TestSubject for Hurried {
        type Key = ();
        type Evidence = ();

        fn evaluate(&mut self, choices: &mut Choices) -> Evaluation<(), ()> {
            let _ = ints(0..=TOP).draw(choices);
            self.0 += 1;
            Evaluation::Failed { key: (), utility: None, evidence: () }
        }

        fn is_over(&mut self, stage: RunStage, _: usize) -> bool {
            stage == RunStage::Shrinking
        }
    }
    let mut subject = Hurried(0);
    run(&mut subject, &collecting(20));
    // Twenty draws, and the test that the failure repeats.
    assert_eq!(subject.0, 21);
}
