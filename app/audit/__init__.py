"""The audit: every act of staff and every sign-in, append-only, in a chain of hashes."""

TABLES = ("app.audit.models",)
