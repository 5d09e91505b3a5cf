"""Founding, finding, joining and leaving a league."""
