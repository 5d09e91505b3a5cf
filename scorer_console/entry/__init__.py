"""Entering events: the screen, the form and previews of an entry's changes."""
