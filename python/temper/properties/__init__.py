"""Property tests: `temper.forall` and what belongs to it.

`decorate` makes tests of functions, `settings` reads what the user set, `subject` compiles domains, `run` draws and
searches in this process, `chains` does so in forked ones, `report` words what was found, `plugin` is pytest's side.
The search itself is in the engine; nothing here decides what is tried next.
"""
