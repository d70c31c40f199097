//! Neighbourhoods: small edits of a recorded choice tree, which replay then turns into a nearby value.
//!
//! The construction is that of "Automating Targeted Property-Based Testing" (Loescher and Sagonas, section IV), done on
//! decisions instead of values, and sparse. The paper walks over every element with fixed probabilities, so that about half
//! of a value changes at each step. Here a few edits are chosen over the whole tree, their number heavy-tailed. Nested
//! dependent domains, lists of dependent length and recursion need no extra rule.
//!
//! It fails if one decision shifts the meaning of all that follow, without spans between them. Such a value then changes
//! as a whole.

mod learned;
mod sites;

pub(crate) use learned::Learned;
pub(crate) use sites::{ItemGroup, Sites};

use crate::choices::Choices;
use crate::choices::tree::{ChoiceNode, Op, label};
use crate::rng::Rng;

/// One edit of a tree; positions are those of the tree before any edit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeEdit {
    pub at: usize,
    pub change: EditKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum EditKind {
    /// Replay the node with this operation.
    Mark(Op),
    /// Replay the node with another value.
    Set(u64),
    /// Leave out the nodes up to here.
    Delete(usize),
    /// Put in this many items to be drawn fresh, in spans with this label.
    Insert(usize, Option<u32>),
    /// Put in this many copies of these nodes.
    Copy(usize, usize, usize),
}

/// How much one neighbour changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intensity {
    /// Exponent of the heavy tail of the number of edits: P(at least m) = m^-exponent.
    pub edits: f64,
    /// The same for the number of items inserted, deleted or moved at once.
    pub run: f64,
    /// How often it is chosen before anything is learned.
    pub weight: f64,
    /// The part of the edits that move one answer; the others change a group, if a tree has both.
    pub moves: f64,
    /// How often each kind of change to a group is chosen, as far as the group allows it.
    pub kinds: [f64; KINDS],
}

/// The kinds of change to a group, as indices into [`Intensity::kinds`].
mod kind {
    pub const INSERT: usize = 0;
    pub const DELETE: usize = 1;
    pub const COPY: usize = 2;
    pub const REPEAT: usize = 3;
    pub const SHIFT: usize = 4;
    pub const REPLACE: usize = 5;
}
const KINDS: usize = 6;
const INTENSITIES: usize = 3;

/// The constants of the neighbourhood: one set for every problem. Scanned on the benchmarks B2, B3 and B5; that answers
/// and items have an intensity each, and their weights, were decided with B1 and B4 in view. More weight for the bold one
/// makes mazes quicker and long paths in graphs slower: benches/targeted/results.md has the figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeighbourShape {
    pub intensities: [Intensity; INTENSITIES],
    /// The most edits of one neighbour, and the most items of one edit.
    pub most_edits: f64,
    pub longest_run: f64,
    /// How often an insertion goes to the end of the group instead of to a random place.
    pub at_end: f64,
    /// The same for copies of one item: a way through a maze grows at its end, by steps in one direction.
    pub repeat_at_end: f64,
}

pub(crate) const SHAPE: NeighbourShape = NeighbourShape {
    intensities: [
        // Sparse, answers: more than half of the neighbours move one answer, some of them several.
        Intensity { edits: 1.2, run: 3.0, weight: 3.0, moves: 0.95, kinds: [3.0, 2.0, 0.2, 0.2, 0.5, 3.0] },
        // Sparse, items: three quarters of the neighbours have one edit of one item.
        Intensity { edits: 2.0, run: 3.0, weight: 1.5, moves: 0.05, kinds: [3.0, 2.0, 0.2, 0.2, 0.5, 3.0] },
        // Bold: half of the neighbours have ten edits or more.
        Intensity { edits: 0.3, run: 0.3, weight: 2.0, moves: 0.25, kinds: [3.0, 2.0, 1.0, 3.0, 1.0, 1.0] },
    ],
    most_edits: 64.0,
    longest_run: 64.0,
    at_end: 0.25,
    repeat_at_end: 0.5,
};

/// Makes edits and applies them; learns which intensity pays; keeps its buffers.
#[derive(Debug)]
pub(crate) struct Editor {
    shape: NeighbourShape,
    pub edits: Vec<TreeEdit>,
    /// The intensity of the neighbour at hand.
    intensity: usize,
    intensities: Learned<INTENSITIES>,
}

impl Editor {
    pub fn new(shape: NeighbourShape) -> Self {
        Editor { shape, edits: Vec::new(), intensity: 0, intensities: Learned::default() }
    }

    /// Takes note of what the neighbour made last has gained.
    pub fn learn(&mut self, gain: f64) {
        self.intensities.learn(self.intensity, gain);
    }

    /// Chooses edits of a tree at a temperature in `0..=1`; none at 0.
    pub fn choose(&mut self, sites: &Sites, temperature: f64, rng: &mut Rng) {
        self.edits.clear();
        if temperature <= 0.0 {
            return;
        }
        self.edits.extend(sites.untargeted.iter().map(|&at| TreeEdit { at, change: EditKind::Mark(Op::Fresh) }));
        let weight = |i: usize| self.shape.intensities[i].weight * self.intensities.factor(i);
        self.intensity = pick(rng, std::array::from_fn::<f64, INTENSITIES, _>(weight));
        let exponent = self.shape.intensities[self.intensity].edits;
        let count = heavy_tail(rng, exponent, 1.0 + (self.shape.most_edits - 1.0) * temperature);
        for _ in 0..count {
            self.one(sites, temperature, rng);
        }
    }

    fn one(&mut self, sites: &Sites, temperature: f64, rng: &mut Rng) {
        let points = sites.answers.len() + sites.steps.len();
        let is_move =
            sites.groups.is_empty() || (points > 0 && rng.chance(self.shape.intensities[self.intensity].moves));
        if !is_move {
            self.restructure(sites, &pick_group(sites, rng), temperature, rng);
        } else if points > 0 {
            self.move_answer(sites, rng.index(points));
        }
    }

    /// Moves one answer, or appends one step to a part with the user's own neighbours; one neighbour takes one such step.
    fn move_answer(&mut self, sites: &Sites, point: usize) {
        match sites.answers.get(point) {
            Some(&at) => self.edits.push(TreeEdit { at, change: EditKind::Mark(Op::Move) }),
            None => {
                let at = sites.steps[point - sites.answers.len()];
                if self.edits.iter().all(|edit| edit.at != at) {
                    self.edits.push(TreeEdit { at, change: EditKind::Insert(1, Some(label::ITEM)) });
                }
            }
        }
    }

    fn restructure(&mut self, sites: &Sites, group: &ItemGroup, temperature: f64, rng: &mut Rng) {
        let can_resize = group.is_resizable || group.length_answer.is_some();
        let is_possible = |kind: usize| match kind {
            kind::INSERT => can_resize,
            kind::SHIFT | kind::REPLACE => group.len > 0,
            _ => can_resize && group.len > 0,
        };
        let kinds = &self.shape.intensities[self.intensity].kinds;
        let kind = pick(rng, std::array::from_fn::<f64, KINDS, _>(|k| if is_possible(k) { kinds[k] } else { 0.0 }));
        if is_possible(kind) {
            self.change(kind, sites, group, temperature, rng);
        }
    }

    fn change(&mut self, kind: usize, sites: &Sites, group: &ItemGroup, temperature: f64, rng: &mut Rng) {
        let longest = 1.0 + (self.shape.longest_run - 1.0) * temperature;
        let count = heavy_tail(rng, self.shape.intensities[self.intensity].run, longest);
        let place =
            if kind == kind::INSERT && rng.chance(self.shape.at_end) { group.len } else { rng.index(group.len + 1) };
        let run = count.min(if kind == kind::COPY { group.len } else { group.len.div_ceil(2) });
        let from = rng.index(group.len - run + 1);
        match kind {
            kind::INSERT => self.insert_fresh(sites, group, place, count),
            kind::DELETE => {
                self.delete(sites, group, from, run);
                self.set_length(group, group.len - run);
            }
            kind::COPY => {
                self.copy(sites, group, from, run, place, 1);
                self.set_length(group, group.len + run);
            }
            kind::REPEAT => {
                let one = rng.index(group.len);
                let place = if rng.chance(self.shape.repeat_at_end) { group.len } else { place };
                self.copy(sites, group, one, 1, place, count);
                self.set_length(group, group.len + count);
            }
            kind::SHIFT if place < from || place > from + run => {
                self.copy(sites, group, from, run, place, 1);
                self.delete(sites, group, from, run);
            }
            kind::REPLACE => {
                let at = sites.item(group, from);
                self.edits.push(TreeEdit { at, change: EditKind::Insert(run, group.item_label) });
                self.delete(sites, group, from, run);
            }
            _ => {}
        }
    }

    fn insert_fresh(&mut self, sites: &Sites, group: &ItemGroup, place: usize, count: usize) {
        let at = sites.item(group, place);
        self.edits.push(TreeEdit { at, change: EditKind::Insert(count, group.item_label) });
        self.set_length(group, group.len + count);
    }

    fn delete(&mut self, sites: &Sites, group: &ItemGroup, from: usize, run: usize) {
        let (at, end) = (sites.item(group, from), sites.item(group, from + run));
        self.edits.push(TreeEdit { at, change: EditKind::Delete(end) });
    }

    fn copy(&mut self, sites: &Sites, group: &ItemGroup, from: usize, run: usize, place: usize, count: usize) {
        let (start, end) = (sites.item(group, from), sites.item(group, from + run));
        self.edits.push(TreeEdit { at: sites.item(group, place), change: EditKind::Copy(start, end, count) });
    }

    /// Gives the answer that set the length of a group its new value.
    fn set_length(&mut self, group: &ItemGroup, len: usize) {
        if let Some(at) = group.length_answer {
            self.edits.push(TreeEdit { at, change: EditKind::Set(len as u64) });
        }
    }

    /// Whether the edits change answers only, and no spans.
    pub fn keeps_shape(&self) -> bool {
        self.edits.iter().all(|edit| matches!(edit.change, EditKind::Mark(_) | EditKind::Set(_)))
    }

    /// Takes the last edits back in the first `shared` nodes of `out`, as [`Editor::apply`] has returned that number.
    pub fn take_back(&self, nodes: &[ChoiceNode], out: &mut [ChoiceNode], shared: usize) {
        for edit in self.edits.iter().take_while(|edit| edit.at < shared) {
            out[edit.at] = nodes[edit.at];
        }
    }

    /// Writes the edited tree to `out`, of which the first `shared` nodes are those of the tree already. Edits inside a deleted
    /// part are lost with it. Returns up to where `out` has the nodes of the tree, apart from answers: most edits are of
    /// single answers, and a copy of the whole tree for each would cost more than they do.
    pub fn apply(&mut self, nodes: &[ChoiceNode], out: &mut Vec<ChoiceNode>, shared: usize) -> usize {
        // Stable, and the lists are short: at one place, what was put in comes before what is left out.
        self.edits.sort_by_key(|edit| edit.at);
        let is_in_place = |edit: &&TreeEdit| matches!(edit.change, EditKind::Mark(_) | EditKind::Set(_));
        let in_place = self.edits.iter().take_while(is_in_place).take_while(|edit| edit.at < shared).count();
        let (marks, others) = self.edits.split_at(in_place);
        let mut done = 0;
        for edit in marks {
            if edit.at >= done {
                out[edit.at] = edit.of(nodes[edit.at]);
                done = edit.at + 1;
            }
        }
        done = others.first().map_or(shared, |edit| edit.at.min(shared)).max(done);
        out.truncate(done);
        write_edited(nodes, out, others, done);
        self.edits.iter().find(|edit| !is_in_place(edit)).map_or(nodes.len(), |edit| edit.at)
    }
}

impl TreeEdit {
    /// What becomes of a node that is edited in its place.
    fn of(&self, node: ChoiceNode) -> ChoiceNode {
        match self.change {
            EditKind::Mark(op) => node.with(op),
            EditKind::Set(value) => ChoiceNode { value, ..node },
            _ => node,
        }
    }
}

/// Writes the nodes from `done` on, with these edits.
fn write_edited(nodes: &[ChoiceNode], out: &mut Vec<ChoiceNode>, edits: &[TreeEdit], mut done: usize) {
    for edit in edits {
        if edit.at < done {
            continue;
        }
        out.extend_from_slice(&nodes[done..edit.at]);
        done = edit.at;
        match edit.change {
            EditKind::Mark(_) | EditKind::Set(_) => {
                out.push(edit.of(nodes[done]));
                done += 1;
            }
            EditKind::Delete(end) => done = end,
            EditKind::Insert(count, label) => put_holes(out, count, label),
            EditKind::Copy(from, to, count) => put_copies(out, &nodes[from..to], count),
        }
    }
    out.extend_from_slice(&nodes[done..]);
}

/// Each copy doubles what is there: items are short, and a call for each of them would cost more than the copying.
fn put_copies(out: &mut Vec<ChoiceNode>, nodes: &[ChoiceNode], count: usize) {
    let (start, total) = (out.len(), nodes.len() * count);
    out.reserve(total);
    out.extend_from_slice(&nodes[..nodes.len().min(total)]);
    while out.len() - start < total {
        let more = (out.len() - start).min(total - (out.len() - start));
        out.extend_from_within(start..start + more);
    }
}

fn put_holes(out: &mut Vec<ChoiceNode>, count: usize, label: Option<u32>) {
    for _ in 0..count {
        match label {
            Some(label) => out.extend([ChoiceNode::open(label, 0).with(Op::Fresh), ChoiceNode::CLOSE]),
            None => out.push(ChoiceNode::HOLE),
        }
    }
}

/// A number from 1 to `most` with P(at least m) = m^-exponent.
fn heavy_tail(rng: &mut Rng, exponent: f64, most: f64) -> usize {
    let u = 1.0 - rng.unit();
    u.powf(-1.0 / exponent).min(most) as usize
}

/// An index, as likely as its weight says; 0 when all weights are 0.
fn pick<const N: usize>(rng: &mut Rng, weights: [f64; N]) -> usize {
    let mut roll = rng.unit() * weights.iter().sum::<f64>();
    for (i, weight) in weights.iter().enumerate() {
        roll -= weight;
        if roll < 0.0 {
            return i;
        }
    }
    0
}

/// A group, likelier the more items it has.
fn pick_group(sites: &Sites, rng: &mut Rng) -> ItemGroup {
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
pub(crate) fn choices_near(nodes: &[ChoiceNode], t: f64, seed: u64, size: usize) -> Choices {
    let mut choices = Choices::random(seed);
    choices.set_full_size(size, false);
    let mut sites = Sites::default();
    sites.scan(nodes);
    let mut editor = Editor::new(SHAPE);
    choices.start_edited(t, |out, rng| {
        editor.choose(&sites, t, rng);
        editor.apply(nodes, out, 0);
    });
    choices
}
