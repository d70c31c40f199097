//! Neighbourhoods: small edits of a recorded choice tree, which replay then turns into a nearby value.
//!
//! The construction is that of "Automating Targeted Property-Based Testing" (Loescher and Sagonas, section IV), done on
//! decisions instead of values, and sparse: the paper walks over every element with fixed probabilities, so that about half
//! of a value changes at each step; here a few edits are chosen over the whole tree, their number heavy-tailed. Nested
//! dependent domains, lists of dependent length and recursion need no rule of their own.
//!
//! It fails where one decision shifts the meaning of all that follow without spans between them: such a value then
//! changes as a whole.

mod sites;

pub(crate) use sites::{Group, Sites};

use crate::choices::Choices;
use crate::choices::tree::{Kind, Node, Op};
use crate::rng::Rng;

/// One edit of a tree; positions are those of the tree before any edit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    pub at: usize,
    pub change: Change,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// Replay the node with this operation.
    Mark(Op),
    /// Replay the node with another value.
    Set(u64),
    /// Leave out the nodes up to here.
    Delete(usize),
    /// Put in so many items to be drawn fresh, in spans with this label.
    Insert(usize, Option<u32>),
    /// Put in a copy of these nodes.
    Copy(usize, usize),
}

/// The constants of the neighbourhood: one set for every problem. Chosen on the benchmarks B2, B3 and B5.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Exponent of the heavy tail of the number of edits: P(at least m) = m^-exponent.
    pub edits_exponent: f64,
    pub most_edits: f64,
    /// The part of the edits that change a group instead of an answer, where a tree has both.
    pub structural: f64,
    /// Exponent of the heavy tail of the number of items inserted, deleted or moved at once.
    pub run_exponent: f64,
    pub longest_run: f64,
    /// Relative weights of the structural edits.
    pub insert: f64,
    pub delete: f64,
    pub copy: f64,
    pub shift: f64,
    pub replace: f64,
    /// How often an insertion goes to the end of the group instead of to a random place.
    pub at_end: f64,
}

pub(crate) const SHAPE: Shape = Shape {
    edits_exponent: 1.5,
    most_edits: 64.0,
    structural: 0.6,
    run_exponent: 1.2,
    longest_run: 64.0,
    insert: 3.0,
    delete: 2.0,
    copy: 1.0,
    shift: 1.0,
    replace: 1.0,
    at_end: 0.25,
};

/// Makes edits and applies them; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Editor {
    pub edits: Vec<Edit>,
}

impl Editor {
    /// Chooses edits of a tree at a temperature in `0..=1`; none at 0.
    pub fn choose(&mut self, nodes: &[Node], sites: &Sites, temperature: f64, rng: &mut Rng, shape: &Shape) {
        self.edits.clear();
        if temperature <= 0.0 {
            return;
        }
        self.edits.extend(sites.untargeted.iter().map(|&at| Edit { at, change: Change::Mark(Op::Fresh) }));
        let count = heavy_tail(rng, shape.edits_exponent, 1.0 + (shape.most_edits - 1.0) * temperature);
        for _ in 0..count {
            self.one(nodes, sites, temperature, rng, shape);
        }
    }

    fn one(&mut self, nodes: &[Node], sites: &Sites, temperature: f64, rng: &mut Rng, shape: &Shape) {
        let points = sites.answers.len() + sites.steps.len();
        if !sites.groups.is_empty() && (points == 0 || rng.chance(shape.structural)) {
            let group = pick_group(sites, rng);
            self.restructure(nodes, sites, &group, temperature, rng, shape);
        } else if points > 0 {
            let i = rng.index(points);
            match sites.answers.get(i) {
                Some(&at) => self.edits.push(Edit { at, change: Change::Mark(Op::Move) }),
                None => {
                    let at = sites.steps[i - sites.answers.len()];
                    self.edits.push(Edit { at, change: Change::Insert(1, Some(crate::choices::tree::label::ITEM)) });
                }
            }
        }
    }

    fn restructure(&mut self, nodes: &[Node], sites: &Sites, group: &Group, temperature: f64, rng: &mut Rng, shape: &Shape) {
        let longest = 1.0 + (shape.longest_run - 1.0) * temperature;
        let run = heavy_tail(rng, shape.run_exponent, longest);
        let can_resize = group.is_resizable || group.length_answer.is_some();
        if group.len == 0 {
            if can_resize {
                self.insert_fresh(nodes, sites, group, 0, run);
            }
            return;
        }
        let resizing = if can_resize { shape.insert + shape.delete + shape.copy } else { 0.0 };
        let mut roll = rng.unit() * (resizing + shape.shift + shape.replace);
        let mut is_next = |weight: f64| {
            roll -= weight;
            roll < 0.0
        };
        let run = run.min(group.len);
        let from = rng.index(group.len - run + 1);
        if can_resize && is_next(shape.insert) {
            let place = if rng.chance(shape.at_end) { group.len } else { rng.index(group.len + 1) };
            let count = heavy_tail(rng, shape.run_exponent, longest);
            self.insert_fresh(nodes, sites, group, place, count);
        } else if can_resize && is_next(shape.delete) {
            let run = run.min(group.len.div_ceil(2));
            self.delete(sites, group, from, run);
            self.set_length(nodes, group, group.len - run);
        } else if can_resize && is_next(shape.copy) {
            let place = rng.index(group.len + 1);
            self.copy(sites, group, from, run, place);
            self.set_length(nodes, group, group.len + run);
        } else if is_next(shape.shift) {
            let run = run.min(group.len.div_ceil(2));
            let place = rng.index(group.len + 1);
            if place < from || place > from + run {
                self.copy(sites, group, from, run, place);
                self.delete(sites, group, from, run);
            }
        } else {
            let run = run.min(group.len.div_ceil(2));
            let at = sites.item(group, from);
            self.edits.push(Edit { at, change: Change::Insert(run, group.item_label) });
            self.delete(sites, group, from, run);
        }
    }

    fn insert_fresh(&mut self, nodes: &[Node], sites: &Sites, group: &Group, place: usize, count: usize) {
        let at = sites.item(group, place);
        self.edits.push(Edit { at, change: Change::Insert(count, group.item_label) });
        self.set_length(nodes, group, group.len + count);
    }

    pub fn delete(&mut self, sites: &Sites, group: &Group, from: usize, run: usize) {
        let (at, end) = (sites.item(group, from), sites.item(group, from + run));
        self.edits.push(Edit { at, change: Change::Delete(end) });
    }

    fn copy(&mut self, sites: &Sites, group: &Group, from: usize, run: usize, place: usize) {
        let (start, end) = (sites.item(group, from), sites.item(group, from + run));
        self.edits.push(Edit { at: sites.item(group, place), change: Change::Copy(start, end) });
    }

    /// Gives the answer that set the length of a group its new value.
    pub fn set_length(&mut self, nodes: &[Node], group: &Group, len: usize) {
        if let Some(at) = group.length_answer {
            debug_assert!(nodes[at].is_answer());
            self.edits.push(Edit { at, change: Change::Set(len as u64) });
        }
    }

    /// Writes the edited tree to `out`. Edits inside a deleted part are lost with it.
    pub fn apply(&mut self, nodes: &[Node], out: &mut Vec<Node>) {
        // Stable, and the lists are short: at one place, what was put in comes before what is left out.
        self.edits.sort_by_key(|edit| edit.at);
        let mut done = 0;
        for edit in &self.edits {
            if edit.at < done {
                continue;
            }
            out.extend_from_slice(&nodes[done..edit.at]);
            done = edit.at;
            match edit.change {
                Change::Mark(op) => {
                    out.push(nodes[done].with(op));
                    done += 1;
                }
                Change::Set(value) => {
                    out.push(Node { value, ..nodes[done] });
                    done += 1;
                }
                Change::Delete(end) => done = end,
                Change::Insert(count, label) => put_holes(out, count, label),
                Change::Copy(from, to) => out.extend_from_slice(&nodes[from..to]),
            }
        }
        out.extend_from_slice(&nodes[done..]);
    }
}

fn put_holes(out: &mut Vec<Node>, count: usize, label: Option<u32>) {
    for _ in 0..count {
        match label {
            Some(label) => out.extend([Node::open(label, 0).with(Op::Fresh), Node::CLOSE]),
            None => out.push(Node::HOLE),
        }
    }
}

/// A number from 1 to `most` with P(at least m) = m^-exponent.
fn heavy_tail(rng: &mut Rng, exponent: f64, most: f64) -> usize {
    let u = 1.0 - rng.unit();
    u.powf(-1.0 / exponent).min(most) as usize
}

/// A group, likelier the more items it has.
fn pick_group(sites: &Sites, rng: &mut Rng) -> Group {
    let total = sites.items.len() + sites.groups.len();
    let mut left = rng.index(total);
    let mut chosen = sites.groups[0];
    for group in &sites.groups {
        chosen = *group;
        if left <= group.len {
            break;
        }
        left -= group.len + 1;
    }
    chosen
}

/// A source that replays a neighbour of `nodes` at temperature `t`.
pub(crate) fn choices_near(nodes: &[Node], t: f64, seed: u64, size: usize) -> Choices {
    let mut choices = Choices::random(seed);
    choices.set_size(size);
    let mut sites = Sites::default();
    sites.scan(nodes);
    let mut editor = Editor::default();
    choices.start_edited(t, |out, rng| {
        editor.choose(nodes, &sites, t, rng, &SHAPE);
        editor.apply(nodes, out);
    });
    choices
}

/// Whether a node is a number that can be lowered.
pub(crate) fn is_number(node: &Node) -> bool {
    matches!(node.kind, Kind::Signed | Kind::Unsigned | Kind::Float)
}
