"""Tournaments of real matches, members' guesses, and what the guesses earn (PRODUCT C1 to C11)."""

TABLES = ("app.predictions.models",)
