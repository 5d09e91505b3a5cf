"""What moderators do: sanctions, rollbacks, frozen boards, reports, appeals, inspection, and
people's own data.
"""

TABLES = ("app.moderation.models",)
