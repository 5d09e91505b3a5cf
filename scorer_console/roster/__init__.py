"""The players who may be named in a game."""
