//! B2: a list of spells that must not double a player's attributes.

use temper::prelude::*;

/// The changes of strength, constitution, defense, dexterity, intelligence, charisma, wisdom, willpower, perception and
/// luck that each spell makes. Two spells gain in sum (3 and 12), one loses (19), the others only shift.
const SPELLS: [[i32; 10]; 20] = [
    [5, -2, 0, -3, 0, 0, 0, 0, 0, 0],
    [0, 0, 4, 0, 0, 0, 0, -4, 0, 0],
    [0, 0, 0, 0, -3, 1, 1, 0, 1, 0],
    [1, 2, 2, 0, 0, 0, 0, -3, 0, 0],
    [0, 0, 0, 0, 1, 1, 1, -3, 0, 0],
    [1, 0, 0, 0, -3, 0, 0, 0, 0, 2],
    [0, 0, 0, 0, 1, 1, 1, -4, 1, 0],
    [0, 0, 0, 0, 0, 2, 0, 0, 1, -3],
    [2, -2, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 2, -2, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 2, -2, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 2, -2, 0, 0, 0, 0, 0],
    [-1, -1, -1, -1, -1, -1, -1, 10, -1, -1],
    [0, 0, 0, 0, 2, -2, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 2, -2, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 2, -2, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 2, -2, 0],
    [0, 0, 0, 0, 0, 0, 0, 0, 2, -2],
    [-2, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    [5, 0, 0, 0, 0, 0, 0, 0, 0, -8],
];

/// A list of uniform choices among the 20 spells.
pub fn spells() -> impl Domain<Value = Vec<usize>> {
    vecs(select(0..SPELLS.len()))
}

/// The sum of the attributes after casting; a cast that would make one negative has no effect.
pub fn total(spells: &[usize]) -> i32 {
    let mut attributes = [5i32; 10];
    for &spell in spells {
        let mut after = attributes;
        after.iter_mut().zip(&SPELLS[spell]).for_each(|(value, change)| *value += change);
        if after.iter().all(|&value| value >= 0) {
            attributes = after;
        }
    }
    attributes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_of_the_spells_are_those_of_the_table() {
        for (i, spell) in SPELLS.iter().enumerate() {
            let expected = match i {
                3 => 2,
                12 => 1,
                19 => -3,
                _ => 0,
            };
            assert_eq!(spell.iter().sum::<i32>(), expected, "spell {i}");
        }
        assert_eq!(total(&[3]), 52);
        assert_eq!(total(&[3, 3]), 52, "the second cast would make willpower negative");
    }
}
