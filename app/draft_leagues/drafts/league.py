"""What a draft means for its league: when it begins, and the rosters at its end.

Only the caller commits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.plan import Keeper, TradedPick
from app.draft_leagues.drafts.rules import Draft, Pick
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.keepers import services as keepers
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.setup.services import begin_draft, begin_season, set_first_priorities
from app.draft_leagues.transactions.services import NO_LIMITS, Refused, record, settings_of
from app.fantasy.market.models import Season
from app.fantasy.rosters.models import PickOwner
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, Spot, Transaction
from app.fantasy.standings.models import League


def lock_before_start(draft_id: int) -> None:
    """Lock the league of a draft that has not begun, because to begin it changes the league."""
    league_id = db.session.scalar(
        select(DraftRow.league_id).where(DraftRow.id == draft_id, DraftRow.status == "waiting")
    )
    if league_id is not None:
        locked(league_id)


def keepers_at_start(league_id: int, now: datetime) -> tuple[Keeper, ...]:
    """Who is kept. If teams could still choose, their choices stand from now on."""
    return keepers.close(locked(league_id), now)


def traded_picks(league_id: int) -> tuple[TradedPick, ...]:
    """The picks of this season's draft that changed hands."""
    owners = db.session.scalars(
        select(PickOwner)
        .join(League, League.id == PickOwner.league_id)
        .join(Season, Season.id == League.season_id)
        .where(PickOwner.league_id == league_id, PickOwner.season == Season.season)
        .order_by(PickOwner.round, PickOwner.original_franchise)
    )
    return tuple(
        TradedPick(pick.round, pick.original_franchise, pick.franchise)
        for pick in owners
        if pick.franchise != pick.original_franchise
    )


def note_start(league_id: int) -> None:
    """The league's settings are fixed from now on."""
    begin_draft(locked(league_id))


def record_picks(league_id: int, draft_id: int, draft: Draft, now: datetime) -> Sequence[Refusal]:
    """Write every pick into the league's log, which makes the rosters. The season begins.

    Returns:
        Why the rosters refuse it; then nothing is written.
    """
    league = locked(league_id)
    settings = settings_of(league)
    sizes = Counter(
        (place.franchise, place.spot) for place in rosters_of(league_id).places.values()
    )
    transactions = []
    for pick in sorted(draft.picks.values(), key=lambda pick: pick.number):
        if pick.by == "keeper":
            continue  # they are on the roster already
        spot = _spot(pick.franchise, sizes, settings)
        sizes[pick.franchise, spot] += 1
        transactions.append(
            Transaction(
                "drafted",
                moves=(Move(pick.footballer_id, None, pick.franchise, spot),),
                reason=_reason(pick, is_auction=draft.plan.is_auction),
                source=f"draft:{draft_id}:{pick.number}",
            )
        )
    limits = NO_LIMITS if settings.drafts_rookies else None
    result = record(league, transactions, now, limits=limits)
    if isinstance(result, Refused):
        return result.refusals
    set_first_priorities(league, draft.plan.order)
    begin_season(league, now)
    return ()


def _spot(
    franchise: int, sizes: Mapping[tuple[int, Spot], int], settings: DraftLeagueSettings
) -> Spot:
    """Where somebody goes who was drafted: to the bench, and to the taxi squad if it is full.

    A rookie draft makes rosters too large; owners cut them before the season's first game.
    """
    if sizes[franchise, ACTIVE] < settings.roster.active:
        return ACTIVE
    has_room = sizes[franchise, "taxi"] < settings.roster.taxi
    return "taxi" if has_room or not settings.drafts_rookies else ACTIVE


def _reason(pick: Pick, *, is_auction: bool) -> str:
    if is_auction:
        return f"Bought for {pick.price}"
    return f"Round {pick.round}, pick {pick.number}"
