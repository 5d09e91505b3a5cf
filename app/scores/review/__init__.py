"""Decisions about scores after they came in: reviews, corrections, the slow checks."""
