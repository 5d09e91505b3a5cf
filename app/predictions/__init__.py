"""Predictions: tournaments of real matches, members' guesses, and what they earn (PRODUCT C1 to
C11).
"""

TABLES = ("app.predictions.models",)
