"""The effects of plays on a league's table: swings, and both outcomes of a play under review."""
