"""Settling matches: requests and the points that guesses earn."""
