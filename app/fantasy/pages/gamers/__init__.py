"""A gamer's page."""
