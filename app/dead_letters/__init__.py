"""Dead letters: what could not be done after every try, kept with the reason, looked at, and sent
again.

Messages that no consumer could take in are app.stream.dead_letters; here are failed jobs, and the
door to all kinds.
"""

TABLES = ("app.dead_letters.models",)
