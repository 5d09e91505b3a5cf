"""When a league trades, and which picks.

In the season everything. Between the seasons a league with keepers trades its footballers and the
picks of coming drafts, until it goes on in the next season; then picks, until the draft has used
them.
"""

from __future__ import annotations

from sqlalchemy import select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.drafts.pick_trades import used_picks
from app.draft_leagues.drafts.rules import Draft
from app.draft_leagues.keepers.rolling import next_league
from app.draft_leagues.keepers.rules import has_keepers
from app.draft_leagues.models import DRAFTING, FINISHED, SETUP, DraftLeague
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.trades.terms import PickRange
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.market.models import Season
from app.fantasy.standings.models import League

NOTHING_YET = Refusal("phase", "", "Trades open after the draft.")
DRAFT_IS_ON = Refusal("phase", "", "The draft is on. Trades reopen after it.")
SEASON_OVER = Refusal(
    "phase", "", "The season is over and there are no keepers, so trades are closed."
)
GONE_ON = Refusal("phase", "", "The league has moved to the next season. Trade there.")
PICKS_ONLY = Refusal(
    "phase",
    "footballers",
    "Until the draft is over, teams can trade picks only. Remove everything else.",
)
JUST_BEGUN = Refusal("phase", "", "The draft has just begun. Send your trade again.")


def window_refusal(draft_league: DraftLeague) -> Refusal | None:
    """Why the league makes no trades now; None if it does."""
    settings = settings_of(draft_league)
    if draft_league.phase == SETUP:
        return None if _drafts_by_picks(settings) else NOTHING_YET
    if draft_league.phase == DRAFTING:
        return None if _drafts_by_picks(settings) else DRAFT_IS_ON
    if draft_league.phase == FINISHED:
        if not has_keepers(settings.keepers):
            return SEASON_OVER
        return GONE_ON if next_league(draft_league.league_id) is not None else None
    return None


def trades_picks_only(draft_league: DraftLeague) -> bool:
    """Whether nothing but picks is traded now, because the draft is not over."""
    return draft_league.phase in (SETUP, DRAFTING)


def pick_range(
    draft_league: DraftLeague, settings: DraftLeagueSettings, draft: Draft | None = None
) -> PickRange:
    """Which picks the league's franchises have: of later drafts, and of this season's the rest.

    `draft`: as it is while it is on; None if it has not begun, or is over.
    """
    season = db.session.scalars(
        select(Season.season)
        .join(League, League.season_id == Season.id)
        .where(League.id == draft_league.league_id)
    ).one()
    ahead = settings.keepers.future_seasons if settings.trades.with_picks else 0
    is_on = draft_league.phase == DRAFTING and draft is not None
    has_picks = (draft_league.phase == SETUP or is_on) and _drafts_by_picks(settings)
    rounds = {season: settings.draft_rounds} if has_picks else {}
    later = range(season + 1, season + 1 + ahead)
    used = used_picks(draft, season) if is_on and draft is not None else {}
    return PickRange(rounds | dict.fromkeys(later, settings.later_rounds), used)


def _drafts_by_picks(settings: DraftLeagueSettings) -> bool:
    return settings.trades.with_picks and settings.draft.kind != "auction"
