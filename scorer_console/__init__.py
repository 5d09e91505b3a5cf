"""The scorer's console."""

TABLES = ("scorer_console.models",)
