"""Registering clubs and games, details of games, and games that are not played as planned."""
