"""A league's gameweek played again, step by step."""
