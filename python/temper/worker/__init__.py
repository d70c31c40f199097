"""The Python half of Temper's workers: standard library and public pytest hooks only.

The Rust driver (crate `temper-worker`) starts `boot.py`; nothing here is imported by users' programs. docs/worker.md
describes the processes, the messages and the limits.
"""
