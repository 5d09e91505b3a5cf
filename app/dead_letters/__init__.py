"""Dead letters: what failed after every retry, kept with its reason, to inspect and to send again.

Messages that no consumer could read are in app/stream; here are failed jobs, and the access to all
kinds.
"""

TABLES = ("app.dead_letters.models",)
