"""A footballer's page and the comparison of two."""
