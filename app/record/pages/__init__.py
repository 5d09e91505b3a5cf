"""The public pages of games: live, box score, drives, plays, and what readers can download."""
