"""What moderators do: sanctions, rollbacks, freezes, reports, appeals, inspection, privacy."""

TABLES = ("app.moderation.models",)
