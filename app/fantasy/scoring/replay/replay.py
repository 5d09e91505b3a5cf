"""The replay of a league's gameweek: each team's points and rank after each play (PRODUCT G4).

Computed in one pass, never stored: the engine adds up the team sheets as the record grows
(app/record/replay.py). After a play every game counts up to its last whole play, so that the table
after the last play is the present table.

The deciding play is the one with which the sole leader went ahead of all others for the last time.
A team with equal points has caught the leader. There is no deciding play while teams share the
first place, or if the winner led before the first play because of adjustments. The same holds for
the two sides of a head-to-head game; the average is a side like any other, exact, never rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.core.db.repeatable_read import end_reading
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring.league_gameweek import LeagueGameweek, league_gameweek
from app.fantasy.scoring.replay.values import Change, Duel, Race, Replay, Step, Substitution, Team
from app.fantasy.scoring.timeline import Timeline
from app.fantasy.sheets.lineups import Numbers
from app.fantasy.standings import results
from app.fantasy.standings.fixtures import Pair
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.queries import GameRow
from app.record.replay import Moment, evening

ALL_SHOWN = 50  # all teams of a league up to this size are shown
BEST_SHOWN = 20  # of a larger league: the present leaders, the viewer, and the viewer's opponents


def replay(league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], me: int) -> Replay:
    """Replay the gameweek from its first play to now for a viewer, in eight queries.

    Ranks are dense and of the whole league without hidden members, as in the table. The caller's
    transaction ends when all is read, because the replay takes seconds.
    """
    pairs: list[Pair] = []
    if gameweek.week >= league.first_week:
        pairs = results.pairs_of(gameweek.id, [league.id]).get(league.id, [])
    paired = sorted({member for pair in pairs for member in pair if member is not None})
    followed = league_gameweek(league, gameweek, games, opponents=paired)
    events = record.events_of({game.id: None for game in followed.games})
    end_reading()
    crowd = _Crowd(followed, pairs, paired)
    moments = evening(followed.games, events)
    timeline = Timeline(followed)
    for moment in moments:
        _take(timeline, moment)
    film = _Film(followed, crowd, crowd.shown(timeline.totals(), me))
    return film.run(Timeline(followed), moments)


def _take(timeline: Timeline, moment: Moment) -> None:
    timeline.take(moment.game_id, moment.changed, moment.status)


class _Crowd:
    """The teams whose points are followed.

    Ranked teams come first, then opponents who are hidden or have left.
    """

    def __init__(
        self, gameweek: LeagueGameweek, pairs: Sequence[Pair], paired: Sequence[int]
    ) -> None:
        self.index = {team.member_id: index for index, team in enumerate(gameweek.teams)}
        self.ranked = gameweek.ranked
        self.pairs = pairs
        self.paired = np.array([self.index[member] for member in paired], np.int64)

    def shown(self, totals: Numbers, me: int) -> list[int]:
        """Indexes of the teams to show, chosen by their present totals, in the order of teams."""
        if self.ranked <= ALL_SHOWN:
            return list(range(len(self.index)))
        best = sorted(range(self.ranked), key=lambda team: (-int(totals[team]), team))[:BEST_SHOWN]
        mine = {
            member for pair in self.pairs if me in pair for member in pair if member is not None
        } | {me}
        return sorted({*best, *(self.index[member] for member in mine if member in self.index)})


class _Film:
    """The replay of the teams that are shown, step by step."""

    def __init__(self, gameweek: LeagueGameweek, crowd: _Crowd, indexes: Sequence[int]) -> None:
        self.gameweek, self.crowd, self.shown = gameweek, crowd, np.array(indexes, np.int64)
        self.row_of = {index: row for row, index in enumerate(indexes)}
        teams = [self._team(index) for index in indexes]
        self.pairs: list[tuple[int, int | None]] = [
            (crowd.index[home], None if away is None else crowd.index[away])
            for home, away in crowd.pairs
            if crowd.index[home] in self.row_of
            and (away is None or crowd.index[away] in self.row_of)
        ]
        self.average = len(teams) if any(away is None for _, away in self.pairs) else None
        if self.average is not None:
            teams.append(Team(None, "The average", "", ranked=False))
        self.teams = tuple(teams)

    def _team(self, index: int) -> Team:
        team = self.gameweek.teams[index]
        if index < self.crowd.ranked:
            return Team(team.member_id, team.name, team.display_name, ranked=True)
        return Team(team.member_id, "A former member", "", ranked=False)

    def run(self, timeline: Timeline, moments: Sequence[Moment]) -> Replay:
        totals, multipliers = timeline.totals(), timeline.multipliers()
        before = self._rows(totals)
        start, steps = tuple(before), []
        leader = _Ahead(self._leader(totals))
        duels = [_Ahead(self._ahead(totals, pair)) for pair in self.pairs]
        for number, moment in enumerate(moments):
            changed: list[Change] = []
            totals_before, multipliers_before = totals, multipliers
            _take(timeline, moment)
            totals, multipliers = timeline.totals(), timeline.multipliers()
            if totals is not totals_before and (totals != totals_before).any():
                now = self._rows(totals)
                changed = [(row, *place) for row, place in enumerate(now) if place != before[row]]
                before = now
                leader.see(number, self._leader(totals))
                for duel, pair in zip(duels, self.pairs, strict=True):
                    duel.see(number, self._ahead(totals, pair))
            substitutions: tuple[Substitution, ...] = ()
            if multipliers is not multipliers_before:
                substitutions = self._substitutions(multipliers_before, multipliers)
            steps.append(Step(moment, tuple(changed), substitutions))
        return Replay(
            self.teams,
            start,
            tuple(steps),
            Race(tuple(leader.turns), None if leader.now < 0 else self.row_of.get(leader.now)),
            tuple(self._duel(pair, duel) for pair, duel in zip(self.pairs, duels, strict=True)),
            self.crowd.ranked,
        )

    def _substitutions(
        self, before: NDArray[np.int8], after: NDArray[np.int8]
    ) -> tuple[Substitution, ...]:
        """The substitutions between two arrays of multipliers."""
        was, now = before > 0, after > 0
        substitutions = []
        for sheet in np.flatnonzero((was != now).any(axis=1)).tolist():
            row = self.row_of.get(int(self.gameweek.team_of_sheet[sheet]))
            if row is not None:
                come_on = self._players(sheet, now[sheet] & ~was[sheet])
                go_off = self._players(sheet, was[sheet] & ~now[sheet])
                substitutions.append(Substitution(row, come_on, go_off))
        return tuple(sorted(substitutions, key=lambda substitution: substitution.team))

    def _players(self, sheet: int, places: NDArray[np.bool_]) -> tuple[str, ...]:
        """The footballers in these places of the sheet; empty places have none."""
        ownership = self.gameweek.ownership
        numbers = ownership.lineups.owned[sheet][places].tolist()
        return tuple(ownership.footballers[number - 1] for number in numbers if number)

    def _rows(self, totals: Numbers) -> list[tuple[int, int]]:
        """Points and rank of each team shown; rank 0 for teams that are not ranked."""
        ranked = np.unique(totals[: self.crowd.ranked])
        mine = totals[self.shown]
        ranks = len(ranked) - np.searchsorted(ranked, mine)
        rows = [
            (int(points), int(rank) if team.ranked else 0)
            for points, rank, team in zip(mine, ranks, self.teams, strict=False)
        ]
        if self.average is not None:
            rows.append((int(self._sum(totals) / len(self.crowd.paired)), 0))
        return rows

    def _sum(self, totals: Numbers) -> int:
        return int(totals[self.crowd.paired].sum())

    def _leader(self, totals: Numbers) -> int:
        """The index of the team with more points than all others; -1 if there is none."""
        ranked = totals[: self.crowd.ranked]
        if not ranked.size:
            return -1
        best = np.flatnonzero(ranked == ranked.max())
        return int(best[0]) if len(best) == 1 else -1

    def _ahead(self, totals: Numbers, pair: tuple[int, int | None]) -> int:
        """1 for the home side, 2 for the other, -1 for neither."""
        home, away = pair
        if away is None:
            home_total, away_total = int(totals[home]) * len(self.crowd.paired), self._sum(totals)
        else:
            home_total, away_total = int(totals[home]), int(totals[away])
        if home_total == away_total:
            return -1
        return 1 if home_total > away_total else 2

    def _duel(self, pair: tuple[int, int | None], race: _Ahead) -> Duel:
        home, away = pair
        rows = self.row_of[home], self.average if away is None else self.row_of[away]
        assert rows[1] is not None
        return Duel(
            rows[0], rows[1], Race(tuple(race.turns), rows[race.now - 1] if race.now > 0 else None)
        )


@dataclass
class _Ahead:
    """`now`: the sole leader, -1 if there is none; `turns`: the steps at which that changed."""

    now: int

    def __post_init__(self) -> None:
        self.turns: list[int] = []

    def see(self, step: int, now: int) -> None:
        if now != self.now:
            self.now = now
            self.turns.append(step)
