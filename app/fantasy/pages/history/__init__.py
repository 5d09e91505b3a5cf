"""A league gameweek by gameweek: its gameweeks, its matchups and the race for first place."""
