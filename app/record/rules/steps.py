"""A game as the steps in which its stat lines changed: plays and corrections. Pure.

Each step has the changed stat lines before and after it. What a step is worth is in
app/fantasy/scoring/swings/swings.py; the stat lines at one moment are in record/asof.py and are the
same.

A play is one step at the time of its last event; each correction is a step of its own, in the order
of event numbers, and so is a change of the whole game (its end, a cancellation).

The steps after a checkpoint need only the plays that have an event after it. So a live game costs
the same however long it is (decision 101).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, Protocol

from app.record import events as ev
from app.record.rules.stat_lines import Credit
from app.record.rules.state import Status, status_of
from app.record.rules.team_defence import Clubs, all_credits, defence_id, has_begun, levels

Kind = Literal["play", "correction", "course"]
Stats = Mapping[str, int]
Label = tuple[Kind, int]

_COURSE = ev.GameEnded | ev.Final | ev.GameStatus


class Row(Protocol):
    """One revision of an event: see record.queries.EventRow."""

    @property
    def number(self) -> int:
        """The event number."""

    @property
    def revision(self) -> int:
        """0 for the original, else the number of the correction."""

    @property
    def play_number(self) -> int:
        """The play's number."""

    @property
    def body(self) -> ev.Body:
        """What happened."""

    @property
    def taken_by(self) -> int | None:
        """The correction that took it away."""

    @property
    def recorded_at(self) -> int:
        """When it was accepted, in milliseconds since 1970."""


@dataclass(frozen=True)
class Step:
    """A step of a game.

    `first` and `number`: its first and last event. `play_number`: of the play, for a correction of
    the corrected play. `at`: when the last event was accepted, in milliseconds since 1970, never
    before an earlier step of the game. `bodies`: its events as they were entered. `before` and
    `after`: the statistics of every player whose line changed; empty if there was, or is, none.
    """

    game_id: str
    kind: Kind
    play_number: int
    first: int
    number: int
    at: int
    bodies: tuple[ev.Body, ...]
    before: Mapping[str, Stats]
    after: Mapping[str, Stats]
    status_before: Status
    status: Status


@dataclass(frozen=True)
class Checkpoint:
    """A game after one of its events, from which it can be continued.

    Attributes:
        number: The last event, 0 before the first one.
        is_complete: Whether all events up to that one are in; if not, one of them may come late.
        at: When it was accepted, as in Step.
        status: The game's status.
        has_begun: Whether both D/STs have begun.
        sums: What each player has earned so far, by statistic; some may be 0.
    """

    number: int
    is_complete: bool
    at: int
    status: Status
    has_begun: bool
    sums: Mapping[str, Stats]


BEFORE_THE_GAME = Checkpoint(
    number=0, is_complete=True, at=0, status="scheduled", has_begun=False, sums={}
)


@dataclass(frozen=True)
class Continuation:
    """What happened in a game after a checkpoint.

    Attributes:
        steps: The steps in order, without those that changed neither a stat line nor the status.
        checkpoint: Before the last step if it is a play, which may go on; else after it.
        lines: The stat line of every player who has one at the end.
        status: The game's status at the end.
    """

    steps: list[Step]
    checkpoint: Checkpoint
    lines: Mapping[str, Stats]
    status: Status


def may_continue(checkpoint: Checkpoint, events: Iterable[Row]) -> bool:
    """Whether the events after the checkpoint can be added to it.

    If the game is not live, an event before the checkpoint is missing, or a correction or a change
    of the whole game came after it, all events are needed. `events`: of the plays that have an
    event after the checkpoint.
    """
    return (
        checkpoint.status == "live"
        and checkpoint.is_complete
        and not any(
            row.number > checkpoint.number and isinstance(row.body, ev.Correction | _COURSE)
            for row in events
        )
    )


def steps_of(game_id: str, events: Sequence[Row], clubs: Clubs) -> list[Step]:
    """The steps of a game in order, without those that changed neither a stat line nor the status.

    `events`: every revision of every event of the game; `clubs`: of the game.
    """
    return continue_game(game_id, BEFORE_THE_GAME, events, clubs).steps


def continue_game(
    game_id: str, checkpoint: Checkpoint, events: Sequence[Row], clubs: Clubs
) -> Continuation:
    """Work out what happened in a game after a checkpoint.

    Args:
        game_id: The game.
        checkpoint: Of this game, or BEFORE_THE_GAME.
        events: Every revision of every event; if `may_continue`, only of the plays that have an
            event after the checkpoint.
        clubs: Of the game.
    """
    originals = sorted((row for row in events if row.revision == 0), key=lambda row: row.number)
    play_of = {row.number: row.play_number for row in originals}
    new = [row for row in originals if row.number > checkpoint.number]
    groups = [(kind, list(group)) for (kind, _), group in groupby(new, key=_label)]
    record = _Record(events, clubs, checkpoint)
    steps = []
    for place, (kind, rows) in enumerate(groups, start=1):
        corrected_plays = [
            play_of[number] for row in rows for number in ev.targets(row.body) if number in play_of
        ]
        plays = {row.play_number for row in rows} | set(corrected_plays)
        if place == len(groups) and kind == "play":
            checkpoint = record.checkpoint()
        status = record.status
        changed = record.go_on(rows, plays)
        if changed or record.status != status:
            steps.append(
                Step(
                    game_id,
                    kind,
                    min(corrected_plays, default=rows[0].play_number),
                    rows[0].number,
                    rows[-1].number,
                    record.at,
                    tuple(row.body for row in rows),
                    {player: before for player, (before, _) in changed.items()},
                    {player: after for player, (_, after) in changed.items()},
                    status,
                    record.status,
                )
            )
    if groups and groups[-1][0] != "play":
        checkpoint = record.checkpoint()
    lines = {player: line for player, line in record.lines.items() if line}
    return Continuation(steps, checkpoint, lines, record.status)


def _label(row: Row) -> Label:
    """The key of an event's step; neighbours with the same key are one step."""
    if isinstance(row.body, ev.Correction):
        return "correction", row.number
    if isinstance(row.body, _COURSE):
        return "course", row.number
    return "play", row.play_number


class _Record:
    """The stat lines of a game as it goes on. A play's credits are recomputed when it changes."""

    def __init__(self, events: Sequence[Row], clubs: Clubs, checkpoint: Checkpoint) -> None:
        self.clubs = clubs
        self.plays: dict[int, list[Row]] = {}
        for row in events:
            self.plays.setdefault(row.play_number, []).append(row)
        self.number, self.at = checkpoint.number, checkpoint.at
        self.is_complete = checkpoint.is_complete
        self.status: Status = checkpoint.status
        self.begun = checkpoint.has_begun
        self.sums = {player: Counter(sums) for player, sums in checkpoint.sums.items()}
        self.earned: dict[int, list[Credit]] = {}
        if self.number:
            self.earned = {play: self._credits(play) for play in self.plays}
        self.lines = {player: self._line(player) for player in self._players()}

    def checkpoint(self) -> Checkpoint:
        """The game as it is now."""
        sums = {player: dict(sums) for player, sums in self.sums.items()}
        return Checkpoint(self.number, self.is_complete, self.at, self.status, self.begun, sums)

    def go_on(self, rows: Sequence[Row], plays: Iterable[int]) -> dict[str, tuple[Stats, Stats]]:
        """Advance over these events, after which these plays changed.

        Returns the lines before and after of everybody whose line changed.
        """
        numbers = [row.number for row in rows]
        if numbers != list(range(self.number + 1, self.number + len(rows) + 1)):
            self.is_complete = False
        self.number, self.at = numbers[-1], max(self.at, rows[-1].recorded_at)
        touched: set[str] = set()
        for play in plays:
            touched |= self._count(play)
        if self._may_change_status(row.body for row in rows):
            standing = [event for play in self.plays for event in self._standing(play)]
            counted, self.status = self.status != "cancelled", status_of(standing)
            begun, self.begun = self.begun, has_begun(standing)
            if begun != self.begun or counted != (self.status != "cancelled"):
                touched |= self._players()
        changed = {}
        for player in sorted(touched):
            before, after = self.lines.get(player, {}), self._line(player)
            if before != after:
                changed[player] = (before, after)
                self.lines[player] = after
        return changed

    def _may_change_status(self, bodies: Iterable[ev.Body]) -> bool:
        """Whether the status, or that the game has begun, may have changed."""
        return self.status != "live" or any(
            isinstance(body, ev.Correction | _COURSE) for body in bodies
        )

    def _players(self) -> set[str]:
        return {*self.sums, *map(defence_id, self.clubs)}

    def _standing(self, play: int) -> list[tuple[int, int, ev.Body]]:
        return [
            (row.number, play, row.body)
            for row in self.plays.get(play, ())
            if max(row.number, row.revision) <= self.number
            and (row.taken_by is None or row.taken_by > self.number)
        ]

    def _credits(self, play: int) -> list[Credit]:
        return all_credits(self._standing(play), self.clubs)

    def _count(self, play: int) -> set[str]:
        """Bring the sums up to date with the play; returns players with credits in it."""
        play_credits = self._credits(play)
        touched = set()
        for sign, signed_credits in ((-1, self.earned.get(play, ())), (1, play_credits)):
            for credit in signed_credits:
                if credit.player_id is not None:
                    self.sums.setdefault(credit.player_id, Counter())[credit.stat] += (
                        sign * credit.amount
                    )
                    touched.add(credit.player_id)
        self.earned[play] = play_credits
        return touched

    def _line(self, player: str) -> Stats:
        if self.status == "cancelled":
            return {}
        stats = {stat: amount for stat, amount in self.sums.get(player, {}).items() if amount}
        if self.begun and player in map(defence_id, self.clubs):
            stats |= levels(stats)
        return stats
