//! The kinds of values: one file for each, and the list by which descriptions are read.

mod anys;
mod arrays;
mod bools;
mod cells;
mod composed;
mod constants;
mod datetimes;
mod dicts;
mod fields;
mod floats;
mod frames;
mod froms;
mod ints;
mod lists;
mod objects;
mod records;
mod shapes;
mod stepped;
mod texts;
mod tuples;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use crate::kind::{ValueDomain, ValueKind};

/// How the description of a kind is read.
type ReadKind = fn(Json) -> serde_json::Result<Box<dyn ValueKind>>;

/// All kinds, by the name that the worker sends.
const KINDS: &[(&str, ReadKind)] = &[
    ("constant", read::<constants::Constants>),
    ("froms", read::<froms::Froms>),
    ("bools", read::<bools::Bools>),
    ("ints", read::<ints::Ints>),
    ("floats", read::<floats::Floats>),
    ("texts", read::<texts::Texts>),
    ("lists", read::<lists::Lists>),
    ("tuples", read::<tuples::Tuples>),
    ("np_shapes", read::<shapes::Shapes>),
    ("np_arrays", read::<arrays::Arrays>),
    ("dicts", read::<dicts::Dicts>),
    ("records", read::<records::Records>),
    ("frames", read::<frames::Frames>),
    ("datetimes", read::<datetimes::Datetimes>),
    ("anys", read::<anys::Anys>),
    ("objs", read::<objects::Objects>),
    ("composed", read::<composed::Composed>),
    ("stepped", read::<stepped::Stepped>),
    ("untargeted", read::<stepped::Untargeted>),
];

fn read<K: ValueKind + DeserializeOwned + 'static>(json: Json) -> serde_json::Result<Box<dyn ValueKind>> {
    Ok(Box::new(serde_json::from_value::<K>(json)?))
}

impl<'de> Deserialize<'de> for ValueDomain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let name = json.get("kind").and_then(Json::as_str).ok_or_else(|| Error::custom("a domain has no `kind`"))?;
        let found = KINDS.iter().find(|kind| kind.0 == name);
        let (_, read) = found.ok_or_else(|| Error::custom(format!("there is no kind of value `{name}`")))?;
        read(json).map(ValueDomain).map_err(Error::custom)
    }
}
