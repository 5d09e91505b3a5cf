"""A league's season with another captain, other starters or other rules."""
