"""What the API reads of tournaments: bodies, and their copies in Redis."""
