"""People and their machines: members, sessions, second factors, integrators, keys, friends."""

TABLES = ("app.accounts.models",)
