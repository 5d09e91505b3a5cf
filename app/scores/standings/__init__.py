"""What boards hold of players in PostgreSQL, computed from their attempts."""
