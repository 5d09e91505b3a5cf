"""The official record of games: events, their rules, tables, pages and importers."""

TABLES = (
    "app.record.models",
    "app.record.play_tables",
)
