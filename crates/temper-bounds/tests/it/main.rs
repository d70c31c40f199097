//! Tests that run Python through workers. They need the interpreter of `make venv`, or the one that TEMPER_TEST_PYTHON names.

#![expect(clippy::unwrap_used, reason = "a test that cannot start a worker has failed")]

mod forms;
mod job;
mod mlkit;
mod support;
