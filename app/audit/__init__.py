"""The audit: every act of staff and every sign-in, append-only, each entry chained to the one
before by its hash.
"""

TABLES = ("app.audit.models",)
