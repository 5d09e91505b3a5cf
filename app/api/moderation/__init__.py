"""Moderation over the API: integrators decide about scores, players and boards of their games."""
