//! The shrinking challenge (github.com/jlink/shrinking-challenge), problem by problem, and two problems with values that
//! belong together: orders that share a total, and expressions. `benches/forall/challenge.py` has the same problems for
//! the Python package and for Hypothesis.

use crate::cpu::Stopwatch;
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use temper::IntoOutcome;
use temper::domain::draw_level;
use temper::prelude::*;

/// The most inputs that are drawn until one fails.
const DRAWS: usize = 1_000_000;

/// The shrunk counterexamples of one problem as text, and the seconds that finding and shrinking took.
struct ShrunkProblem {
    name: &'static str,
    best: String,
    results: Vec<String>,
    seconds: f64,
}

impl ShrunkProblem {
    fn line(&self) -> String {
        let mut counts: HashMap<&String, usize> = HashMap::new();
        self.results.iter().for_each(|result| *counts.entry(result).or_default() += 1);
        let most = counts.iter().max_by_key(|(result, count)| (**count, result.len())).map_or("", |(result, _)| result);
        let is_best = self.results.iter().filter(|result| **result == self.best).count();
        let milliseconds = 1000.0 * self.seconds / self.results.len().max(1) as f64;
        let (runs, distinct) = (self.results.len(), counts.len());
        format!(
            "| {} | `{}` | {is_best} of {runs} | {distinct} | `{}` | {milliseconds:.1} |",
            self.name,
            self.best,
            cut(most)
        )
    }
}

fn cut(text: &str) -> String {
    if text.len() > 60 { format!("{}...", &text[..60]) } else { text.to_owned() }
}

fn shrunk<D: Domain, O: IntoOutcome>(
    name: &'static str,
    best: &str,
    seeds: u64,
    domain: &D,
    property: impl Fn(&D::Value) -> O,
) -> ShrunkProblem
where
    D::Value: Debug,
{
    let watch = Stopwatch::start();
    let run = |seed| forall(domain).method(Method::Random).budget(DRAWS).seed(seed).run(&property);
    let shown = |seed| run(seed).value().map_or("not found".to_owned(), |value| format!("{value:?}"));
    let results = (0..seeds).map(shown).collect();
    ShrunkProblem { name, best: best.to_owned(), results, seconds: watch.seconds() }
}

/// A number of interest of each result instead of its text, for problems with several best results.
fn measured(name: &'static str, best: &str, results: Vec<usize>, seconds: f64) -> ShrunkProblem {
    let results = results.iter().map(ToString::to_string).collect();
    ShrunkProblem { name, best: best.to_owned(), results, seconds }
}

/// Prints the table over this many seeds.
pub fn print(seeds: u64) {
    println!(
        "\n| shrinking challenge, {seeds} seeds | best | reached | results | most frequent | ms a run |\n|---|---|---|---|---|---|"
    );
    for problem in PROBLEMS {
        println!("{}", problem(seeds).line());
    }
}

const PROBLEMS: [fn(u64) -> ShrunkProblem; 15] = [
    bound5,
    large_union,
    reverse,
    calculator,
    binheap,
    coupling,
    deletion,
    not_zero,
    small,
    one,
    distinct,
    lengths,
    nested,
    orders,
    expressions,
];

fn bound5(seeds: u64) -> ShrunkProblem {
    let list = || vecs(any::<i16>());
    let domain = (list(), list(), list(), list(), list());
    shrunk("bound5", "([], [], [], [-1], [-32768])", seeds, &domain, |lists| {
        let lists = [&lists.0, &lists.1, &lists.2, &lists.3, &lists.4];
        let sums = lists.map(|list| list.iter().fold(0i16, |sum, &x| sum.wrapping_add(x)));
        if sums.iter().any(|&sum| sum >= 256) {
            return Outcome::Rejected;
        }
        (sums.iter().fold(0i16, |all, &sum| all.wrapping_add(sum)) < 5 * 256).into_outcome()
    })
}

fn large_union(seeds: u64) -> ShrunkProblem {
    let domain = vecs(vecs(any::<i64>()));
    let union = |lists: &Vec<Vec<i64>>| lists.iter().flatten().collect::<HashSet<_>>().len();
    shrunk("large_union_list", "[[0, 1, -1, 2, -2]]", seeds, &domain, |lists| union(lists) <= 4)
}

fn reverse(seeds: u64) -> ShrunkProblem {
    shrunk("reverse", "[0, 1]", seeds, &vecs(any::<i64>()), |list| list.iter().rev().eq(list.iter()))
}

#[derive(Clone, Debug, Domain)]
enum Calculation {
    Number(i32),
    Add(Box<Calculation>, Box<Calculation>),
    Divide(Box<Calculation>, Box<Calculation>),
}

impl Calculation {
    fn divides_by_zero(&self) -> bool {
        match self {
            Calculation::Number(_) => false,
            Calculation::Divide(_, by) if matches!(**by, Calculation::Number(0)) => true,
            Calculation::Add(a, b) | Calculation::Divide(a, b) => a.divides_by_zero() || b.divides_by_zero(),
        }
    }

    fn value(&self) -> Option<i64> {
        match self {
            Calculation::Number(number) => Some(i64::from(*number)),
            Calculation::Add(a, b) => Some(a.value()?.wrapping_add(b.value()?)),
            Calculation::Divide(a, b) => a.value()?.checked_div(b.value()?),
        }
    }
}

fn calculator(seeds: u64) -> ShrunkProblem {
    let best = "Divide(Number(0), Add(Number(0), Number(0)))";
    shrunk("calculator", best, seeds, &any::<Calculation>(), |calculation| {
        if calculation.divides_by_zero() {
            return Outcome::Rejected;
        }
        calculation.value().is_some().into_outcome()
    })
}

type Heap = Option<Box<HeapNode>>;

#[derive(Clone)]
struct HeapNode(i64, Heap, Heap);

impl Debug for HeapNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {:?}, {:?})", self.0, self.1, self.2)
    }
}

struct Heaps;

impl Domain for Heaps {
    type Value = Heap;

    fn draw(&self, choices: &mut Choices) -> Result<Heap, Rejected> {
        draw_heap(choices, 0)
    }
}

fn draw_heap(choices: &mut Choices, least: i64) -> Result<Heap, Rejected> {
    draw_level(choices, |choices, is_deep| {
        if is_deep || !choices.flag(0.5) {
            return Ok(None);
        }
        let value = choices.integer(least, i64::from(i32::MAX), Spread::Edges);
        Ok(Some(Box::new(HeapNode(value, draw_heap(choices, value)?, draw_heap(choices, value)?))))
    })
}

fn heap_list(heap: &Heap) -> Vec<i64> {
    let (mut list, mut stack) = (Vec::new(), vec![heap]);
    while let Some(heap) = stack.pop() {
        if let Some(node) = heap {
            list.push(node.0);
            stack.extend([&node.2, &node.1]);
        }
    }
    list
}

fn merged(a: Heap, b: Heap) -> Heap {
    let (a, b) = match (a, b) {
        (None, other) | (other, None) => return other,
        (Some(a), Some(b)) => {
            if a.0 <= b.0 {
                (a, b)
            } else {
                (b, a)
            }
        }
    };
    Some(Box::new(HeapNode(a.0, merged(a.2, Some(b)), a.1)))
}

fn binheap(seeds: u64) -> ShrunkProblem {
    let best = "Some((0, None, Some((0, Some((1, None, None)), Some((0, None, None))))))";
    shrunk("binheap", best, seeds, &Heaps, |heap| {
        let Some(node) = heap else { return true };
        let rest = heap_list(&merged(node.1.clone(), node.2.clone()));
        let wrong: Vec<i64> = std::iter::once(node.0).chain(rest).collect();
        let mut right = heap_list(heap);
        right.sort_unstable();
        wrong == right
    })
}

fn coupling(seeds: u64) -> ShrunkProblem {
    shrunk("coupling", "[1, 0]", seeds, &vecs(ints(0..=10usize)).max_len(10), |list| {
        if list.iter().any(|&item| item >= list.len()) {
            return Outcome::Rejected;
        }
        (0..list.len()).all(|i| list[i] == i || list[list[i]] != i).into_outcome()
    })
}

fn deletion(seeds: u64) -> ShrunkProblem {
    let domain = vecs(any::<i32>()).min_len(1).and_then(|list| (just(list.clone()), ints(0..list.len())));
    let domain = domain.map(|(list, at)| (list.clone(), list[at]));
    shrunk("deletion", "([0, 0], 0)", seeds, &domain, |(list, item)| {
        list.iter().filter(|other| *other == item).count() < 2
    })
}

fn difference(name: &'static str, best: &str, seeds: u64, is_wrong: impl Fn(u32) -> bool) -> ShrunkProblem {
    let number = || ints(1..=i32::MAX);
    shrunk(name, best, seeds, &(number(), number()), |&(a, b)| a < 10 || !is_wrong(a.abs_diff(b)))
}

fn not_zero(seeds: u64) -> ShrunkProblem {
    difference("difference_must_not_be_zero", "(10, 10)", seeds, |by| by == 0)
}

fn small(seeds: u64) -> ShrunkProblem {
    difference("difference_must_not_be_small", "(10, 6)", seeds, |by| (1..=4).contains(&by))
}

fn one(seeds: u64) -> ShrunkProblem {
    difference("difference_must_not_be_one", "(10, 9)", seeds, |by| by == 1)
}

fn distinct(seeds: u64) -> ShrunkProblem {
    let count = |list: &Vec<i64>| list.iter().collect::<HashSet<_>>().len();
    shrunk("distinct", "[0, 1, -1]", seeds, &vecs(any::<i64>()), |list| count(list) < 3)
}

fn lengths(seeds: u64) -> ShrunkProblem {
    let domain = ints(1..=100usize).and_then(|len| vecs(ints(0..=1000)).len(len..=len));
    shrunk("lengthlist", "[900]", seeds, &domain, |list| list.iter().all(|&item| item < 900))
}

fn nested(seeds: u64) -> ShrunkProblem {
    let best = "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]";
    shrunk("nestedlists", best, seeds, &vecs(vecs(any::<i64>())), |lists| {
        lists.iter().map(Vec::len).sum::<usize>() <= 10
    })
}

#[derive(Clone, Debug, Domain)]
struct Order {
    #[domain(ints(0..=3))]
    warehouse: u8,
    #[domain(ints(1..=20))]
    quantity: u32,
    is_express: bool,
    _price: u16,
}

/// The largest quantity that express orders ask of one warehouse.
fn express_load(orders: &[Order]) -> u32 {
    let load = |warehouse| {
        let express = orders.iter().filter(|order| order.is_express && order.warehouse == warehouse);
        express.map(|order| order.quantity).sum()
    };
    (0..4).map(load).max().unwrap_or(0)
}

fn orders(seeds: u64) -> ShrunkProblem {
    let watch = Stopwatch::start();
    let run = |seed| {
        let search = forall(vecs(any::<Order>()).max_len(80)).maximize(|orders| f64::from(express_load(orders)));
        let report = search.seed(seed).budget(20_000).run(|orders| express_load(orders) < 200);
        report.value().map_or(0, Vec::len)
    };
    let results = (0..seeds).map(run).collect();
    measured("orders (length)", "10", results, watch.seconds())
}

#[derive(Clone, Debug, Domain)]
enum Expression {
    Constant(#[expect(dead_code, reason = "only the structure counts")] i8),
    Variable(#[expect(dead_code, reason = "only the structure counts")] u8),
    Negated(Box<Expression>),
    Sum(Box<Expression>, Box<Expression>),
    Product(Box<Expression>, Box<Expression>),
    Call(
        #[expect(dead_code, reason = "only the structure counts")] String,
        #[domain(vecs(any::<Expression>()).max_len(3))] Vec<Expression>,
    ),
}

impl Expression {
    fn children(&self) -> Vec<&Expression> {
        match self {
            Expression::Constant(_) | Expression::Variable(_) => Vec::new(),
            Expression::Negated(a) => vec![a],
            Expression::Sum(a, b) | Expression::Product(a, b) => vec![a, b],
            Expression::Call(_, arguments) => arguments.iter().collect(),
        }
    }

    fn nodes(&self) -> usize {
        1 + self.children().iter().map(|child| child.nodes()).sum::<usize>()
    }

    /// How many registers an evaluation needs (Sethi and Ullman). Calls keep their arguments in memory: only sums and
    /// products hold two values at the same time.
    fn registers(&self) -> usize {
        let needs: Vec<usize> = self.children().into_iter().map(Expression::registers).collect();
        match (self, needs.as_slice()) {
            (Expression::Sum(..) | Expression::Product(..), [a, b]) if a == b => a + 1,
            (_, needs) => needs.iter().copied().max().unwrap_or(1),
        }
    }
}

fn expressions(seeds: u64) -> ShrunkProblem {
    let watch = Stopwatch::start();
    let run = |seed| {
        let search = forall(any::<Expression>()).maximize(|expression| expression.registers() as f64);
        let report = search.seed(seed).budget(20_000).run(|expression| expression.registers() < 4);
        report.value().map_or(0, Expression::nodes)
    };
    let results = (0..seeds).map(run).collect();
    measured("expressions (nodes)", "15", results, watch.seconds())
}
