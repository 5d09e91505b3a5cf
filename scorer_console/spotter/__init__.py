"""The screen of a spotter, who names the players of the plays that a scorer enters."""
