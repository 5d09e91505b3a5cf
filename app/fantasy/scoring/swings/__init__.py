"""What single plays do to a league's table: swings, and both outcomes of a play under review."""
