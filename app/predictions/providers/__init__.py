"""Providers of matches: one small interface and its implementations."""
