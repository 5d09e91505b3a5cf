"""Reads of the fantasy game for the API."""
