"""Entering events: the screen, the form and what an entry would change."""
