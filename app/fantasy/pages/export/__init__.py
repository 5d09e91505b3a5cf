"""A league's whole history as a file, and its import."""
