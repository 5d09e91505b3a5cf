"""Two team sheets side by side."""
