"""The windows of a mode: of the calendar or declared, and how long they are kept. Pure values."""
