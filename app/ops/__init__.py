"""What operators see and do: health, metrics, drills, backups."""

TABLES = ("app.ops.models",)
