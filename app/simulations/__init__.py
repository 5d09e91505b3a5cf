"""Simulated traffic for measuring the anti-cheat rules; nothing here runs with the site."""
