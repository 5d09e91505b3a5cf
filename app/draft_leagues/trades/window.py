"""When a league trades, and which picks.

In the season everything. Between the seasons a league with keepers trades its footballers and the
picks of coming drafts, until it goes on in the next season; then, until the draft begins, picks.
"""

from __future__ import annotations

from sqlalchemy import select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.keepers.rolling import next_league
from app.draft_leagues.keepers.rules import has_keepers
from app.draft_leagues.models import DRAFTING, FINISHED, SETUP, DraftLeague
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.trades.terms import PickRange
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.market.models import Season
from app.fantasy.standings.models import League

NOTHING_YET = Refusal(
    "phase", "", "There is nothing to trade before the draft: come back when teams have drafted."
)
DRAFT_IS_ON = Refusal("phase", "", "The draft is on: trades open again when it is over.")
SEASON_OVER = Refusal("phase", "", "The season is over, and nobody is kept: trades have ended.")
GONE_ON = Refusal("phase", "", "The league goes on in the next season: trade there.")
PICKS_ONLY = Refusal(
    "phase", "footballers", "Before the draft teams trade picks only: leave out everything else."
)


def window_refusal(draft_league: DraftLeague) -> Refusal | None:
    """Why the league makes no trades now; None if it does."""
    settings = settings_of(draft_league)
    if draft_league.phase == SETUP:
        return None if _drafts_by_picks(settings) else NOTHING_YET
    if draft_league.phase == DRAFTING:
        return DRAFT_IS_ON
    if draft_league.phase == FINISHED:
        if not has_keepers(settings.keepers):
            return SEASON_OVER
        return GONE_ON if next_league(draft_league.league_id) is not None else None
    return None


def pick_range(draft_league: DraftLeague, settings: DraftLeagueSettings) -> PickRange:
    """Which picks the league's franchises have: of coming drafts, this season's until it begins."""
    season = db.session.scalars(
        select(Season.season)
        .join(League, League.season_id == Season.id)
        .where(League.id == draft_league.league_id)
    ).one()
    ahead = settings.keepers.future_seasons if settings.trades.with_picks else 0
    is_coming = draft_league.phase == SETUP and _drafts_by_picks(settings)
    rounds = {season: settings.draft_rounds} if is_coming else {}
    later = range(season + 1, season + 1 + ahead)
    return PickRange(rounds | dict.fromkeys(later, settings.later_rounds))


def _drafts_by_picks(settings: DraftLeagueSettings) -> bool:
    return settings.trades.with_picks and settings.draft.kind != "auction"
