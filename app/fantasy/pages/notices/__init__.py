"""A member's notices and which of them they get."""
