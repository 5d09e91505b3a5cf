"""What a league chooses for its team sheets, as values. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.fantasy.market.formats import format_named

CLASSIC = "nfl-classic"
LOCKS = ("gameweek", "game")
# A game that was moved out of its gameweek counts where it is played, or not at all.
POSTPONED_GAMES = ("played", "never")


@dataclass(frozen=True)
class TeamRulesChoice:
    """What a league chooses for its team sheets; see models.TeamRules."""

    format: str
    lock: str
    time_zone: str
    deadline: str | None
    budget: int
    club_limit: int
    free_transfers: int | None
    bank_limit: int
    transfer_cost: int
    postponed_games: str = "played"

    @classmethod
    def of(
        cls,
        team_format: str,
        time_zone: str,
        *,
        lock: str = "gameweek",
        deadline: str | None = None,
    ) -> TeamRulesChoice:
        """The usual choice for a format.

        Per gameweek two transfers are free for football and one for soccer, up to five are saved
        up, and a further one costs four points.
        """
        chosen = format_named(team_format)
        free = 1 if chosen.name.startswith("soccer") else 2
        return cls(
            team_format, lock, time_zone, deadline, chosen.budget, chosen.club_limit, free, 5, 4000
        )
