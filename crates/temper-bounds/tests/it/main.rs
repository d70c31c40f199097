//! Tests that run Python through workers. They need the interpreter of `make venv`, or the one that TEMPER_TEST_PYTHON names.

mod forms;
mod job;
mod mlkit;
mod support;
