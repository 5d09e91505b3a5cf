"""Seasons, their gameweeks, deadlines and roster formats, and the players on the market with their
prices.
"""
