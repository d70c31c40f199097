//! Numbers against references made outside: scikit-learn, the published tool, and the tables of Durelli et al.

mod cross_validation;
mod files;
mod tree;
