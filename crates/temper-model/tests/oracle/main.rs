//! Numbers against references made outside: scikit-learn, the published tool, and the tables of Durelli et al.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a reference file that cannot be read fails the test")]

mod cross_validation;
mod files;
mod tree;
