"""Where matches come from: one small interface, and what is behind it."""
