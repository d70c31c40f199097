//! Maps and sets. A duplicate is taken back as if it had never been drawn, so the record holds only what counts.

use super::Domain;
use super::lists::{Lengths, length_methods};
use crate::choices::{Choices, Rejected};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::marker::PhantomData;

/// A collection whose items are unique in some way.
pub trait UniqueCollection<T>: Default {
    /// Adds an item; `false`, and nothing changes, when the collection has its like.
    fn add(&mut self, item: T) -> bool;
}

impl<T: Ord> UniqueCollection<T> for BTreeSet<T> {
    fn add(&mut self, item: T) -> bool {
        self.insert(item)
    }
}

impl<T: Hash + Eq> UniqueCollection<T> for HashSet<T> {
    fn add(&mut self, item: T) -> bool {
        self.insert(item)
    }
}

impl<K: Ord, V> UniqueCollection<(K, V)> for BTreeMap<K, V> {
    fn add(&mut self, (key, value): (K, V)) -> bool {
        !self.contains_key(&key) && self.insert(key, value).is_none()
    }
}

impl<K: Hash + Eq, V> UniqueCollection<(K, V)> for HashMap<K, V> {
    fn add(&mut self, (key, value): (K, V)) -> bool {
        !self.contains_key(&key) && self.insert(key, value).is_none()
    }
}

/// Collections of unique items; see [`sets`] and [`maps`].
#[derive(Clone, Copy, Debug)]
pub struct Unique<D, C> {
    item: D,
    lengths: Lengths,
    collection: PhantomData<fn() -> C>,
}

/// Ordered sets; see [`sets`].
pub type Sets<D> = Unique<D, BTreeSet<<D as Domain>::Value>>;
/// Hash sets; see [`hash_sets`].
pub type HashSets<D> = Unique<D, HashSet<<D as Domain>::Value>>;
/// Ordered maps; see [`maps`].
pub type Maps<K, V> = Unique<(K, V), BTreeMap<<K as Domain>::Value, <V as Domain>::Value>>;
/// Hash maps; see [`hash_maps`].
pub type HashMaps<K, V> = Unique<(K, V), HashMap<<K as Domain>::Value, <V as Domain>::Value>>;

fn unique<D, C>(item: D) -> Unique<D, C> {
    Unique { item, lengths: Lengths::ANY, collection: PhantomData }
}

/// Ordered sets of values of a domain; the length is set as for [`vecs`](super::vecs). A draw has fewer items than its
/// length asked for when no others were found, but never fewer than the least length: then it rejects.
pub fn sets<D: Domain>(item: D) -> Sets<D>
where
    D::Value: Ord,
{
    unique(item)
}

/// Hash sets of values of a domain; see [`sets`].
pub fn hash_sets<D: Domain>(item: D) -> HashSets<D>
where
    D::Value: Hash + Eq,
{
    unique(item)
}

/// Ordered maps; the length is set as for [`sets`].
pub fn maps<K: Domain, V: Domain>(keys: K, values: V) -> Maps<K, V>
where
    K::Value: Ord,
{
    unique((keys, values))
}

/// Hash maps; the length is set as for [`sets`].
pub fn hash_maps<K: Domain, V: Domain>(keys: K, values: V) -> HashMaps<K, V>
where
    K::Value: Hash + Eq,
{
    unique((keys, values))
}

impl<D, C> Unique<D, C> {
    length_methods!();
}

impl<D: Domain, C: UniqueCollection<D::Value>> Domain for Unique<D, C> {
    type Value = C;

    fn draw(&self, choices: &mut Choices) -> Result<C, Rejected> {
        let mut list = choices.begin_list(self.lengths.min, self.lengths.max, self.item.is_bare());
        let mut collection = C::default();
        while choices.more(&mut list) {
            if !collection.add(self.item.draw(choices)?) {
                choices.discard_item(&mut list);
            }
        }
        let is_complete = list.is_long_enough();
        choices.end_list(list);
        if is_complete { Ok(collection) } else { Err(Rejected) }
    }
}
