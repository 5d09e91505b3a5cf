"""Points: the rules, the points of players and team sheets, and why somebody has them."""
