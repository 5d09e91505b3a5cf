"""Pages of draft leagues."""
