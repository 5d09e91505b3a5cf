"""Comparing boards in Redis with PostgreSQL, and rebuilding them."""
