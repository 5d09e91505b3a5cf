"""Imports a draft league in progress from CSV files or from Sleeper's public JSON."""
