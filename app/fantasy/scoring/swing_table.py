"""A league's gameweek table as arrays that follow the record step by step: what tells whose table a
play moved.

Lives here: reading the league once, and the table at any step. Not here: which steps
(record/rules/steps.py), what is said of them (swings.py, balance.py). The table is the gameweek's
own, with transfers and adjustments, as standings.standings has it; the rule of captains and
substitutes is sheets/lineups.py. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, text

from app.accounts.models import Member
from app.accounts.sanctions import seen_member
from app.core.db import db
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules, points
from app.fantasy.scoring.sheet_points import lineups_of, week_of
from app.fantasy.sheets.lineups import Flags, Footballers, Lineups, Numbers, counted, totals
from app.fantasy.standings.models import LeagueMember
from app.fantasy.standings.queries import LeagueRow, sheets_of
from app.record.queries import GameRow
from app.record.rules.state import NOT_AWAITED
from app.record.rules.steps import Step

Stats = Mapping[str, int]


@dataclass(frozen=True)
class Team:
    member_id: int
    name: str


@dataclass(frozen=True)
class Ground:
    """What of a league's gameweek no play changes.

    `teams`: everybody seen in it, by member id; `fixed`: what each has besides their footballers
    (transfers, adjustments), thousandths; `rows`: which team each sheet is, as an index.

    `index`: of each footballer by id (0 is nobody). `clubs`: of each footballer; `week`:
    footballers before the first event, `lineups` the sheets.
    """

    league: LeagueRow
    format: Format
    rules: ScoringRules
    games: Sequence[GameRow]
    teams: Sequence[Team]
    fixed: Numbers
    rows: NDArray[np.int64]
    index: Mapping[str, int]
    positions: Mapping[str, str]
    clubs: Mapping[str, frozenset[int]]
    week: Footballers
    lineups: Lineups

    def place_of(self, member_id: int) -> int | None:
        return next(
            (place for place, team in enumerate(self.teams) if team.member_id == member_id), None
        )


# What sheets cost in transfers, and what a commissioner gave or took; who has neither is not in it.
_FIXED = text("""
    SELECT member_id, sum(points)::bigint FROM (
      SELECT member_id, -transfer_cost AS points FROM team_sheets
      WHERE team_rules_id = :team_rules AND gameweek_id = :gameweek AND transfer_cost <> 0
      UNION ALL
      SELECT member_id, points FROM score_adjustments WHERE league_id = :league
        AND gameweek_id = :gameweek
    ) AS fixed GROUP BY member_id
""")

_FOOTBALLERS = text("""
    SELECT f.id, f.position AS scored_as, coalesce(m.position, f.position) AS position, f.club_id
    FROM footballers f LEFT JOIN footballer_seasons m ON m.footballer_id = f.id
      AND m.season_id = :season
    WHERE f.id = ANY(:ids) ORDER BY f.id
""")


def ground(league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow]) -> Ground:
    """Reads the league's gameweek.

    `games`: of the gameweek; those that do not count in the league are left out.
    """
    games = [game for game in games if league.counts_moved or not game.is_moved]
    teams = [
        Team(member, name)
        for member, name in db.session.execute(
            select(LeagueMember.member_id, LeagueMember.team_name)
            .join(Member, Member.id == LeagueMember.member_id)
            .where(LeagueMember.league_id == league.id, seen_member(LeagueMember.member_id))
            .order_by(LeagueMember.member_id)
        )
    ]
    places = {team.member_id: place for place, team in enumerate(teams)}
    counts = gameweek.week >= league.first_week
    sheets = (
        [sheet for sheet in sheets_of(league.id, gameweek.id) if sheet.member_id in places]
        if counts
        else []
    )
    which = {"league": league.id, "gameweek": gameweek.id, "team_rules": league.team_rules_id}
    fixed: dict[int, int] = dict(db.session.execute(_FIXED, which).all()) if counts else {}
    ids = {player for sheet in sheets for player in sheet.picks if player}
    players = db.session.execute(
        _FOOTBALLERS, {"season": league.season_id, "ids": sorted(ids)}
    ).all()
    format = FORMATS[league.format]
    week = week_of(format, [(one.id, one.position, 0, 0, False, True) for one in players])
    clubs: dict[str, set[int]] = {}
    for one in players:
        clubs.setdefault(one.club_id or "", set()).add(week.index[one.id])
    return Ground(
        league,
        format,
        rules_named(league.rules),
        games,
        teams,
        np.array([fixed.get(team.member_id, 0) for team in teams], np.int64),
        np.array([places[sheet.member_id] for sheet in sheets], np.int64),
        week.index,
        {one.id: one.scored_as for one in players},
        {club: frozenset(some) for club, some in clubs.items()},
        week.footballers,
        lineups_of([(sheet.picks, sheet.captain, sheet.vice_captain) for sheet in sheets], week),
    )


class Table:
    """The gameweek's table at a moment; `go_on` takes it through the next step.

    Not shared between threads.
    """

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self._points = ground.week.points.copy()
        # how many games each footballer has played in
        self._lines = np.zeros(len(self._points), np.int64)
        self._statuses: dict[str, str] = {game.id: "scheduled" for game in ground.games}
        self._over = self._over_now()
        self._multipliers: NDArray[np.int8] | None = None

    def go_on(self, step: Step) -> None:
        """The step has happened. A game that is none of the league's changes nothing."""
        if step.game_id not in self._statuses:
            return
        for player, after in step.after.items():
            if (index := self.ground.index.get(player)) is not None:
                before = step.before[player]
                self._points[index] += self.worth(player, after) - self.worth(player, before)
                if bool(after) != bool(before):
                    self._lines[index] += 1 if after else -1
                    self._multipliers = None
        if step.status != step.status_before:
            self._statuses[step.game_id] = step.status
            self._over, self._multipliers = self._over_now(), None

    def worth(self, player: str, stats: Stats) -> int:
        """Thousandths under the league's rules."""
        return (
            points(stats, self.ground.rules, self.ground.positions.get(player, "")) if stats else 0
        )

    def counting(self) -> NDArray[np.int8]:
        """How often each place of each sheet counts now."""
        if self._multipliers is None:
            self._multipliers = counted(
                self.ground.format, self.ground.lineups, self._footballers()
            )
        return self._multipliers

    def scores(self) -> Numbers:
        """Points of every team, thousandths, in the order of the ground's teams."""
        found = self.ground.fixed.copy()
        if len(self.ground.rows):
            found[self.ground.rows] += totals(
                self.ground.lineups, self.counting(), self._footballers()
            )[0]
        return found

    def _footballers(self) -> Footballers:
        return Footballers(
            self._points, self.ground.week.held, self.ground.week.group, self._lines > 0, self._over
        )

    def _over_now(self) -> Flags:
        """Whose games are all over; a club without a game has none to wait for."""
        over = self.ground.week.over.copy()
        for game in self.ground.games:
            if self._statuses[game.id] not in NOT_AWAITED:
                for club in (game.home.id, game.away.id):
                    over[list(self.ground.clubs.get(club, ()))] = False
        return over


def ranks(scores: Numbers) -> Numbers:
    """Dense ranks, the most first, as standings.ranking.dense_ranks.

    >>> ranks(np.array([9000, 12500, 9000, -2000])).tolist()
    [2, 1, 2, 3]
    """
    if not len(scores):
        return scores
    different, place = np.unique(scores, return_inverse=True)
    found: Numbers = len(different) - place
    return found


def timeline(steps: Iterable[Sequence[Step]]) -> list[Step]:
    """The steps of several games in the order in which they happened; ties by game, then number."""
    return sorted(
        (step for game in steps for step in game),
        key=lambda step: (step.at, step.game_id, step.number),
    )
