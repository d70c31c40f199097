//! Tuples of domains are domains of tuples. Each part moves or stays by itself.

use super::{Domain, Encoder};
use crate::choices::{Choices, Rejected, Unchanged};

macro_rules! tuple_domain {
    ($($name:ident $at:tt),+) => {
        impl<$($name: Domain),+> Domain for ($($name,)+) {
            type Value = ($($name::Value,)+);

            // Into lists, with the numbers in it; see `Ints`.
            #[inline(always)]
            fn draw(&self, choices: &mut Choices) -> Result<Self::Value, Rejected> {
                Ok(($(self.$at.draw(choices)?,)+))
            }

            #[inline(always)]
            fn answers(&self) -> usize {
                let parts = [$(self.$at.answers()),+];
                if parts.contains(&0) { 0 } else { parts.iter().sum() }
            }

            #[inline(always)]
            fn draw_fresh(&self, choices: &mut Choices) -> Result<Self::Value, Rejected> {
                Ok(($(self.$at.draw_fresh(choices)?,)+))
            }

            #[inline(always)]
            fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<Self::Value> {
                Some(($(self.$at.unchanged(answers)?,)+))
            }

            fn encode(&self, value: &Self::Value, out: &mut Encoder) -> bool {
                $(self.$at.encode(&value.$at, out))&&+
            }
        }
    };
}
tuple_domain!(A 0);
tuple_domain!(A 0, B 1);
tuple_domain!(A 0, B 1, C 2);
tuple_domain!(A 0, B 1, C 2, D 3);
tuple_domain!(A 0, B 1, C 2, D 3, E 4);
tuple_domain!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_domain!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_domain!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

impl Domain for () {
    type Value = ();

    fn draw(&self, _: &mut Choices) -> Result<(), Rejected> {
        Ok(())
    }

    fn encode(&self, _: &(), _: &mut Encoder) -> bool {
        true
    }
}
