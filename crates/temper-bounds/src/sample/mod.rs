//! Taking runs: which come next, in which process, what each showed, and where they are kept.

pub mod failures_elsewhere;
pub mod looks;
pub(crate) mod node_id;
pub mod pooling;
pub(crate) mod queue;
pub mod recorded;
pub mod replaced_seeds;
pub mod replay;
pub mod run_record;
pub mod sample_store;
pub(crate) mod sampled_test;
pub mod scheduler;
pub(crate) mod shared_process;
pub mod site_samples;
pub mod trace;
