"""Queries for the operators' pages about matches: decisions, lists, and matches of findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Row, Select, select, text
from sqlalchemy.orm import aliased

from app.accounts.models import Member
from app.core.db import db
from app.predictions.matches.findings import Kind
from app.predictions.models import Match, MatchAct, ProviderFinding, Round, Team, Tournament

_HOME, _AWAY, _ENDED_BY = aliased(Team), aliased(Team), aliased(Member)
_IS_DECIDED = text(
    "EXISTS (SELECT FROM match_acts x WHERE x.match_id = matches.id AND x.ended_at IS NULL)"
)


@dataclass(frozen=True)
class MatchRow:
    """A match with names; `name` is for example "Port against Harbor"."""

    match: Match
    name: str
    round: str
    tournament: Tournament


@dataclass(frozen=True)
class ActRow:
    """A decision with names.

    `by` and `ended_by` are display names, empty for a command on the server. `into` is the
    provider's id of the match that it was merged into.
    """

    act: MatchAct
    by: str
    ended_by: str
    into: str


def _select() -> Select[Match, str, str, str, Tournament]:
    return (
        select(Match, _HOME.name, _AWAY.name, Round.name, Tournament)
        .join(_HOME, _HOME.id == Match.home_id)
        .join(_AWAY, _AWAY.id == Match.away_id)
        .join(Round, Round.id == Match.round_id)
        .join(Tournament, Tournament.id == Match.tournament_id)
    )


def _rows(query: Select[Match, str, str, str, Tournament]) -> list[MatchRow]:
    rows = db.session.execute(query.execution_options(populate_existing=True))
    return [
        MatchRow(match, f"{home} vs {away}", round_, tournament)
        for match, home, away, round_, tournament in rows
    ]


def find(match_id: UUID) -> MatchRow | None:
    """The match, if there is one."""
    rows = _rows(_select().where(Match.id == match_id))
    return rows[0] if rows else None


def find_by_name(tournament_id: UUID, name: str) -> MatchRow | None:
    """The match by the provider's id or by our own."""
    rows = _rows(_select().where(Match.tournament_id == tournament_id, Match.external_id == name))
    if rows:
        return rows[0]
    try:
        row = find(UUID(name))
    except ValueError:
        return None
    return row if row is not None and row.tournament.id == tournament_id else None


def of_tournament(tournament_id: UUID, word: str, first: int, most: int) -> list[MatchRow]:
    """Load a page of the tournament's matches: waiting ones first, then by kickoff and id.

    If `word` is not empty, only matches with this status of the provider are returned.
    """
    query = _select().where(Match.tournament_id == tournament_id)
    if word:
        query = query.where(Match.provider_status == word)
    is_done = (Match.status == "ended") | (Match.fate == "void")
    order = (is_done.is_(True), Match.kickoff.nulls_last(), Match.external_id)
    return _rows(query.order_by(*order).offset(first).limit(most))


def decided(tournament_id: UUID | None = None) -> list[MatchRow]:
    """Load matches with a standing decision, of active tournaments or of one.

    They are ordered by tournament and kickoff.
    """
    which = (
        Tournament.is_active.is_(True) if tournament_id is None else Tournament.id == tournament_id
    )
    query = _select().where(which, _IS_DECIDED)
    return _rows(query.order_by(Tournament.name, Match.kickoff.nulls_last(), Match.external_id))


def acts(match_ids: Iterable[UUID]) -> dict[UUID, list[ActRow]]:
    """Load the decisions about each of these matches, newest first."""
    into = aliased(Match)
    query = (
        select(MatchAct, Member.display_name, _ENDED_BY.display_name, into.external_id)
        .outerjoin(Member, Member.id == MatchAct.made_by)
        .outerjoin(_ENDED_BY, _ENDED_BY.id == MatchAct.ended_by)
        .outerjoin(into, into.id == MatchAct.into_id)
        .where(MatchAct.match_id.in_(list(match_ids)))
        .order_by(MatchAct.id.desc())
    )
    rows: dict[UUID, list[ActRow]] = {}
    for act, by, ended_by, into_id in db.session.execute(query):
        rows.setdefault(act.match_id, []).append(
            ActRow(act, by or "", ended_by or "", into_id or "")
        )
    return rows


def could_replace(match: Match) -> list[MatchRow]:
    """Load other matches of the same two teams into which the match can be merged."""
    teams = (match.home_id, match.away_id)
    query = _select().where(
        Match.tournament_id == match.tournament_id,
        Match.id != match.id,
        Match.home_id.in_(teams),
        Match.away_id.in_(teams),
        Match.fate.is_distinct_from("void"),
    )
    return _rows(query.order_by(Match.kickoff.nulls_last(), Match.external_id))


def matches_of(findings: Sequence[Row[ProviderFinding, str]]) -> dict[int, UUID]:
    """Load the matches that findings are about, by the finding's id."""
    about = {
        row.id: (row.tournament_id, row.subject)
        for row, _ in findings
        if row.kind != Kind.UNKNOWN_STATUS
    }
    query = select(Match.id, Match.tournament_id, Match.external_id).where(
        Match.tournament_id.in_({tournament for tournament, _ in about.values()}),
        Match.external_id.in_({subject for _, subject in about.values()}),
    )
    ids = {
        (tournament, external): match_id
        for match_id, tournament, external in db.session.execute(query)
    }
    return {finding_id: ids[subject] for finding_id, subject in about.items() if subject in ids}


def guesses(match_id: UUID) -> int:
    """Return the number of guesses of the match."""
    query = text("SELECT count(*) FROM guesses WHERE match_id = :match_id")
    return int(db.session.scalar(query, {"match_id": match_id}) or 0)


def state(match: Match, now: datetime) -> str:
    """Return the state of the match in a word or two."""
    if match.merged_into_id is not None:
        return "merged"
    if match.fate is not None:
        return str(match.fate)
    if match.status == "ended":
        return f"ended {match.home_score}–{match.away_score}"
    if match.status == "not-defined":
        return "not defined"
    return "begun" if match.kickoff is not None and match.kickoff <= now else "to come"
