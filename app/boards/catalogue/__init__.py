"""Games and modes: what integrators declare, and the rules for it."""
