"""A league's table."""
