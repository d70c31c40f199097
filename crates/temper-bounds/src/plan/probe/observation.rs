//! Where the sites of a file stand in Python's syntax tree, for a test run that looks on and changes nothing: its file is
//! compiled as pytest compiles it, and only what the tree computes is also noted (`python/temper/bounds/observe.py`).

use temper_source::{Analysis, SourceFile, Span};

use super::chained_comparison::is_linked;
use super::group::ProbeGroup;
use super::operands::operands;
use super::{call_text, groups, is_raising};

/// Where a node of the tree stands: lines from 1, columns in bytes from 0, as Python counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreePlace {
    /// Its first line.
    pub line: u32,
    /// Its first byte in that line.
    pub column: u32,
    /// Its last line.
    pub end_line: u32,
    /// Behind its last byte in that line.
    pub end_column: u32,
}

/// Sites that one comparison decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedGroup {
    /// The comparison or call; of a chained comparison, the whole chain.
    pub place: TreePlace,
    /// Which link of the chain this is, from 0.
    pub link: usize,
    /// Whether it is a call that raises if it does not hold.
    pub is_raising: bool,
    /// The sites as the recorder is told about them, in Python's syntax.
    pub sites: String,
    /// Number of the site, name of the operand, and where it stands.
    pub operands: Vec<(i64, &'static str, TreePlace)>,
}

/// The sites of a file that can be looked at. Numbers of sites start at `first`.
#[must_use]
pub fn observed(file: &SourceFile, analysis: &Analysis, first: i64) -> Vec<ObservedGroup> {
    let groups: Vec<ProbeGroup<'_>> = groups(analysis).0;
    let mut found = Vec::new();
    for chain in groups.chunk_by(|left, right| is_linked(left.comparison, right.comparison)) {
        let (Some(start), Some(end)) = (chain.first(), chain.last()) else { continue };
        let whole = Span::new(start.comparison.start, end.comparison.end);
        for (link, group) in chain.iter().enumerate() {
            let of_site = |(index, site): &(usize, &temper_source::Site)| {
                let number = first + *index as i64;
                let place = |(slot, span)| (number, slot, place(file, span));
                operands(site).map(place).collect::<Vec<_>>()
            };
            found.push(ObservedGroup {
                place: place(file, whole),
                link,
                is_raising: is_raising(group.sites[0].1, file.slice(group.comparison)),
                sites: call_text::sites(file, group, first),
                operands: group.sites.iter().flat_map(of_site).collect(),
            });
        }
    }
    found
}

fn place(file: &SourceFile, span: Span) -> TreePlace {
    let ((line, column), (end_line, end_column)) =
        (file.lines().line_and_byte(span.start), file.lines().line_and_byte(span.end));
    TreePlace { line, column, end_line, end_column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use temper_source::analyse;

    fn observed_in(text: &str) -> Vec<ObservedGroup> {
        let file = SourceFile::from_text("test_x.py", text).unwrap();
        observed(&file, &analyse(&file).unwrap(), 0)
    }

    #[test]
    fn comparisons_and_operands_stand_where_python_says() {
        let found = observed_in("def test_it(x):\n    'é'; assert x.mean(\n        0) < 0.5\n");
        let [group] = &found[..] else { panic!("{found:?}") };
        assert_eq!(group.place, TreePlace { line: 2, column: 17, end_line: 3, end_column: 16 });
        assert!(!group.is_raising);
        let slots: Vec<_> = group.operands.iter().map(|(_, slot, place)| (*slot, place.line, place.column)).collect();
        assert_eq!(slots, [("actual", 2, 17), ("value", 3, 13)]);
    }

    #[test]
    fn links_of_a_chain_have_the_place_of_the_whole() {
        let found = observed_in("def test_it(x):\n    assert 0.1 < x.std() < 0.5\n");
        let links: Vec<_> =
            found.iter().map(|group| (group.link, group.place.column, group.place.end_column)).collect();
        assert_eq!(links, [(0, 11, 30), (1, 11, 30)]);
    }

    #[test]
    fn a_call_that_raises_is_told_apart() {
        let found =
            observed_in("import numpy as np\ndef test_it(x):\n    np.testing.assert_allclose(x, 1.0, rtol=0.1)\n");
        assert!(found[0].is_raising);
        assert!(found[0].sites.starts_with("((0,'assert-allclose',"), "{}", found[0].sites);
    }
}
