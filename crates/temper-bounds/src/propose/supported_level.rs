//! The level that the evidence supports: a bound that was observed for one failure in a hundred is worth more than one for
//! one in a thousand that lies far beyond all samples; and what further runs would buy.

use temper_stats::Target;
use temper_stats::tail::limit::FittedTail;

use super::candidate::Candidate;
use crate::findings::JudgedSite;
use crate::judge::value_range::inside_range;
use crate::judge::verdict::Rules;
use crate::propose::proposal::{AskedLevel, LevelBound, MoreRuns, Remedy, Support};
use crate::propose::rewrite;

/// An extrapolated bound that is further from the median than an observed one by more than this factor is not taken.
const FAR: f64 = 1.25;
/// Ends of the range of what further runs would give.
const RANGE: [f64; 2] = [0.2, 0.8];
/// Up to this shape the range can be told. Simulated from 300 values for the greatest of 2,995: the middle of the range is
/// right within a quarter of the distance from the median in 79 of 100 cases or more of the light tails of `benches/stats`, and in 13
/// to 70 of the heavy ones, most of which have a larger shape.
const TELLING_SHAPE: f64 = 0.05;

/// The candidate, or the one for the highest target with an observed bound, if the candidate is extrapolated and lies far
/// beyond that.
pub(super) fn best(row: &JudgedSite<'_>, candidate: Candidate) -> Candidate {
    lower_level(row, &candidate).unwrap_or(candidate)
}

fn lower_level(row: &JudgedSite<'_>, candidate: &Candidate) -> Option<Candidate> {
    let series = &row.result.series;
    let Remedy::Bound { text, bound, support: support @ Support::Extrapolated { .. }, .. } = &candidate.remedy else {
        return None;
    };
    let is_worth = |pass: f64| pass < candidate.pass.get() && pass >= Target::HUNDREDTH.get();
    let observed = |level: &&LevelBound| matches!(level.support, Support::Observed { .. });
    let levels = candidate.levels.iter().filter(|level| is_worth(level.pass));
    let (pass, level) =
        levels.filter_map(|level| Some((level.pass, level.bound.as_ref().filter(observed)?))).next_back()?;
    let median = series.samples().ok()?.quantile(0.5)?;
    let times = (bound - median).abs() / (level.bound - median).abs();
    if times <= FAR {
        return None;
    }
    let draft = rewrite::exact(row.planned, row.site, series, &level.text, level.bound).ok()?;
    let remedy = Remedy::Bound {
        text: level.text.clone(),
        bound: level.bound,
        limit: level.bound,
        support: level.support.clone(),
    };
    let asked = LevelBound { text: text.clone(), bound: *bound, support: support.clone(), fresh_failures: None };
    let asked = Some(AskedLevel { pass: candidate.pass.get(), bound: asked, times });
    Some(Candidate { draft, remedy, pass: Target::new(pass).ok()?, asked, ..candidate.clone() })
}

/// What further runs would buy where the bound that was asked for is extrapolated.
pub(super) fn more_runs(row: &JudgedSite<'_>, rules: &Rules, candidate: &Candidate) -> Option<MoreRuns> {
    let is_extrapolated = matches!(&candidate.remedy, Remedy::Bound { support: Support::Extrapolated { .. }, .. })
        || candidate.asked.is_some();
    let series = &row.result.series;
    let needed = rules.runs_for_largest();
    let runs = needed.checked_sub(series.numbers.len()).filter(|&runs| runs > 0 && is_extrapolated)?;
    let samples = series.samples().ok()?;
    let tail = FittedTail::new(&series.direction.orient(&samples)).filter(|tail| tail.shape() <= TELLING_SHAPE);
    let text = |share: f64| {
        let largest = series.direction.oriented(tail.as_ref()?.largest_of(needed, share)?);
        let inside = inside_range(series, &samples, largest);
        Some(rewrite::number(row.planned, row.site, series, inside).ok()?.text)
    };
    let about = match RANGE.map(text) {
        [Some(near), Some(far)] => Some([near, far]),
        _ => None,
    };
    Some(MoreRuns { runs, secs: runs as f64 * row.test.secs, pass: rules.pass.get(), about })
}
