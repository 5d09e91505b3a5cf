"""Seasons: gameweeks, deadlines, roster formats, and the footballers on the market."""
