"""Deleting a game, a mode or an integrator with everything that belongs to it."""
