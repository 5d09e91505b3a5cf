"""Whether a draft league can go on in the next season, and what it would take along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import exists, func, select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import Team, teams
from app.draft_leagues.keepers.rules import has_keepers
from app.draft_leagues.models import FINISHED, DraftLeague
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.leagues import owners
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.standings.models import League

NOT_OVER = Refusal(
    "not_over", "", "This season is still on. Start the next one after its last week."
)
NO_SEASON = Refusal("no_season", "", "The next season's schedule isn't out yet. Try again later.")
OVER = Refusal(
    "over", "", "The next season is over too. Create a new league in the current season."
)
TIME_TO_CHOOSE = timedelta(days=14)


@dataclass(frozen=True)
class TradedPick:
    """A pick that another franchise has than the one whose it was."""

    season: int
    round: int
    original: int
    owner: int


@dataclass(frozen=True)
class RollPreview:
    """What a league takes into the next season.

    Attributes:
        teams: The franchises, by number.
        vacant: The numbers of those that nobody runs, and that somebody may take.
        on_rosters: How many footballers each franchise has to choose keepers from.
        has_keepers: Whether anybody stays with a team.
        before: The settings of the season that is over.
        settings: Those of the next.
        deadline: A deadline for keepers that leaves time to choose, and to draft before the
            season's games.
    """

    season: Season
    teams: Sequence[Team]
    vacant: set[int]
    on_rosters: dict[int, int]
    picks: Sequence[TradedPick]
    has_keepers: bool
    before: DraftLeagueSettings
    settings: DraftLeagueSettings
    deadline: datetime


def next_league(league_id: int) -> League | None:
    """The league that continues this one; None before it goes on."""
    return db.session.scalars(select(League).where(League.continues_id == league_id)).one_or_none()


def next_season(league: League) -> Season | None:
    """The season after the league's, once it has gameweeks."""
    old = db.session.get_one(Season, league.season_id)
    return db.session.scalars(
        select(Season).where(
            Season.competition == old.competition,
            Season.season_type == old.season_type,
            Season.season == old.season + 1,
            exists().where(Gameweek.season_id == Season.id),
        )
    ).first()


def roll_refusals(draft_league: DraftLeague, season: Season | None, now: datetime) -> list[Refusal]:
    """Why the league cannot go on in this season now."""
    if draft_league.phase != FINISHED:
        return [NOT_OVER]
    if season is None:
        return [NO_SEASON]
    return [OVER] if first_deadline(season.id, now) is None else []


def settings_of_next(settings: DraftLeagueSettings) -> DraftLeagueSettings:
    """The settings of the next season.

    It begins with the first gameweek that is open. A dynasty drafts rookies from then on, each
    round in the same order, as is usual.
    """
    season = msgspec.structs.replace(settings.season, first_week=None)
    after = msgspec.structs.replace(
        settings, season=season, continues_rosters=has_keepers(settings.keepers)
    )
    is_first = after.drafts_rookies and not settings.drafts_rookies
    if not is_first or settings.draft.kind == "offline":
        return after
    draft = msgspec.structs.replace(settings.draft, kind="linear")
    return msgspec.structs.replace(after, draft=draft)


def preview_roll(
    league: League, draft_league: DraftLeague, now: datetime
) -> RollPreview | list[Refusal]:
    """What the league would take into the next season, or why it cannot go on."""
    season = next_season(league)
    if refused := roll_refusals(draft_league, season, now):
        return refused
    assert season is not None
    first = first_deadline(season.id, now)
    assert first is not None
    settings = settings_of(draft_league)
    rosters = rosters_of(league.id)
    franchises = teams(league.id)
    picks = [
        TradedPick(year, round_number, original, owner)
        for (year, round_number, original), owner in sorted(rosters.picks.items())
        if year >= season.season and owner != original
    ]
    return RollPreview(
        season,
        franchises,
        owners.waiting_for_owners(league.id),
        {team.number: len(rosters.of(team.number)) for team in franchises},
        picks,
        has_keepers(settings.keepers),
        settings,
        settings_of_next(settings),
        now + min(TIME_TO_CHOOSE, (first - now) / 2),
    )


def first_deadline(season_id: int, now: datetime) -> datetime | None:
    """The deadline of the first gameweek that is open; None when all are over."""
    return db.session.scalar(
        select(func.min(Gameweek.deadline)).where(
            Gameweek.season_id == season_id, Gameweek.deadline > now
        )
    )
