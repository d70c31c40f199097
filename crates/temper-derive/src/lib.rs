//! The derive macro for Temper's Domain trait.
