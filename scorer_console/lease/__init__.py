"""Which console may number the events of a game."""
