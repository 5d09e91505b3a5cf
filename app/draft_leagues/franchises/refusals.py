"""Why nothing may be done with a franchise now. Pure."""

from __future__ import annotations

from app.core.refusals import Refusal
from app.draft_leagues.models import SEASON, DraftLeague
from app.fantasy.rosters.models import Franchise

NO_SEASON = Refusal(
    "phase", "", "Rosters can change only between the draft and the end of the season."
)
NO_FRANCHISE = Refusal("franchise", "", "You have no team in this league. Ask the commissioner.")
LOCKED = Refusal("locked", "", "The commissioner has locked your team. Ask them to unlock it.")


def franchise_refusal(league: DraftLeague, franchise: Franchise | None) -> Refusal | None:
    """Why nothing may be done with this franchise's roster now."""
    return NO_SEASON if league.phase != SEASON else team_refusal(franchise)


def team_refusal(franchise: Franchise | None) -> Refusal | None:
    """Why nobody may act for this franchise, whatever the time of the year."""
    if franchise is None:
        return NO_FRANCHISE
    return LOCKED if franchise.is_locked else None
