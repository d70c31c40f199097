//! The samples of one assertion site over the runs of one test, in run order.

use temper_source::Role;
use temper_stats::bound::Range;
use temper_stats::{Direction, Error, Samples};

use crate::sample::run_record::{Needed, RunEnd, RunRecord};

/// What is known of a site before it is sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteShape {
    /// Its number in records.
    pub number: i64,
    /// The side on which the value must stay.
    pub direction: Direction,
    /// Whether the bound itself fails.
    pub is_strict: bool,
    /// Roles of its bounds, those that the author wrote first.
    pub roles: Vec<Role>,
    /// How many of them the author wrote.
    pub written: usize,
    /// Whether the actual is a distance from an expected number.
    pub is_distance: bool,
    /// Limits of the value that its name tells.
    pub known_range: Range,
}

/// The samples of one site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteSamples {
    /// The side on which the value must stay.
    pub direction: Direction,
    /// Whether the bound itself fails.
    pub is_strict: bool,
    /// Which bound the numbers are of.
    pub role: Role,
    /// Whether the numbers are distances from an expected number.
    pub is_distance: bool,
    /// Limits of the value that its name tells.
    pub known_range: Range,
    /// Whether the test passes with its own fixed seeds, which the runs leave aside.
    pub is_green: bool,
    /// Whether all further runs show the same as these: nothing in them is left to chance.
    pub is_fixed: bool,
    /// The bound in force; 0 if it differs from run to run and the numbers are distances from it.
    pub bound: f64,
    /// Whether the numbers are distances from a bound that differs from run to run.
    pub is_margin: bool,
    /// Finite numbers needed, in run order.
    pub numbers: Vec<f64>,
    /// The seed behind each number.
    pub seeds: Vec<u64>,
    /// Runs of the test.
    pub runs: usize,
    /// Runs that reached the site.
    pub reached: usize,
    /// Runs in which the assertion failed.
    pub failures: usize,
    /// Runs with a NaN.
    pub nan: usize,
    /// Runs with an infinity.
    pub infinite: usize,
    /// Runs whose operands gave no number.
    pub unreadable: usize,
    /// Why they gave none.
    pub reason: String,
    /// Runs that ended in an exception before or behind the site.
    pub errors: usize,
    /// Seeds of runs with a NaN, an infinity or no number.
    pub odd_seeds: Vec<u64>,
    /// The number in force of each bound of the site, written or not, in the first run that showed it.
    pub in_force: Vec<(Role, f64)>,
}

impl SiteSamples {
    fn empty(direction: Direction, is_strict: bool, role: Role) -> Self {
        Self {
            direction,
            is_strict,
            role,
            is_distance: false,
            known_range: Range::default(),
            is_green: false,
            is_fixed: false,
            bound: f64::NAN,
            is_margin: role == Role::Margin,
            numbers: Vec::new(),
            seeds: Vec::new(),
            runs: 0,
            reached: 0,
            failures: 0,
            nan: 0,
            infinite: 0,
            unreadable: 0,
            reason: String::new(),
            errors: 0,
            odd_seeds: Vec::new(),
            in_force: Vec::new(),
        }
    }

    /// The series of a plain comparison whose runs gave these values, under the seeds 0, 1, 2 and so on.
    #[must_use]
    pub fn of_values(direction: Direction, is_strict: bool, bound: f64, values: &[f64]) -> Self {
        let mut series = Self::empty(direction, is_strict, Role::Value);
        (series.bound, series.runs, series.reached) = (bound, values.len(), values.len());
        for (seed, &value) in (0..).zip(values) {
            series.nan += usize::from(value.is_nan());
            series.infinite += usize::from(value.is_infinite());
            series.failures += usize::from(!series.is_inside(value));
            if value.is_finite() {
                series.numbers.push(value);
                series.seeds.push(seed);
            } else {
                series.odd_seeds.push(seed);
            }
        }
        series
    }

    /// Gathers the samples of a site from runs in their order.
    #[must_use]
    pub fn gather(shape: &SiteShape, runs: &[&RunRecord]) -> Self {
        let role = choose_role(shape, runs);
        let mut series = Self::empty(shape.direction, shape.is_strict, role);
        (series.is_distance, series.known_range) = (shape.is_distance, shape.known_range);
        series.runs = runs.len();
        let mut bounds = Vec::new();
        for run in runs {
            series.errors += usize::from(matches!(run.end, RunEnd::Error(_) | RunEnd::Failed(_)));
            let Some(site) = run.sites.get(&shape.number) else { continue };
            series.reached += 1;
            series.failures += usize::from(site.failed > 0);
            // A NaN that the test's own comparison accepts is one that its author knows.
            series.nan += usize::from(site.nan > 0 && site.failed > 0);
            series.infinite += usize::from(site.infinite > 0);
            series.unreadable += usize::from(site.unreadable > 0);
            if site.unreadable > 0 {
                series.reason.clone_from(&site.reason);
            }
            if site.nan + site.infinite > 0 && site.failed > 0 || site.unreadable > 0 {
                series.odd_seeds.push(run.seed);
            }
            for needed in &site.needed {
                if series.in_force.iter().all(|(role, _)| *role != needed.role) {
                    series.in_force.push((needed.role, needed.bound));
                }
            }
            let needed = site.needed.iter().find(|needed| needed.role == role && needed.number.is_finite());
            if let Some(needed) = needed {
                series.numbers.push(needed.number);
                series.seeds.push(run.seed);
                bounds.push(needed.bound);
            }
        }
        series.settle_bound(&bounds);
        series
    }

    /// One bound for all runs, or distances from a bound that moves.
    fn settle_bound(&mut self, bounds: &[f64]) {
        let Some(&first) = bounds.first() else { return };
        if bounds.iter().all(|&bound| bound == first) {
            self.bound = first;
            return;
        }
        for (number, bound) in self.numbers.iter_mut().zip(bounds) {
            *number -= bound;
        }
        self.numbers.retain(|number| number.is_finite());
        self.bound = 0.0;
        self.is_margin = true;
    }

    /// The numbers, sorted.
    ///
    /// # Errors
    /// Never for a series that was gathered; numbers are finite.
    pub fn samples(&self) -> Result<Samples, Error> {
        Samples::new(&self.numbers)
    }

    /// Whether a value stays on the right side of the bound.
    #[must_use]
    pub fn is_inside(&self, value: f64) -> bool {
        let (value, bound) = (self.direction.oriented(value), self.direction.oriented(self.bound));
        if self.is_strict { value < bound } else { value <= bound }
    }

    /// Seeds of the runs nearest to failing or beyond, worst first.
    #[must_use]
    pub fn worst_seeds(&self, count: usize) -> Vec<u64> {
        let mut order: Vec<usize> = (0..self.numbers.len().min(self.seeds.len())).collect();
        order.sort_by(|&a, &b| {
            let key = |index: usize| self.direction.oriented(self.numbers[index]);
            key(b).total_cmp(&key(a))
        });
        let odd = self.odd_seeds.iter().copied();
        odd.chain(order.into_iter().map(|index| self.seeds[index])).take(count).collect()
    }
}

/// The bound to look at: of those that the author wrote, the one that needs the smaller relative change. A tolerance of zero
/// is none to look at while there is another, nor is one that no run needed because the other is enough.
fn choose_role(shape: &SiteShape, runs: &[&RunRecord]) -> Role {
    let candidates = if shape.written > 0 { &shape.roles[..shape.written] } else { &shape.roles[..] };
    let change = |role: Role| {
        let sites = runs.iter().filter_map(|run| run.sites.get(&shape.number));
        let needed = sites.flat_map(|site| &site.needed).filter(|needed| needed.role == role);
        let change = |needed: &Needed| match needed.bound {
            0.0 => f64::INFINITY,
            bound => (needed.number - bound) / bound.abs(),
        };
        if needed.clone().all(|needed| needed.number == 0.0) {
            return f64::INFINITY;
        }
        needed.map(change).reduce(f64::max).unwrap_or(f64::INFINITY)
    };
    let best = candidates.iter().copied().min_by(|&a, &b| change(a).total_cmp(&change(b)));
    best.unwrap_or(Role::Value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::run_record::{RandomUse, SiteRun};

    fn role(written: usize, needed: &[(Role, f64, f64)]) -> Role {
        let shape = SiteShape {
            number: 1,
            direction: Direction::Upper,
            is_strict: false,
            roles: needed.iter().map(|(role, ..)| *role).collect(),
            written,
            is_distance: true,
            known_range: Range::default(),
        };
        let needed = needed.iter().map(|&(role, number, bound)| Needed { role, number, bound }).collect();
        let site = SiteRun { hits: 1, needed, ..SiteRun::default() };
        let run = RunRecord {
            seed: 0,
            end: RunEnd::Passed,
            secs: 0.0,
            cpu_secs: 0.0,
            random: RandomUse::Unseeded,
            sites: [(1, site)].into(),
        };
        choose_role(&shape, &[&run])
    }

    #[test]
    fn the_tolerance_that_needs_the_smaller_change_is_looked_at() {
        use Role::{Absolute, Relative};
        // rtol from 0.1 to 0.2 is twice, atol from 0.01 to 0.5 is fifty times.
        assert_eq!(role(2, &[(Relative, 0.2, 0.1), (Absolute, 0.5, 0.01)]), Relative);
        assert_eq!(role(2, &[(Relative, 9.0, 0.1), (Absolute, 0.015, 0.01)]), Absolute);
        // Only what the author wrote, and no zero next to another number.
        assert_eq!(role(1, &[(Relative, 9.0, 0.1), (Absolute, 0.0, 1e-8)]), Relative);
        assert_eq!(role(0, &[(Relative, 2e-16, 1e-7), (Absolute, -1e-7, 0.0)]), Relative);
    }

    #[test]
    fn a_bound_that_moves_is_measured_from_where_it_is() {
        let shape = SiteShape {
            number: 1,
            direction: Direction::Upper,
            is_strict: true,
            roles: vec![Role::Value],
            written: 1,
            is_distance: false,
            known_range: Range::default(),
        };
        let run = |seed: u64, number: f64, bound: f64| {
            let needed = vec![Needed { role: Role::Value, number, bound }];
            let site = SiteRun { hits: 1, needed, ..SiteRun::default() };
            RunRecord {
                seed,
                end: RunEnd::Passed,
                secs: 0.0,
                cpu_secs: 0.0,
                random: RandomUse::Unseeded,
                sites: [(1, site)].into(),
            }
        };
        let runs = [run(1, 3.0, 5.0), run(2, 4.0, 4.5)];
        let series = SiteSamples::gather(&shape, &runs.iter().collect::<Vec<_>>());
        assert_eq!((series.numbers.as_slice(), series.bound, series.is_margin), (&[-2.0, -0.5][..], 0.0, true));
        assert_eq!(series.worst_seeds(1), [2]);
    }
}
