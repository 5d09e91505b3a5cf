"""Registering clubs and games, their details and games that are not played as planned."""
