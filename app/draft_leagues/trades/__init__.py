"""Trades: offers between two or more franchises, their review, and the trade block."""
