"""Settlement of matches: requests for it, and awarding the points that guesses earn."""
