"""Rosters that a rookie draft made too large: until when owners cut them, and what waits for it.

Whoever has too many active footballers gets nobody. At the first deadline of a gameweek after the
draft, a rule cuts those who are ranked lowest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import locked, teams
from app.draft_leagues.models import SEASON, DraftLeague
from app.draft_leagues.rankings.services import ranking_of
from app.draft_leagues.roster_acts import words
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.services import record, settings_of
from app.fantasy.market.models import Gameweek
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.rosters.models import RosterSpot, RosterTransaction
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, Transaction
from app.fantasy.sheets.roster_services import begun_now
from app.fantasy.standings.models import League


@dataclass(frozen=True)
class Cut:
    """How many footballers a franchise has to cut.

    Attributes:
        count: How many active footballers it has.
        room: How many it may have.
        lowest: The names of those who are ranked lowest, as many as have to go.
        until: When a rule cuts them; None after the last gameweek.
    """

    count: int
    room: int
    lowest: Sequence[str]
    until: datetime | None


def cut_of(
    league: League, settings: DraftLeagueSettings, franchise: int, now: datetime
) -> Cut | None:
    """Whom a franchise has to cut; None if its roster is not too large, or in another league."""
    count = _counts(league.id, settings).get(franchise, 0)
    room = settings.roster.active
    if count <= room:
        return None
    lowest = _lowest(league, settings, franchise, now)[: count - room]
    names = names_of(lowest)
    return Cut(count, room, [names[each] for each in lowest], _deadline(league))


def cut_refusals(draft_league: DraftLeague, franchise: int, now: datetime) -> list[Refusal]:
    """Why a team gets nobody: it has to cut its roster first."""
    league = db.session.get_one(League, draft_league.league_id)
    cut = cut_of(league, settings_of(draft_league), franchise, now)
    if cut is None:
        return []
    return [Refusal("too_large", "footballer", words.cut_first(cut.count, cut.room, cut.lowest))]


def cut_due(league_id: int, now: datetime) -> int:
    """Cut rosters that are too large when the games begin; returns how many footballers.

    Whoever is ranked lowest goes, as long as their game has not begun.
    """
    with transaction():
        draft_league = locked(league_id)
        settings = settings_of(draft_league)
        counts = _counts(league_id, settings)
        league = db.session.get_one(League, league_id)
        if draft_league.phase != SEASON or not counts:
            return 0
        until = _deadline(league)
        if until is None or until > now:
            return 0
        return sum(
            _cut(draft_league, franchise, count - settings.roster.active, now)
            for franchise, count in counts.items()
        )


def _cut(draft_league: DraftLeague, franchise: int, surplus: int, now: datetime) -> int:
    league = db.session.get_one(League, draft_league.league_id)
    lowest = _lowest(league, settings_of(draft_league), franchise, now)
    begun = begun_now(league.team_rules_id, lowest, now)
    leaving = [each for each in lowest if each not in begun][:surplus]
    if not leaving:
        return 0
    act = Transaction(
        "dropped",
        tuple(Move(each, franchise, None) for each in leaving),
        reason="The roster was over the limit when the games began",
    )
    result = record(draft_league, [act], now)
    assert isinstance(result, list), result  # they are on the roster, and can leave
    names = names_of(leaving)
    say = words.were_cut(league.name, [names[each] for each in leaving])
    owner = next(team.member_id for team in teams(league.id) if team.number == franchise)
    if owner is not None:
        key = f"league:{league.id}:cut:{result[0]}"
        notify([NewNotice.of(owner, "league", key, say, f"/leagues/{league.slug}/roster")], now)
    return len(leaving)


def _counts(league_id: int, settings: DraftLeagueSettings) -> dict[int, int]:
    """The franchises whose rosters are too large, with how many active footballers they have."""
    if not settings.drafts_rookies:
        return {}
    rows = db.session.execute(
        select(RosterSpot.franchise, func.count())
        .where(RosterSpot.league_id == league_id, RosterSpot.spot == ACTIVE)
        .group_by(RosterSpot.franchise)
        .having(func.count() > settings.roster.active)
        .order_by(RosterSpot.franchise)
    )
    return {row[0]: row[1] for row in rows}


def _lowest(
    league: League, settings: DraftLeagueSettings, franchise: int, now: datetime
) -> list[str]:
    """The active footballers of a franchise, the lowest ranked first."""
    ranks = {each.footballer_id: each.rank for each in ranking_of(league.season_id, settings, now)}
    roster: Collection[str] = [
        footballer_id
        for footballer_id, place in rosters_of(league.id).of(franchise).items()
        if place.spot == ACTIVE
    ]
    unranked = len(ranks) + 1
    return sorted(roster, key=lambda each: (-ranks.get(each, unranked), each))


def _deadline(league: League) -> datetime | None:
    """The first deadline of one of the league's gameweeks after the draft."""
    drafted_at = select(func.max(RosterTransaction.made_at)).where(
        RosterTransaction.league_id == league.id, RosterTransaction.kind == "drafted"
    )
    return db.session.scalar(
        select(func.min(Gameweek.deadline)).where(
            Gameweek.season_id == league.season_id,
            Gameweek.week >= league.first_week,
            Gameweek.deadline > drafted_at.scalar_subquery(),
        )
    )
