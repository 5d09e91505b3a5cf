"""Moderation over the API: integrators moderate scores, players and boards of their games."""
