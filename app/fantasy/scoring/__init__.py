"""Points: the rules, the points of players and of team sheets, and the explanation of each
point."""
