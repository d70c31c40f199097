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
            self.record.truncate(mark.recorded);
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
        let is_written = self.copied > mark.pos || self.record.len() + (mark.pos - self.copied) != mark.recorded;
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
