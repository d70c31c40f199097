//! Default domains of types: what `any::<T>()` draws from, and what the derive macro writes for structs and enums.

use super::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

/// A type that has a domain. Derive it for structs and enums with `#[derive(Domain)]`.
pub trait DefaultDomain: Sized {
    /// The domain's type.
    type Domain: Domain<Value = Self>;

    /// The domain.
    fn domain() -> Self::Domain;
}

/// The default domain of a type.
///
/// ```
/// use temper::prelude::*;
/// forall(any::<(u8, bool, Vec<i64>)>()).check(|(_, _, numbers)| numbers.len() <= 42);
/// ```
pub fn any<T: DefaultDomain>() -> T::Domain {
    T::domain()
}

macro_rules! default_domain {
    ($($value:ty => $domain:ty = $make:expr;)*) => {$(
        impl DefaultDomain for $value {
            type Domain = $domain;

            fn domain() -> Self::Domain {
                $make
            }
        }
    )*};
}

default_domain! {
    i8 => Ints<i8> = ints(..);
    i16 => Ints<i16> = ints(..);
    i32 => Ints<i32> = ints(..);
    i64 => Ints<i64> = ints(..);
    isize => Ints<isize> = ints(..);
    u8 => Ints<u8> = ints(..);
    u16 => Ints<u16> = ints(..);
    u32 => Ints<u32> = ints(..);
    u64 => Ints<u64> = ints(..);
    usize => Ints<usize> = ints(..);
    i128 => WideInts = wide_ints(i128::MIN, i128::MAX);
    bool => Bools = bools();
    f32 => Floats<f32> = floats32(..).nan().inf();
    f64 => Floats<f64> = floats(..).nan().inf();
    char => Chars = unicode_chars();
    String => Strings = strings_of(unicode_chars());
    () => () = ();
}

impl<T: DefaultDomain> DefaultDomain for Vec<T> {
    type Domain = Vecs<T::Domain>;

    fn domain() -> Self::Domain {
        vecs(T::domain())
    }
}

impl<T: DefaultDomain> DefaultDomain for Option<T> {
    type Domain = Optional<T::Domain>;

    fn domain() -> Self::Domain {
        options(T::domain())
    }
}

impl<T: DefaultDomain> DefaultDomain for Box<T> {
    type Domain = Map<T::Domain, fn(T) -> Box<T>>;

    fn domain() -> Self::Domain {
        T::domain().map(Box::new)
    }
}

impl<T: DefaultDomain, const N: usize> DefaultDomain for [T; N] {
    type Domain = Arrays<T::Domain, N>;

    fn domain() -> Self::Domain {
        arrays(T::domain())
    }
}

impl<T: DefaultDomain + Ord> DefaultDomain for BTreeSet<T> {
    type Domain = Sets<T::Domain>;

    fn domain() -> Self::Domain {
        sets(T::domain())
    }
}

impl<T: DefaultDomain + Hash + Eq> DefaultDomain for HashSet<T> {
    type Domain = HashSets<T::Domain>;

    fn domain() -> Self::Domain {
        hash_sets(T::domain())
    }
}

impl<K: DefaultDomain + Ord, V: DefaultDomain> DefaultDomain for BTreeMap<K, V> {
    type Domain = Maps<K::Domain, V::Domain>;

    fn domain() -> Self::Domain {
        maps(K::domain(), V::domain())
    }
}

impl<K: DefaultDomain + Hash + Eq, V: DefaultDomain> DefaultDomain for HashMap<K, V> {
    type Domain = HashMaps<K::Domain, V::Domain>;

    fn domain() -> Self::Domain {
        hash_maps(K::domain(), V::domain())
    }
}

macro_rules! default_tuple {
    ($($name:ident),+) => {
        impl<$($name: DefaultDomain),+> DefaultDomain for ($($name,)+) {
            type Domain = ($($name::Domain,)+);

            fn domain() -> Self::Domain {
                ($($name::domain(),)+)
            }
        }
    };
}
default_tuple!(A);
default_tuple!(A, B);
default_tuple!(A, B, C);
default_tuple!(A, B, C, D);
default_tuple!(A, B, C, D, E);
default_tuple!(A, B, C, D, E, F);
