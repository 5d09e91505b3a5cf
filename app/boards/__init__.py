"""The leaderboard engine: boards in Redis, PostgreSQL and the archive.

Shared by all rooms: `rules` (how scores count), `order` (which record ranks first), `reads` (what
every store answers) and `services` (the entry point for reads).
"""

TABLES = (
    "app.boards.models",
    "app.boards.groups.models",
)
