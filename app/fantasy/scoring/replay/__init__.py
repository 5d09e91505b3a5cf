"""A league's gameweek at past moments: its table and team sheets as of one, and the replay."""
