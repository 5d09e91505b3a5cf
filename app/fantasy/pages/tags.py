"""The cache tags of pages that a member sees alone."""

from __future__ import annotations


def tags_of_teams(member_id: int) -> frozenset[str]:
    """What a member's teams depend on: sheets, leagues, deadlines and games, besides the time."""
    return frozenset(
        {
            f"sheets:{member_id}",
            "sheets:all",
            f"memberships:{member_id}",
            "leagues",
            "gameweeks",
            "deadlines",
            "games",
            "clubs",
            "footballers",
        }
    )
