"""A scorer's own keys."""
