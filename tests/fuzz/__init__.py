"""Coverage-guided fuzzing of everything that takes bytes from outside.

A module a target, each in a process of its own.

A target has `seeds()`, examples of ours to begin with, and `one_input(data)`, which raises when a
promise is broken: declared errors alone, an error that says what is wrong, nothing half-written. It
may have `begin()`, called once, and `WORDS`, which are put into inputs. `make fuzz` runs them for
long, test_targets.py for a moment.
"""
