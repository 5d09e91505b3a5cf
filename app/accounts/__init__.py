"""Accounts: people, sessions, second factors, roles and the keys of integrators."""

TABLES = ("app.accounts.models",)
