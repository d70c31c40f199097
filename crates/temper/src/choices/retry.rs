//! Drawing a part again, for filters and for lists without duplicates.

use super::{BaseReading, Choices};

/// How often a filter tries again before it gives up its recorded answers, and again before it rejects.
pub(crate) const FILTER_TRIES: u32 = 50;

/// A place to which [`Choices::retry`] returns.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pos: usize,
    reading: BaseReading,
    recorded: usize,
    drawn: u64,
    tries: u32,
}

impl Choices {
    /// Remembers this place, for a part that may have to be drawn again.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { pos: self.pos, reading: self.reading, recorded: self.record_len(), drawn: self.drawn, tries: 0 }
    }

    /// Whether a part that is drawn again needs nothing but other draws: nothing is recorded, and no answer is given.
    #[inline]
    pub(crate) fn is_plain_part(&self) -> bool {
        self.is_plain && !self.reading.simple_part && self.enumeration.is_none()
    }

    /// Forgets what was recorded since `mark` and returns there to draw that part again; `false` when trying again
    /// is of no use: the tries are used up, no answer could be different, or all answers have their turn anyway.
    ///
    /// The first tries move the same recorded answers again; when those cannot differ or fail too often, the part is
    /// drawn fresh.
    #[inline]
    pub fn retry(&mut self, mark: &mut Mark) -> bool {
        mark.tries += 1;
        if mark.reading.off > 0
            && mark.tries <= FILTER_TRIES
            && self.is_recording
            && !self.is_simple()
            && self.enumeration.is_none()
        {
            // A fresh part: it has read nothing of a tree, and the next draws are others by themselves.
            self.record.truncate(mark.recorded - self.lead);
            self.reading = mark.reading;
            self.drawn = mark.drawn;
            return true;
        }
        self.retry_replayed(mark)
    }

    #[inline(never)]
    fn retry_replayed(&mut self, mark: &Mark) -> bool {
        if self.leave_out() {
            return false;
        }
        if self.is_plain && !self.reading.simple_part {
            // Nothing is recorded or replayed: the next draws are others by themselves.
            return mark.tries <= FILTER_TRIES;
        }
        let was_random = self.drawn > mark.drawn;
        if self.simple_fallback || (mark.reading.off > 0 && self.reading.simple_part) || mark.tries > 2 * FILTER_TRIES {
            return false;
        }
        if mark.reading.off > 0 && mark.tries > FILTER_TRIES {
            return false;
        }
        self.return_to(mark);
        let redraw = self.reading.redraw || !was_random || mark.tries >= FILTER_TRIES;
        self.reading = BaseReading { redraw, ..mark.reading };
        self.drawn = mark.drawn;
        true
    }

    /// Forgets what was recorded since `mark`; the base is there again as it was.
    fn return_to(&mut self, mark: &Mark) {
        let is_written =
            self.copied > mark.pos || self.lead + self.record.len() + (mark.pos - self.copied) != mark.recorded;
        if is_written {
            self.forget_from(mark.recorded);
            self.copied = mark.pos;
        }
        self.pos = mark.pos;
        while let Some((at, node)) = self.replaced.pop_if(|(at, _)| *at >= mark.pos) {
            self.base[at] = node;
        }
    }

    /// Ends the retries begun at `mark`, after a draw that is kept or given up.
    #[inline]
    pub fn settle(&mut self, mark: &Mark) {
        self.reading.redraw = mark.reading.redraw;
    }
}

#[cfg(test)]
mod tests {
    use crate::choices::tree::{ChoiceNode, NodeKind, Op};
    use crate::choices::{Choices, FILTER_TRIES, Spread};
    use std::collections::BTreeSet;

    #[test]
    fn a_part_that_is_drawn_again_moves_the_answers_that_were_recorded() {
        let moved = |value: u64| ChoiceNode::answer(NodeKind::Signed, value).with(Op::Move);
        let kept = ChoiceNode::answer(NodeKind::Signed, 7);
        let mut choices = Choices::random(1);
        choices.start_edited(0.01, |out, _| out.extend([kept, moved(50_000), moved(20_000)]));
        let ask = |choices: &mut Choices| choices.integer(0, 100_000, Spread::Uniform);
        assert_eq!(ask(&mut choices), 7);
        let (mut mark, mut firsts) = (choices.mark(), BTreeSet::new());
        // A move at this temperature goes 50 units at most; one in 667 is a fresh draw.
        for _ in 1..FILTER_TRIES {
            let (first, second) = (ask(&mut choices), ask(&mut choices));
            assert!(first.abs_diff(50_000) <= 50 && second.abs_diff(20_000) <= 50, "{first} and {second}");
            firsts.insert(first);
            assert!(choices.retry(&mut mark));
        }
        assert!(firsts.len() > 10, "every try moves it: {firsts:?}");
        let last = [7, ask(&mut choices), ask(&mut choices)].map(|value| value as u64);
        choices.settle(&mark);
        let recorded: Vec<u64> = choices.recorded().nodes.iter().map(|node| node.value).collect();
        assert_eq!(recorded, last);
    }
}
