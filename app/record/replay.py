"""A game play by play, in one pass: stat lines, status and score after each play. Pure.

One single moment is in asof.py, fantasy points are in app/fantasy/scoring/replay. A play is
recomputed only if one of its events changed, by the functions that ingestion uses: the lines after
a play equal those of `asof` at the last event of the play.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.record import events as ev
from app.record.queries import EventRow, GameRow
from app.record.rules.stat_lines import Credit, Numbered, StatLine
from app.record.rules.state import Status, scoring_plays, status_of
from app.record.rules.team_defence import Clubs, all_credits, all_lines, defence_id, has_begun

_COURSE = ev.GameEnded | ev.Final | ev.GameStatus


@dataclass(frozen=True)
class Moment:
    """The end of a play, or a correction: what the game had come to with event `number`.

    `recorded_at`: when that event was accepted, in milliseconds since 1970. `rows`: what was
    entered, rulings of its corrections included, by event number. `clock`: the last snap so far,
    None before the first; moved plays do not change it. `changed`: the new stat line of everybody
    whose line differs from before, by player; None if there is no line any more.
    """

    game_id: str
    number: int
    play_number: int
    recorded_at: int
    rows: tuple[EventRow, ...]
    clock: ev.Snap | None
    status: Status
    home_score: int
    away_score: int
    changed: Mapping[str, Mapping[str, int] | None]


def evening(games: Sequence[GameRow], events: Mapping[str, Sequence[EventRow]]) -> list[Moment]:
    """The moments of all these games in the order in which they were accepted.

    Within one millisecond by the games' order, then by event number. So each game counts up to its
    last complete play. `events`: every revision of every event by game; a game without any has no
    moment.
    """
    place = {game.id: index for index, game in enumerate(games)}
    all_moments = [moment for game in games for moment in moments(game, events.get(game.id, ()))]
    return sorted(
        all_moments,
        key=lambda moment_: (moment_.recorded_at, place[moment_.game_id], moment_.number),
    )


def moments(game: GameRow, events: Sequence[EventRow]) -> Iterator[Moment]:
    """The moments of one game by event number.

    A time never goes back: an event that was accepted later but numbered before counts with what
    follows it.
    """
    course = _Course((game.home.id, game.away.id))
    begins: dict[int, list[EventRow]] = defaultdict(list)
    ends: dict[int, list[EventRow]] = defaultdict(list)
    for row in events:
        begins[max(row.number, row.revision)].append(row)
        if row.taken_by is not None:
            ends[row.taken_by].append(row)
    originals = sorted((row for row in events if row.revision == 0), key=lambda row: row.number)
    latest = 0
    for numbers in _whole(originals):
        entered = [row for number in numbers for row in begins[number]]
        latest = max(latest, *(row.recorded_at for row in entered))
        yield course.follow(
            game.id, entered, [row for number in numbers for row in ends[number]], latest
        )


def _whole(originals: Iterable[EventRow]) -> Iterator[list[int]]:
    """Event numbers that belong together: those of a play, and each correction by itself."""
    for (_, correction), rows in groupby(
        originals,
        key=lambda row: (row.play_number, row.number if isinstance(row.body, ev.Correction) else 0),
    ):
        del correction
        yield [row.number for row in rows]


class _Course:
    """The game so far: which events are valid, and what everybody earned in each play."""

    def __init__(self, clubs: Clubs) -> None:
        self.clubs = clubs
        self.plays: dict[int, dict[tuple[int, int], EventRow]] = defaultdict(dict)
        self.earned: dict[str, dict[int, list[Credit]]] = defaultdict(dict)
        self.lines: dict[str, StatLine] = {}
        self.status: Status = "scheduled"
        self.begun = False
        self.points: dict[int, dict[str, int]] = {}  # by play and club
        self.clock: ev.Snap | None = None

    def follow(
        self, game_id: str, entered: Sequence[EventRow], taken: Sequence[EventRow], recorded_at: int
    ) -> Moment:
        """Apply what was entered and taken away; returns the moment."""
        for row in entered:
            self.plays[row.play_number][row.number, row.revision] = row
            if isinstance(row.body, ev.Snap) and row.body.play_place is None:
                self.clock = row.body
        for row in taken:
            self.plays[row.play_number].pop((row.number, row.revision), None)
        changed_plays = {row.play_number for row in (*entered, *taken)}
        touched = self._credit(changed_plays)
        self._score(changed_plays)
        old_status = self.status
        # A live game stays live until an event says otherwise, or one is taken back.
        if old_status != "live" or taken or any(isinstance(row.body, _COURSE) for row in entered):
            standing = self._standing()
            self.status, self.begun = status_of(standing), has_begun(standing)
        if old_status != self.status and "cancelled" in (old_status, self.status):
            touched = set(self.earned)
        home, away = self.clubs
        last_number = max(max(row.number, row.revision) for row in entered)
        return Moment(
            game_id,
            last_number,
            next(
                row.play_number for row in entered if max(row.number, row.revision) == last_number
            ),
            recorded_at,
            tuple(sorted(entered, key=lambda row: (row.number, row.revision))),
            self.clock,
            self.status,
            self._points_of(home),
            self._points_of(away),
            self._changed(touched | {defence_id(club) for club in self.clubs}),
        )

    def _standing(self) -> list[Numbered]:
        rows = (row for play in self.plays.values() for row in play.values())
        return [(row.number, row.play_number, row.body) for row in rows]

    def _credit(self, plays: Iterable[int]) -> set[str]:
        """Recompute these plays; returns everybody with old or new credits in them."""
        touched: set[str] = set()
        for play in plays:
            touched |= {player for player, earned in self.earned.items() if earned.pop(play, None)}
            for credit in all_credits(self._events_of(play), self.clubs):
                if credit.player_id is not None:
                    self.earned[credit.player_id].setdefault(play, []).append(credit)
                    touched.add(credit.player_id)
        return touched

    def _events_of(self, play: int) -> list[Numbered]:
        return [(row.number, row.play_number, row.body) for row in self.plays[play].values()]

    def _score(self, plays: Iterable[int]) -> None:
        """Recompute the points that clubs made in these plays."""
        for play in plays:
            self.points.pop(play, None)
            for score in scoring_plays(self._events_of(play)):
                points = self.points.setdefault(play, {})
                points[score.team] = points.get(score.team, 0) + score.points

    def _points_of(self, club: str) -> int:
        return sum(points.get(club, 0) for points in self.points.values())

    def _changed(self, players: Collection[str]) -> dict[str, Mapping[str, int] | None]:
        """Update the lines of these players; returns those that changed."""
        earned_credits = [
            credit_
            for player in players
            for play_earned in self.earned[player].values()
            for credit_ in play_earned
        ]
        earned_credits.sort(key=lambda credit: credit.event_number)
        new_lines = (
            all_lines(earned_credits, self.clubs, has_begun=self.begun)
            if self.status != "cancelled"
            else {}
        )
        changed: dict[str, Mapping[str, int] | None] = {}
        for player in sorted(players):
            old, new = self.lines.pop(player, None), new_lines.get(player)
            if new is not None:
                self.lines[player] = new
            if old != new:
                changed[player] = new.stats if new else None
        return changed
