"""A league's gameweek played again: every team's points and rank after each play, in one pass
(PRODUCT G4).

The same functions as now (scoring, line-ups, ranks) on the record as it grew
(app/record/replay.py): after each play only the teams that own somebody whose line it changed are
worked out again. After a play every game counts up to its last whole play; so the table after the
last one is the table of now. Computed, never stored.

What decided it: the play with which the team that is alone at the top now went ahead of all others
for the last time, and since which nobody has caught it again (equal points are caught). There is
none while teams share the first place, and none where the winner was ahead before the first play,
by what the commissioner gave. Of a head-to-head game the same between its two sides; the average is
a side like any other, exact, never rounded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.fantasy.market.formats import FORMATS
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring import asof
from app.fantasy.scoring.replay_values import Change, Duel, Race, Replay, Step, Substitution, Team
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import points
from app.fantasy.scoring.sheet_points import lineups_of, week_of
from app.fantasy.sheets.lineups import Lineups, Numbers, counted
from app.fantasy.sheets.lineups import totals as lineup_totals
from app.fantasy.standings import queries, results
from app.fantasy.standings.fixtures import Pair
from app.fantasy.standings.queries import LeagueRow, SheetRow
from app.record import queries as record
from app.record.queries import GameRow
from app.record.replay import Moment, evening

ALL_SHOWN = 50  # a league up to this size is shown whole
BEST_SHOWN = 20  # of a larger one, the best of now, whoever asks, and whom they meet


def replay(league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], me: int) -> Replay:
    """The gameweek from its first play to now, for this viewer. Eight queries, whatever its size.

    Ranks are dense and of the whole league, without the hidden, as the table's.
    """
    games = [game for game in games if league.counts_moved or not game.is_moved]
    counts = gameweek.week >= league.first_week
    members = queries.members_seen(league.id)
    pairs = results.pairs_of(gameweek.id, [league.id]).get(league.id, []) if counts else []
    paired = sorted({member for pair in pairs for member in pair if member is not None})
    sheets = queries.sheets_of(league.id, gameweek.id, paired) if counts else []
    given = asof.before_play(sheets, queries.adjusted(league.id, gameweek.id) if counts else {})
    moments = evening(games, record.events_of({game.id: None for game in games}))
    names = {member: (team, name) for member, name, team in members}
    crowd = _Crowd([member for member, _, _ in members], pairs, paired)
    board = _Board(league, sheets, given, crowd, games)
    for moment in moments:
        board.play(moment)
    shown = crowd.shown(board.whole(), me)
    board = _Board(league, sheets, given, crowd, games)
    return _Film(crowd, shown, names).run(board, moments)


class _Crowd:
    """Everybody whose points are followed: the ranked first, by id, then those who are met, but
    have left or are hidden.
    """

    def __init__(self, ranked: Sequence[int], pairs: Sequence[Pair], paired: Sequence[int]) -> None:
        seen = set(ranked)
        self.ids = [*ranked, *(member for member in paired if member not in seen)]
        self.index = {member: index for index, member in enumerate(self.ids)}
        self.ranked = len(ranked)
        self.pairs = pairs
        self.paired = np.array([self.index[member] for member in paired], np.int64)

    def shown(self, totals: Numbers, me: int) -> list[int]:
        """Indexes of the teams to show, by the totals of now: in their order here."""
        if self.ranked <= ALL_SHOWN:
            return list(range(len(self.ids)))
        best = sorted(range(self.ranked), key=lambda one: (-int(totals[one]), one))[:BEST_SHOWN]
        mine = {
            member for pair in self.pairs if me in pair for member in pair if member is not None
        } | {me}
        return sorted({*best, *(self.index[member] for member in mine if member in self.index)})


class _Board:
    """The points of everybody, play by play: ownership as an array, times a vector of footballers'
    points.
    """

    def __init__(
        self,
        league: LeagueRow,
        sheets: Sequence[SheetRow],
        given: Mapping[int, int],
        crowd: _Crowd,
        games: Sequence[GameRow],
    ) -> None:
        self.format, self.rules = FORMATS[league.format], rules_named(league.rules)
        sheets = [sheet for sheet in sheets if sheet.member_id in crowd.index]
        self.players = asof.players_of(
            league.season_id, {player for sheet in sheets for player in sheet.picks}
        )
        self.clubs = {game.id: (game.home.id, game.away.id) for game in games}
        self.statuses: dict[str, dict[str, str]] = defaultdict(dict)
        for game in games:
            for club in self.clubs[game.id]:
                self.statuses[club][game.id] = "scheduled"
        over = asof.over_clubs({club: theirs.values() for club, theirs in self.statuses.items()})
        self.week = week_of(
            self.format,
            [
                (one.id, one.position, 0, 0, False, over.get(one.club_id or "", True))
                for one in self.players.values()
            ],
        )
        self.id_of = {index: player for player, index in self.week.index.items()}
        self.lineups = lineups_of(
            [(one.picks, one.captain, one.vice_captain) for one in sheets], self.week
        )
        self.rows = np.array([crowd.index[sheet.member_id] for sheet in sheets], np.int64)
        self.given = np.array([given.get(member, 0) for member in crowd.ids], np.int64)
        self.totals: Numbers = self.given.copy()
        self.multipliers = np.zeros(self.lineups.owned.shape, np.int8)
        self.worth: dict[str, dict[str, int]] = defaultdict(dict)
        self.owners = _owners(self.lineups)
        self.members: dict[str, list[int]] = defaultdict(list)
        for one in self.players.values():
            self.members[one.club_id or ""].append(self.week.index[one.id])

    def play(self, moment: Moment) -> list[int]:
        """Takes the play in; returns the footballers that it changed anything for."""
        touched = []
        for player, stats in moment.changed.items():
            index = self.week.index.get(player)
            if index is None:
                continue
            if stats:
                self.worth[player][moment.game_id] = points(
                    stats, self.rules, self.players[player].position
                )
            else:
                self.worth[player].pop(moment.game_id, None)
            self.week.footballers.points[index] = sum(self.worth[player].values())
            self.week.footballers.played[index] = bool(self.worth[player])
            touched.append(index)
        return touched + self._course(moment)

    def _course(self, moment: Moment) -> list[int]:
        touched = []
        for club in self.clubs[moment.game_id]:
            if self.statuses[club][moment.game_id] == moment.status:
                continue
            self.statuses[club][moment.game_id] = moment.status
            over = asof.over_clubs({club: self.statuses[club].values()})[club]
            for index in self.members[club]:
                if self.week.footballers.over[index] != over:
                    self.week.footballers.over[index] = over
                    touched.append(index)
        return touched

    def follow(self, footballers: Iterable[int]) -> bool:
        """Works out the teams that own any of these; whether any has other points than before."""
        owned = [self.owners[one] for one in footballers if one in self.owners]
        if not owned:
            return False
        some = np.unique(np.concatenate(owned))
        found = self._points(some)
        rows = self.rows[some]
        moved = bool((self.totals[rows] != found).any())
        self.totals[rows] = found
        return moved

    def whole(self) -> Numbers:
        """Everybody's points as the footballers stand now."""
        if self.rows.size:
            self.totals[self.rows] = self._points(np.arange(len(self.rows)))
        return self.totals

    def substitutions(
        self, before: NDArray[np.int8], row_of: Mapping[int, int]
    ) -> tuple[Substitution, ...]:
        """Those since the places counted as `before`.

        `row_of`: of the teams shown, by index in the crowd.
        """
        was, now = before > 0, self.multipliers > 0
        found = []
        for sheet in np.flatnonzero((was != now).any(axis=1)).tolist():
            row = row_of.get(int(self.rows[sheet]))
            if row is not None:
                owned = self.lineups.owned[sheet]
                come_on, go_off = owned[now[sheet] & ~was[sheet]], owned[was[sheet] & ~now[sheet]]
                found.append(Substitution(row, self._ids(come_on), self._ids(go_off)))
        return tuple(sorted(found, key=lambda substitution: substitution.team))

    def _ids(self, indexes: NDArray[np.int32]) -> tuple[str, ...]:
        return tuple(self.id_of[index] for index in indexes.tolist() if index in self.id_of)

    def _points(self, some: Numbers) -> Numbers:
        lineups = Lineups(
            self.lineups.owned[some], self.lineups.captain[some], self.lineups.vice_captain[some]
        )
        multipliers = counted(self.format, lineups, self.week.footballers)
        self.multipliers[some] = multipliers
        found, _ = lineup_totals(lineups, multipliers, self.week.footballers)
        return found + self.given[self.rows[some]]


def _owners(lineups: Lineups) -> dict[int, Numbers]:
    """By footballer, which sheets have them; index 0 is nobody."""
    found: dict[int, list[int]] = defaultdict(list)
    for row, picks in enumerate(lineups.owned.tolist()):
        for player in set(picks):
            if player:
                found[player].append(row)
    return {player: np.array(rows, np.int64) for player, rows in found.items()}


class _Film:
    """What is shown of the crowd, step by step."""

    def __init__(
        self, crowd: _Crowd, shown: Sequence[int], names: Mapping[int, tuple[str, str]]
    ) -> None:
        self.crowd, self.shown = crowd, np.array(shown, np.int64)
        place = {index: row for row, index in enumerate(shown)}
        teams = [
            Team(
                crowd.ids[one],
                *names.get(crowd.ids[one], ("A former member", "")),
                one < crowd.ranked,
            )
            for one in shown
        ]
        self.row_of = place
        self.pairs: list[tuple[int, int | None]] = [
            (crowd.index[home], None if away is None else crowd.index[away])
            for home, away in crowd.pairs
            if crowd.index[home] in place and (away is None or crowd.index[away] in place)
        ]
        self.average = len(teams) if any(away is None for _, away in self.pairs) else None
        if self.average is not None:
            teams.append(Team(None, "The average", "", ranked=False))
        self.teams = tuple(teams)

    def run(self, board: _Board, moments: Sequence[Moment]) -> Replay:
        board.whole()
        before = self._rows(board.totals)
        start, steps = tuple(before), []
        leader = _Ahead(self._leader(board.totals))
        duels = [_Ahead(self._ahead(board.totals, pair)) for pair in self.pairs]
        for number, moment in enumerate(moments):
            changed: list[Change] = []
            counted_before = board.multipliers.copy()
            if board.follow(board.play(moment)):
                now = self._rows(board.totals)
                changed = [(row, *one) for row, one in enumerate(now) if one != before[row]]
                before = now
                leader.see(number, self._leader(board.totals))
                for duel, pair in zip(duels, self.pairs, strict=True):
                    duel.see(number, self._ahead(board.totals, pair))
            steps.append(
                Step(moment, tuple(changed), board.substitutions(counted_before, self.row_of))
            )
        return Replay(
            self.teams,
            start,
            tuple(steps),
            Race(tuple(leader.turns), None if leader.now < 0 else self.row_of.get(leader.now)),
            tuple(self._duel(pair, duel) for pair, duel in zip(self.pairs, duels, strict=True)),
            self.crowd.ranked,
        )

    def _rows(self, totals: Numbers) -> list[tuple[int, int]]:
        """Points and rank of each team shown; 0 for who has no rank."""
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
        """Who has more than all others; -1 for nobody."""
        ranked = totals[: self.crowd.ranked]
        if not ranked.size:
            return -1
        best = np.flatnonzero(ranked == ranked.max())
        return int(best[0]) if len(best) == 1 else -1

    def _ahead(self, totals: Numbers, pair: tuple[int, int | None]) -> int:
        """1 for the home side, 2 for the other, -1 for neither."""
        home, away = pair
        if away is None:
            mine, theirs = int(totals[home]) * len(self.crowd.paired), self._sum(totals)
        else:
            mine, theirs = int(totals[home]), int(totals[away])
        return 1 if mine > theirs else 2 if theirs > mine else -1

    def _duel(self, pair: tuple[int, int | None], seen: _Ahead) -> Duel:
        home, away = pair
        rows = self.row_of[home], self.average if away is None else self.row_of[away]
        assert rows[1] is not None
        return Duel(
            rows[0], rows[1], Race(tuple(seen.turns), rows[seen.now - 1] if seen.now > 0 else None)
        )


@dataclass
class _Ahead:
    """`now`: who is ahead alone, -1 for nobody; `turns`: the steps at which that changed."""

    now: int

    def __post_init__(self) -> None:
        self.turns: list[int] = []

    def see(self, step: int, now: int) -> None:
        if now != self.now:
            self.now = now
            self.turns.append(step)
