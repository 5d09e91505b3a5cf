"""What every page of a draft league loads first: the league, and what the viewer is in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flask import abort
from sqlalchemy import select

from app.core.db import db
from app.core.serving import received_at
from app.core.viewer import current_user
from app.draft_leagues import league_clock
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.leagues import services as leagues
from app.fantasy.pages.commissioner.access import refuse
from app.fantasy.standings.models import League
from app.record.models import Footballer


@dataclass(frozen=True)
class DraftLeaguePage:
    """A draft league that one of its members looks at.

    Attributes:
        teams: Its franchises, by number.
        mine: The viewer's franchise; None for a member without one.
        runs_it: Whether the viewer is the commissioner or a co-commissioner.
        viewer_id: The member who looks.
    """

    league: League
    draft_league: DraftLeague
    settings: DraftLeagueSettings
    teams: tuple[Team, ...]
    mine: Team | None
    runs_it: bool
    viewer_id: int

    def name_of(self, franchise: int) -> str:
        """The name of a franchise."""
        return self.team_of(franchise).name

    def team_of(self, franchise: int) -> Team:
        """The team of a franchise."""
        return self.teams[franchise - 1]


def load(slug: str) -> DraftLeaguePage:
    """The draft league for one of its members; others get a 404."""
    return load_for(slug, current_user.id) or abort(404)


def load_for_commissioner(slug: str) -> DraftLeaguePage:
    """The draft league for whoever runs it; its other members get a 403, others a 404."""
    page = load(slug)
    return page if page.runs_it else refuse(page.league)


def load_for(slug: str, member_id: int) -> DraftLeaguePage | None:
    """The draft league as this member sees it; None if there is none or they are not in it.

    What the clock has decided for it by now is settled first, so that nobody sees a footballer as
    free who was claimed.
    """
    league = leagues.for_member(slug, member_id)
    if league is None:
        return None
    league_clock.settle(league.id, received_at())
    draft_league = franchises.draft_league(league.id)
    if draft_league is None:
        return None
    teams = tuple(franchises.teams(league.id))
    return DraftLeaguePage(
        league,
        draft_league,
        settings_of(draft_league),
        teams,
        next((team for team in teams if team.member_id == member_id), None),
        franchises.runs_league(league.id, member_id),
        member_id,
    )


def footballers_of(ids: Iterable[str]) -> dict[str, Footballer]:
    """These footballers by id."""
    rows = db.session.scalars(select(Footballer).where(Footballer.id.in_(set(ids))))
    return {footballer.id: footballer for footballer in rows}
