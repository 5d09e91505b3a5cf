"""The official record of the games."""

TABLES = (
    "app.record.models",
    "app.record.play_tables",
)
