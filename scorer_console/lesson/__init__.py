"""A scripted practice lesson: plays that are asked for one by one, and a mark for the record."""
