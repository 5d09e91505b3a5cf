"""The plays of a game and the search for one of its events."""
