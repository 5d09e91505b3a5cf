"""What somebody who is invited to a draft league reads before they join it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.db import db
from app.core.plurals import counted
from app.draft_leagues import draft_planning
from app.draft_leagues.franchises.services import teams
from app.draft_leagues.models import DRAFTING, SETUP, DraftLeague
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.setting_words import Line, lines
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.leagues import owners
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.standings.models import League


@dataclass(frozen=True)
class TakenOver:
    """The team that whoever joins next takes over. `record`: wins, losses and ties."""

    name: str
    record: str
    players: int


@dataclass(frozen=True)
class Invitation:
    """A draft league to somebody who is invited.

    Attributes:
        phase: As in models.DraftLeague.
        teams: How many there are.
        free: How many of them wait for somebody.
        starts_at: When the draft begins; None if nobody has set a date.
        lines: The settings of the draft.
        has_playoffs: Whether play-offs decide the league.
        taken_over: None while a new team is free.
    """

    phase: str
    teams: int
    free: int
    starts_at: datetime | None
    lines: Sequence[Line]
    has_playoffs: bool
    taken_over: TakenOver | None

    @property
    def is_before_the_draft(self) -> bool:
        """Whether the draft is still to come."""
        return self.phase == SETUP


def invitation_of(league: League) -> Invitation:
    """The draft league as it is now."""
    draft_league = db.session.get_one(DraftLeague, league.id)
    settings = settings_of(draft_league)
    draft = draft_planning.draft_of(league.id)
    return Invitation(
        phase=draft_league.phase,
        teams=settings.franchises,
        free=len(owners.waiting_for_owners(league.id)),
        starts_at=draft.starts_at if draft is not None else None,
        lines=[line for line in lines(settings, {}) if line.step == "draft"],
        has_playoffs=settings.season.playoff_teams > 0,
        taken_over=_taken_over(league, draft_league.phase),
    )


def _taken_over(league: League, phase: str) -> TakenOver | None:
    """The team that waits for an owner, unless a team without a past is free."""
    if any(team.member_id is None for team in teams(league.id)):
        return None
    franchise = owners.next_waiting(league.id)
    if franchise is None:
        return None
    name = next(team.name for team in teams(league.id) if team.number == franchise.number)
    record = ""
    if phase not in (SETUP, DRAFTING):
        place = next(
            each for each in load_season(league.id).table if each.franchise == franchise.number
        )
        won = place.record
        record = f"{won.wins}–{won.losses}" + (f"–{won.ties}" if won.ties else "")
    return TakenOver(name, record, len(rosters_of(league.id).of(franchise.number)))


def taken_over_words(team: TakenOver) -> str:
    """Such as `1-3, 14 players`."""
    parts = [team.record, counted(team.players, "player")]
    return ", ".join(part for part in parts if part)
