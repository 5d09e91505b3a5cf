"""The fantasy game over the API: the five access patterns of the source design."""
