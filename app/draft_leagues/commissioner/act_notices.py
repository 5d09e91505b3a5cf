"""Tells members what a commissioner did on their behalf. Only the caller commits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.core.bidi import isolated
from app.core.db import db
from app.draft_leagues.commissioner import words
from app.draft_leagues.franchises.services import teams
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.transactions.words import lines
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Words
from app.fantasy.rosters.models import RosterTransaction
from app.fantasy.rosters.queries import names_of, recorded
from app.fantasy.standings.models import League

MOST_LINES = 4


@dataclass(frozen=True)
class By:
    """Who acts, and why: everybody in the league reads it."""

    member_id: int
    reason: str


@dataclass(frozen=True)
class LoggedAct:
    """An act in the league's log."""

    number: int
    made_at: datetime
    by: By


def tell(
    draft_league: DraftLeague,
    members: Iterable[int | None],
    entry: LoggedAct,
    title: str,
    path: str | None = None,
) -> None:
    """Tell these members, except whoever did it, what happened and why."""
    league = db.session.get_one(League, draft_league.league_id)
    say = Words(f"{isolated(league.name)}: {title}", f"Reason: {entry.by.reason.strip()}")
    concerned = {member for member in members if member is not None} - {entry.by.member_id}
    page = path or f"/leagues/{league.slug}/transactions"
    key = f"league:{league.id}:act:{entry.number}"
    notify([NewNotice.of(member, "league", key, say, page) for member in concerned], entry.made_at)


def tell_of_moves(draft_league: DraftLeague, number: int, now: datetime) -> None:
    """Tell the owners of every team that a commissioner's entry of the log concerns."""
    league = db.session.get_one(League, draft_league.league_id)
    row = db.session.get_one(RosterTransaction, (league.id, number))
    act = recorded(row).transaction
    league_teams = {team.number: team for team in teams(league.id)}
    names = names_of(move.footballer_id for move in act.moves)
    sentences = [*lines(act, names, lambda team: league_teams[team].name)]
    if len(sentences) > MOST_LINES:
        sentences = [*sentences[:MOST_LINES], f"And {len(sentences) - MOST_LINES} more."]
    title = words.TAKEN_BACK if act.kind == "reversed" else words.MOVED
    say = Words(f"{isolated(league.name)}: {title}", f"{' '.join(sentences)} Reason: {act.reason}")
    concerned = {league_teams[team].member_id for team in act.franchises} - {act.by_member_id, None}
    key, path = f"league:{league.id}:act:{number}", f"/leagues/{league.slug}/transactions"
    notify([NewNotice.of(member, "league", key, say, path) for member in concerned if member], now)
