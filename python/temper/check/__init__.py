"""The part of ``temper check`` that runs in a worker: reads annotations, draws, calls, judges.

The Rust driver (crate ``temper-check``) calls the functions of ``checker``; nothing here is imported by users' programs.
"""
