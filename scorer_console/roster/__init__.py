"""Who may be named in a game."""
