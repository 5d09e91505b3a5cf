"""The windows of a mode, calendar or declared, and how long they are kept. Pure values."""
