"""The totals of a league's gameweek at any moment of the record: computed, never stored.

A timeline begins before the first event, and takes in stat lines and statuses of games as they
change. The totals are those of the gameweek, with transfers and adjustments, as in
standings.queries.standings. How the record changes is in app/record (asof.py, replay.py,
rules/steps.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from app.fantasy.engine.ownership import Counted
from app.fantasy.scoring.league_gameweek import LeagueGameweek, Stats
from app.fantasy.sheets.lineups import Numbers
from app.record.rules.state import NOT_AWAITED


class Timeline:
    """The totals of a league's gameweek while its games are played. Not shared between threads."""

    def __init__(self, gameweek: LeagueGameweek) -> None:
        self.gameweek = gameweek
        ownership = gameweek.ownership
        self._games_of_club: dict[str, list[str]] = defaultdict(list)
        self._clubs_of_game: dict[str, tuple[str, str]] = {}
        for game in gameweek.games:
            self._clubs_of_game[game.id] = game.home.id, game.away.id
            for club in (game.home.id, game.away.id):
                self._games_of_club[club].append(game.id)
        self._players_of_club: dict[str, list[int]] = defaultdict(list)
        for player in gameweek.players.values():
            self._players_of_club[player.club_id or ""].append(ownership.index[player.id])
        self._statuses = dict.fromkeys(self._clubs_of_game, "scheduled")
        self._worth: dict[int, dict[str, int]] = defaultdict(dict)
        self._footballers = ownership.arrays(
            {
                player.id: Counted(
                    player.id, player.position, 0, 0, False, self._is_over(player.club_id or "")
                )
                for player in gameweek.players.values()
            }
        )
        # Footballers who count otherwise than in the totals; None before there are totals.
        self._touched: set[int] | None = None
        self._totals: Numbers = gameweek.base
        self._multipliers: NDArray[np.int8] = np.zeros(ownership.lineups.owned.shape, np.int8)

    def take(self, game_id: str, lines: Mapping[str, Stats | None], status: str) -> None:
        """Take in a change of a game: new stat lines by player, and its status.

        A player without statistics has no stat line (any more). Games that do not count in the
        league are ignored.
        """
        if game_id not in self._statuses:
            return
        for player, stats in lines.items():
            number = self.gameweek.ownership.index.get(player)
            if number is None:
                continue
            if stats:
                self._worth[number][game_id] = self.gameweek.worth(player, stats)
            else:
                self._worth[number].pop(game_id, None)
            self._footballers.points[number] = sum(self._worth[number].values())
            self._footballers.played[number] = bool(self._worth[number])
            self._touch(number)
        if status != self._statuses[game_id]:
            self._statuses[game_id] = status
            for club in self._clubs_of_game[game_id]:
                self._update_club(club)

    def totals(self) -> Numbers:
        """Points of every team in thousandths. The array does not change later."""
        self._add_up()
        return self._totals

    def multipliers(self) -> NDArray[np.int8]:
        """How often each place of each sheet counts. The array does not change later."""
        self._add_up()
        return self._multipliers

    def _update_club(self, club: str) -> None:
        is_over = self._is_over(club)
        for number in self._players_of_club.get(club, ()):
            if self._footballers.is_over[number] != is_over:
                self._footballers.is_over[number] = is_over
                self._touch(number)

    def _is_over(self, club: str) -> bool:
        """Whether all games of the club are over; true if it has none."""
        return all(self._statuses[game] in NOT_AWAITED for game in self._games_of_club[club])

    def _touch(self, number: int) -> None:
        if self._touched is not None:
            self._touched.add(number)

    def _add_up(self) -> None:
        """Add up the sheets that have a touched footballer; all sheets the first time."""
        if self._touched is not None and not self._touched:
            return
        ownership = self.gameweek.ownership
        if self._touched is None:
            rows = np.arange(len(ownership))
        else:
            rows = ownership.rows_with_numbers(self._touched)
        self._touched = set()
        if not rows.size:
            return
        totals = ownership.select(rows).totals(self._footballers)
        teams = self.gameweek.team_of_sheet[rows]
        self._multipliers, self._totals = self._multipliers.copy(), self._totals.copy()
        self._multipliers[rows] = totals.multipliers
        self._totals[teams] = self.gameweek.base[teams] + totals.points


def dense_ranks(totals: Numbers) -> Numbers:
    """Dense ranks, the most points first, as standings.ranking.dense_ranks.

    >>> dense_ranks(np.array([9000, 12500, 9000, -2000])).tolist()
    [2, 1, 2, 3]
    """
    if not len(totals):
        return totals
    different, place = np.unique(totals, return_inverse=True)
    ranks: Numbers = len(different) - place
    return ranks
