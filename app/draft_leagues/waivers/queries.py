"""Reads of waivers: whether a footballer is free, open claims, and what a run decides by."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import exists, func, select, text

from app.core.db import db
from app.draft_leagues.franchises.reserve import fit_on_reserve
from app.draft_leagues.franchises.services import teams, without_owner
from app.draft_leagues.models import DRAFTING, SETUP, DraftLeague
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.services import limits_of, settings_of
from app.draft_leagues.waivers.models import WaiverClaim, WaiverRun
from app.draft_leagues.waivers.rules import Claim, Run
from app.draft_leagues.waivers.times import first_run_from, runs_between
from app.fantasy.market.models import Gameweek, SheetDeadline
from app.fantasy.rosters.models import RosterTransaction
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import Rosters
from app.fantasy.sheets.context import begun_among, playing_among
from app.fantasy.sheets.roster_services import begun_now
from app.fantasy.standings.models import League

# From a gameweek's last kickoff until its last game is over at the latest.
LONGEST_GAME = timedelta(hours=5)


@dataclass(frozen=True)
class Availability:
    """Whether somebody without a team can be added.

    Attributes:
        clears_at: The run that decides claims for them; None for a free agent.
        playing_until: Their game has begun and is not over: when the gameweek is over at the
            latest; None otherwise. They can be added as soon as the game has ended.
    """

    clears_at: datetime | None = None
    playing_until: datetime | None = None

    @property
    def is_free(self) -> bool:
        """Whether they can be added at once."""
        return self.clears_at is None and self.playing_until is None


def budget_left(
    draft_league: DraftLeague, settings: DraftLeagueSettings, rosters: Rosters, franchise: int
) -> int:
    """What a franchise has of its waiver budget; 0 if the league has none.

    It is granted when the draft is over. Before that, a franchise has what it will be granted.
    """
    if draft_league.phase in (SETUP, DRAFTING) and settings.waivers.kind == "blind_bids":
        return settings.waivers.budget
    return rosters.budgets.get(franchise, 0)


_DROPPED = text("""
    SELECT DISTINCT ON (m ->> 'footballer_id') m ->> 'footballer_id' AS footballer_id,
      t.made_at, m ->> 'to_franchise' AS to_franchise
    FROM roster_transactions t, jsonb_array_elements(t.content -> 'moves') m
    WHERE t.league_id = :league_id AND t.made_at > :since
      AND m ->> 'footballer_id' = ANY(:footballers)
    ORDER BY m ->> 'footballer_id', t.number DESC
""")


def availability(
    league: League, settings: DraftLeagueSettings, footballers: Collection[str], now: datetime
) -> dict[str, Availability]:
    """Whether each of these footballers, who are on no team, can be added now."""
    waivers, zone = settings.waivers, settings.time_zone
    clears: dict[str, datetime] = {}
    playing: dict[str, datetime] = {}
    gameweek, ends_at = _begun_gameweek(league, now)
    if gameweek is not None and (waivers.kind == "free" or not waivers.locks_at_kickoff):
        playing = dict.fromkeys(playing_among(footballers, gameweek, now), ends_at)
    if waivers.kind == "free":
        return {each: Availability(None, playing.get(each)) for each in footballers}
    wait = timedelta(hours=waivers.hours_after_drop)
    # A dropped footballer is on waivers until the first run after the wait: within eight days.
    rows = db.session.execute(
        _DROPPED,
        {
            "league_id": league.id,
            "since": now - wait - timedelta(days=8),
            "footballers": [*footballers],
        },
    )
    for row in rows:
        run = first_run_from(waivers, zone, row.made_at + wait)
        if row.to_franchise is None and run > now and wait:
            clears[row.footballer_id] = run
    if waivers.locks_at_kickoff and gameweek is not None:
        after = first_run_from(waivers, zone, ends_at)
        if after > now:
            begun = begun_among(footballers, gameweek, now)
            clears |= {each: max(after, clears.get(each, after)) for each in begun}
    return {each: Availability(clears.get(each), playing.get(each)) for each in footballers}


def _begun_gameweek(league: League, now: datetime) -> tuple[Gameweek | None, datetime]:
    """The latest gameweek that has begun, and when its last game is over at the latest."""
    row = db.session.execute(
        select(Gameweek, SheetDeadline.locks_at)
        .join(SheetDeadline, SheetDeadline.gameweek_id == Gameweek.id)
        .where(
            SheetDeadline.team_rules_id == league.team_rules_id,
            Gameweek.week >= league.first_week,
            Gameweek.deadline <= now,
        )
        .order_by(Gameweek.week.desc())
        .limit(1)
    ).first()
    return (row[0], row[1] + LONGEST_GAME) if row is not None else (None, now)


def open_claims(league_id: int, franchise: int | None = None) -> list[WaiverClaim]:
    """Claims that are not decided, of one franchise or of all, each franchise's in its order."""
    query = select(WaiverClaim).where(
        WaiverClaim.league_id == league_id, WaiverClaim.result.is_(None)
    )
    if franchise is not None:
        query = query.where(WaiverClaim.franchise == franchise)
    return [
        *db.session.scalars(
            query.order_by(WaiverClaim.franchise, WaiverClaim.position, WaiverClaim.id)
        )
    ]


def runs_page(league_id: int, *, limit: int, offset: int = 0) -> tuple[list[WaiverRun], bool]:
    """Runs that decided claims, the latest first, and whether others follow."""
    rows = db.session.scalars(
        select(WaiverRun)
        .where(
            WaiverRun.league_id == league_id,
            exists().where(WaiverClaim.run_id == WaiverRun.id),
        )
        .order_by(WaiverRun.scheduled_for.desc())
        .limit(limit + 1)
        .offset(offset)
    ).all()
    return [*rows[:limit]], len(rows) > limit


def load_run(league_id: int, run_id: int) -> WaiverRun | None:
    """A run of the league; None if there is none."""
    row = db.session.get(WaiverRun, run_id, populate_existing=True)
    return row if row is not None and row.league_id == league_id else None


def claims_of_run(run_id: int) -> Sequence[WaiverClaim]:
    """The claims that a run decided, by footballer, the highest bid first."""
    return db.session.scalars(
        select(WaiverClaim)
        .where(WaiverClaim.run_id == run_id)
        .order_by(WaiverClaim.footballer_id, WaiverClaim.bid.desc(), WaiverClaim.id)
        .execution_options(populate_existing=True)
    ).all()


def why_in_vain(
    claims: Sequence[WaiverClaim], rosters: Rosters, names: Mapping[str, str], budget: int
) -> dict[int, str]:
    """Why open claims of a team could not win any more, and what to do, by the claims' ids.

    Args:
        claims: The team's open claims.
        rosters: As they are now.
        names: Of the footballers whom the claims name, by id.
        budget: What the team has left to bid.
    """
    reasons = {}
    for row in claims:
        drop = rosters.places.get(row.drop_id) if row.drop_id is not None else None
        is_drop_gone = drop is None or drop.franchise != row.franchise
        if row.footballer_id in rosters.places:
            name = names[row.footballer_id]
            reasons[row.id] = f"{name} is on a team now. Cancel this claim."
        elif row.drop_id is not None and is_drop_gone:
            name = names[row.drop_id]
            reasons[row.id] = f"{name} is no longer on your team. Claim again with another drop."
        elif row.bid > budget:
            reasons[row.id] = f"You have {budget} left. Lower your bid."
    return reasons


def as_claim(row: WaiverClaim) -> Claim:
    """A stored claim as a value."""
    return Claim(
        row.id,
        row.franchise,
        row.footballer_id,
        row.drop_id,
        row.bid,
        row.position,
        row.claim_group,
    )


def due_claims(
    league: League, settings: DraftLeagueSettings, run_at: datetime
) -> list[WaiverClaim]:
    """The open claims that a run decides: those whose footballer does not clear later."""
    claims = open_claims(league.id)
    before = run_at - timedelta(microseconds=1)
    waiting = availability(league, settings, {row.footballer_id for row in claims}, before)
    return [
        row
        for row in claims
        if row.placed_at <= run_at and (waiting[row.footballer_id].clears_at or run_at) <= run_at
    ]


def run_of(
    draft_league: DraftLeague, claims: Sequence[Claim], priorities: Sequence[int], now: datetime
) -> Run:
    """Everything by which these claims are decided."""
    league_id = draft_league.league_id
    settings = settings_of(draft_league)
    franchises = teams(league_id)
    league = db.session.get_one(League, league_id)
    fit = fit_on_reserve(league)
    named = {name for each in claims for name in (each.footballer_id, each.drop_id) if name}
    return Run(
        settings.waivers.kind,
        rosters_of(league_id),
        limits_of(settings),
        priorities,
        {team.number: team.name for team in franchises},
        names_of([*named, *fit]),
        begun_now(league.team_rules_id, named, now),
        {team.number for team in franchises if team.is_locked},
        without_owner(league_id),
        fit,
    )


def due_runs(league_id: int, settings: DraftLeagueSettings, now: datetime) -> list[datetime]:
    """The times of a league's runs that are due and not processed.

    There are none before the first entry of its log.
    """
    if settings.waivers.kind == "free":
        return []
    last_run = (
        select(func.max(WaiverRun.scheduled_for))
        .where(WaiverRun.league_id == league_id)
        .scalar_subquery()
    )
    first_entry = (
        select(RosterTransaction.made_at)
        .where(RosterTransaction.league_id == league_id)
        .order_by(RosterTransaction.number)
        .limit(1)
        .scalar_subquery()
    )
    after = db.session.scalar(select(func.coalesce(last_run, first_entry)))
    if after is None:
        return []
    return runs_between(settings.waivers, settings.time_zone, after, now)
