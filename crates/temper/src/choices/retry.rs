//! Drawing a part again, for filters and for lists without duplicates.

use super::Choices;

/// How often a filter tries again before it gives up its recorded answers, and again before it rejects.
pub(crate) const FILTER_TRIES: u32 = 50;

/// A place to which [`Choices::retry`] returns.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pos: usize,
    off: u32,
    simple_part: bool,
    redraw: bool,
    recorded: usize,
    drawn: u64,
    tries: u32,
}

impl Choices {
    /// Remembers this place, for a part that may have to be drawn again.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            off: self.off,
            simple_part: self.simple_part,
            redraw: self.redraw,
            recorded: self.record.len(),
            drawn: self.drawn,
            tries: 0,
        }
    }

    /// Forgets what was recorded since `mark` and returns there to draw that part again; `false` when trying again
    /// is of no use: the tries are used up, or no answer could be different.
    ///
    /// The first tries move the same recorded answers again; when those cannot differ or fail too often, the part is
    /// drawn fresh.
    pub fn retry(&mut self, mark: &mut Mark) -> bool {
        let was_random = self.drawn > mark.drawn;
        mark.tries += 1;
        if self.simple_fallback || (mark.off > 0 && self.simple_part) || mark.tries > 2 * FILTER_TRIES {
            return false;
        }
        if mark.off > 0 && mark.tries > FILTER_TRIES {
            return false;
        }
        self.record.truncate(mark.recorded);
        self.pos = mark.pos;
        self.off = mark.off;
        self.simple_part = mark.simple_part;
        self.redraw |= !was_random || mark.tries >= FILTER_TRIES;
        self.drawn = mark.drawn;
        true
    }

    /// Ends the retries begun at `mark`, after a draw that is kept or given up.
    #[inline]
    pub fn settle(&mut self, mark: &Mark) {
        self.redraw = mark.redraw;
    }
}
