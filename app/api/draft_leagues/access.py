"""Loads a draft league for the caller, and turns refusals of the services into problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from app.accounts.models import Player
from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.shapes import NO_LEAGUE, DraftLeaguePath
from app.api.security import MemberCaller
from app.core.db import db
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal
from app.draft_leagues.franchises.refusals import NO_FRANCHISE
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.pages.loading import DraftLeaguePage, load_for

Caller = PlayerCaller | MemberCaller
COMMISSIONER = "Only the league's commissioner and co-commissioners can do this. Ask one of them."
# What the services call a field, and what the body calls it.
FIELDS = {
    "footballer": "footballerId",
    "footballers": "footballers",
    "drop": "dropId",
    "keepers": "footballerIds",
    "week": "gameweek",
    "member": "gamerIds",
    "team_name": "teamName",
}


def member_of(caller: Caller) -> int | None:
    """The member who calls; None for a player of an integrator who is no member."""
    if isinstance(caller, MemberCaller):
        return caller.member_id
    return db.session.scalar(select(Player.member_id).where(Player.id == caller.player_id))


def opened(path: DraftLeaguePath, caller: Caller) -> DraftLeaguePage:
    """The draft league for one of its members. Raises ProblemError 404 for others."""
    member_id = member_of(caller)
    page = load_for(path.league, member_id) if member_id is not None else None
    if page is None:
        raise ProblemError(404, NO_LEAGUE)
    return page


def opened_by_commissioner(path: DraftLeaguePath, caller: Caller) -> DraftLeaguePage:
    """The draft league for whoever runs it. Raises ProblemError 403 for its other members."""
    page = opened(path, caller)
    if not page.runs_it:
        raise ProblemError(403, COMMISSIONER)
    return page


def own_team(page: DraftLeaguePage) -> Team:
    """The caller's own team. Raises ProblemError 409 if they run none."""
    if page.mine is None:
        raise refused_problem([NO_FRANCHISE])
    return page.mine


def team_of(page: DraftLeaguePage, franchise: int) -> Team:
    """A team of the league. Raises ProblemError 404 if there is none of this number."""
    team = next((team for team in page.teams if team.number == franchise), None)
    if team is None:
        raise ProblemError(404, f"The league has teams 1 to {len(page.teams)}. Choose one of them.")
    return team


def refused_problem(
    refusals: Sequence[Refusal], status: int = 409, fields: Mapping[str, str] | None = None
) -> ProblemError:
    """What the services refused, as a problem that names the fields of the body.

    `fields`: names of the body by those of the services, where they differ from FIELDS.
    """
    names = FIELDS | dict(fields or {})
    faults = [
        Fault("body", names.get(refusal.field, refusal.field), refusal.code, refusal.text)
        for refusal in refusals
    ]
    return ProblemError(status, " ".join(fault.detail for fault in faults), faults)


def or_refused(refusals: Sequence[Refusal], fields: Mapping[str, str] | None = None) -> None:
    """Raise ProblemError 409 if there are refusals."""
    if refusals:
        raise refused_problem(refusals, fields=fields)
