"""The rules of the game: rulebooks, the ball within a play, fouls, and the next snap."""
