"""Dead letters: work that failed after every retry, kept with its reason to inspect and replay.

Messages that no consumer could read are in app/stream. This package has failed jobs, and the access
to all kinds.
"""

TABLES = ("app.dead_letters.models",)
