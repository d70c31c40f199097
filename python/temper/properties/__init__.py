"""Property tests: `temper.forall` and what belongs to it.

`decorate` makes tests of functions, `settings` reads what the user set, `subject` compiles domains, `evaluate` tests
one input for the engine's loop, `chains` runs several loops in forked processes, `report` words what was found, `plugin`
is pytest's side. The loop itself is in the engine; nothing here decides what is tried next.
"""
