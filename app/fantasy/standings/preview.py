"""Previews who would move in a league's table, and by how much (PRODUCT G5). Reads only.

A league's ledger, its table as plain values, and the difference of two tables. The acts themselves
are in leagues/adjustments.py and leagues/rule_changes.py. `live.refresh_league` then writes the
same table: a test compares them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select, text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.notices.words import Moved
from app.fantasy.standings.fixtures import Pair, match_points
from app.fantasy.standings.live_scores import SCORES, live_scores, live_values
from app.fantasy.standings.models import League, LeagueMember
from app.fantasy.standings.own_games import OWN_GAMES, StandingsOf
from app.fantasy.standings.ranking import (
    HEAD_TO_HEAD,
    SeasonSoFar,
    dense_ranks,
    results_between,
    standing,
)
from app.fantasy.standings.schedules import stored_pairs

Score = tuple[int, int]  # gameweek id, member id

_SCORES = text(f"""
    SELECT gameweek_id, member_id, points, transfers FROM {SCORES} s WHERE league_id = :league
""")  # noqa: S608 (made of our own words alone)


@dataclass(frozen=True)
class Ledger:
    """Everything that a league's table is made of. Points are thousandths.

    `weeks`: gameweek ids in order. `pairs`: of the settled gameweeks of a head-to-head league.
    `standings_of`: how leagues of this game rank, unless by ranking.py.
    """

    mode: str
    ties: str
    members: tuple[int, ...]
    weeks: tuple[int, ...]
    points: Mapping[Score, int]
    transfers: Mapping[Score, int]
    pairs: Mapping[int, Sequence[Pair]]
    standings_of: StandingsOf | None = None

    def with_points(self, difference: Mapping[Score, int]) -> Ledger:
        """The ledger with these points added to scores."""
        changed = dict(self.points)
        for score, points in difference.items():
            changed[score] = changed.get(score, 0) + points
        return replace(self, points=changed)


@dataclass(frozen=True)
class PreviewedPlace:
    """A member's place in a table. `standing`: what the league ranks by. `rank`: dense."""

    standing: tuple[int, ...]
    total: int
    match_points: int | None
    rank: int


@dataclass(frozen=True)
class Move:
    """A member whose total, match points or rank would change."""

    member_id: int
    name: str
    team_name: str
    old: PreviewedPlace
    new: PreviewedPlace

    @property
    def delta(self) -> int:
        """How much the total would rise, in thousandths."""
        return self.new.total - self.old.total

    @property
    def moved(self) -> Moved:
        """The change of total and rank as notices take it."""
        return Moved(self.old.total, self.new.total, self.old.rank, self.new.rank)


def table(ledger: Ledger) -> dict[int, PreviewedPlace]:
    """Every member's place, by the rules of ranking.py or the league's own."""
    totals: dict[int, int] = defaultdict(int)
    transfers: dict[int, int] = defaultdict(int)
    for (_, member), points in ledger.points.items():
        totals[member] += points
    for (_, member), count in ledger.transfers.items():
        transfers[member] += count
    won: dict[int, int] = defaultdict(int)
    games: list[tuple[int, int, int]] = []
    for week, pairs in ledger.pairs.items():
        scores = {member: points for (at, member), points in ledger.points.items() if at == week}
        results = match_points(scores, pairs)
        for member, points in results.items():
            won[member] += points
        for home, away in pairs:
            if away is not None:
                games += [(home, away, results[home]), (away, home, results[away])]
    between = results_between({member: won[member] for member in ledger.members}, games)
    seasons = {
        member: SeasonSoFar(
            won[member],
            totals[member],
            transfers[member],
            tuple(ledger.points.get((week, member), 0) for week in reversed(ledger.weeks)),
            between[member],
        )
        for member in ledger.members
    }
    standings = _standings(ledger, seasons)
    ranks = dense_ranks(standings)
    has_match_points = ledger.mode == HEAD_TO_HEAD and ledger.standings_of is None
    return {
        member: PreviewedPlace(
            standings[member],
            season.total,
            season.match_points if has_match_points else None,
            ranks[member].rank,
        )
        for member, season in seasons.items()
    }


def _standings(ledger: Ledger, seasons: Mapping[int, SeasonSoFar]) -> dict[int, tuple[int, ...]]:
    if ledger.standings_of is not None:
        standings = ledger.standings_of(ledger.points)
        return {member: standings.get(member, ()) for member in seasons}
    return {
        member: standing(ledger.mode, ledger.ties, season) for member, season in seasons.items()
    }


def moves(before: Ledger, after: Ledger, names: Mapping[int, tuple[str, str]]) -> list[Move]:
    """The members who move: first those whose total changes, then by new rank and id.

    `names`: of each member and of their team.
    """
    old = table(before)
    changes = [
        Move(member, *names[member], old[member], new)
        for member, new in table(after).items()
        if (old[member].total, old[member].match_points, old[member].rank)
        != (new.total, new.match_points, new.rank)
    ]
    return sorted(changes, key=lambda move: (move.delta == 0, move.new.rank, move.member_id))


def ledger_of(league: League) -> Ledger:
    """Load the league's present ledger, in a fixed number of queries."""
    weeks = db.session.execute(
        select(Gameweek.id, Gameweek.settled_at)
        .where(Gameweek.season_id == league.season_id)
        .order_by(Gameweek.week)
    ).all()
    settled = [week for week, at in weeks if at is not None]
    members = db.session.scalars(
        select(LeagueMember.member_id)
        .where(LeagueMember.league_id == league.id)
        .order_by(LeagueMember.member_id)
    )
    values = {"league": league.id, **live_values(live_scores([league.id]))}
    scores = db.session.execute(_SCORES, values).all()
    pairs = stored_pairs([league.id])[league.id] if league.mode == HEAD_TO_HEAD else {}
    own_game = OWN_GAMES.get(league.game)
    return Ledger(
        league.mode,
        league.ties,
        tuple(members),
        tuple(week for week, _ in weeks),
        {(score.gameweek_id, score.member_id): score.points for score in scores},
        {(score.gameweek_id, score.member_id): score.transfers for score in scores},
        {week: pairs[week] for week in settled if week in pairs},
        own_game.standings_of(league.id) if own_game else None,
    )


def playoff_changes(league: League, difference: Mapping[Score, int]) -> Sequence[str]:
    """What these points more would change in the play-offs of a draft league, in sentences."""
    own_game = OWN_GAMES.get(league.game)
    if own_game is None:
        return ()
    corrected = ledger_of(league).with_points(difference)
    return own_game.playoff_changes(league.id, corrected.points)


def names_of(league_id: int) -> dict[int, tuple[str, str]]:
    """Load the names of the league's members and of their teams, by member."""
    query = (
        select(Member.id, Member.display_name, LeagueMember.team_name)
        .join(LeagueMember, LeagueMember.member_id == Member.id)
        .where(LeagueMember.league_id == league_id)
    )
    return {member: (name, team) for member, name, team in db.session.execute(query)}
