"""Why a footballer has these points: the play, event and message behind each of them.

Reads the ledger of one player in one game and puts it into words (PRODUCT G1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import aliased

from app.core.db import db
from app.fantasy.amounts import decimal_points
from app.fantasy.scoring.rules import ScoringRules, credit_points
from app.fantasy.scoring.statistics import counted, in_order, kind_of
from app.record import events as ev
from app.record.correction_words import NOTHING, Corrected, Key, bodies_of, corrected_by, told
from app.record.models import Footballer, LedgerEntry, RecordedEvent, StatLine
from app.record.play_sentence import joined, play_sentences, standing, surnames
from app.record.queries import EventRow, GameRow, events_of
from app.record.queries import names as names_of
from app.record.rules.order import rows_in_order
from app.record.rules.statistics import LEVELS
from app.record.rules.team_defence import is_defence, level_of
from app.record.words import clock_words, down_and_distance, period_words


@dataclass(frozen=True)
class Earned:
    """What a play is worth, or what a correction took away from it.

    Attributes:
        play_number: 0 for what the game as a whole is worth.
        parts: Each statistic, with its points if there are several.
        source: Where its messages are in Kafka.
        taken_by: The correction that took it away, in words; None if it counts.
        is_held: It counts, but its play is under review.
    """

    play_number: int
    situation: str
    words: str
    parts: tuple[str, ...]
    points: str
    source: str
    taken_by: str | None
    is_held: bool


@dataclass(frozen=True)
class Kind:
    """One side of the game, such as `Passing`: its points, and each statistic with its points."""

    name: str
    points: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Explanation:
    """A footballer's points in one game.

    `kinds` add up to the total, and so do the `rows` that were not taken away.
    """

    name: str
    game: GameRow
    rules: str
    total: str
    kinds: tuple[Kind, ...]
    rows: tuple[Earned, ...]


def explanation(game: GameRow, player_id: str, rules: ScoringRules) -> Explanation | None:
    """Explain a footballer's points in a game; None for an unknown footballer.

    Kinds have the order in which statistics are listed everywhere. Rows begin with a D/ST's levels,
    then come the plays, newest first. In a cancelled game all rows are taken away: its plays stay,
    but none of them counts.
    """
    name = db.session.scalar(select(Footballer.name).where(Footballer.id == player_id))
    if name is None:
        return None
    entries = _entries(game.id, player_id)
    corrected = corrected_by(
        {(game.id, entry.closed_by) for entry in entries if entry.closed_by is not None}
    )
    plays = _plays(game.id, {entry.play_number for entry in entries})
    names = _names(entries, plays, corrected)
    teller = _Told(game, rules, surnames(names), corrected)
    levels = _levels(game.id, player_id, rules)
    rows = []
    for (play, _), group in groupby(sorted(entries, key=_place), key=_place):
        row = teller.row(list(group), plays.get(play, []))
        if row is None:
            continue
        if game.status == "cancelled" and row.taken_by is None:
            row = replace(row, taken_by="The game is cancelled, so nothing counts.")
        under_review = row.play_number in game.state.get("under_review", ())
        rows.append(replace(row, is_held=under_review and row.taken_by is None))
    standing = [
        (entry.stat, entry.amount)
        for entry in entries
        if not entry.closed and game.status != "cancelled"
    ]
    standing += [(level, 1) for level, _ in levels]
    return Explanation(
        name=name,
        game=game,
        rules=rules.title,
        total=decimal_points(sum(credit_points(stat, amount, rules) for stat, amount in standing)),
        kinds=_kinds(standing, rules),
        rows=(*(row for _, row in levels), *reversed(rows)),
    )


def _levels(game_id: str, player_id: str, rules: ScoringRules) -> list[tuple[str, Earned]]:
    """The levels of a D/ST that are worth something, with their rows; none for other players."""
    if not is_defence(player_id):
        return []
    query = select(StatLine.stats).where(
        StatLine.game_id == game_id, StatLine.player_id == player_id
    )
    stats: Mapping[str, int] | None = db.session.scalar(query)
    levels = []
    for stat in LEVELS if stats is not None else ():
        amount = stats.get(stat, 0) if stats else 0
        level = level_of(stat, amount)
        if worth := credit_points(level, 1, rules):
            words = f"{counted(stat, amount)} in the whole game"
            row = Earned(
                0,
                "",
                words,
                (counted(level, 1),),
                decimal_points(worth),
                "the sum of the game's plays",
                None,
                is_held=False,
            )
            levels.append((level, row))
    return levels


_STANDS = 1_000_001  # behind the number of every correction


@dataclass(frozen=True)
class _Entry:
    event_number: int
    revision: int
    play_number: int
    stat: str
    amount: int
    partition: int | None
    offset: int | None
    closed: bool
    closed_by: int | None
    body: dict[str, Any]
    cause: dict[str, Any] | None


def _place(entry: _Entry) -> tuple[int, int]:
    """Order by play; within a play by the correction that took it away, what stands last."""
    return entry.play_number, (entry.closed_by or 0) if entry.closed else _STANDS


def _entries(game_id: str, player_id: str) -> list[_Entry]:
    event, cause = aliased(RecordedEvent), aliased(RecordedEvent)
    rows = db.session.execute(
        select(
            LedgerEntry.event_number,
            LedgerEntry.revision,
            LedgerEntry.play_number,
            LedgerEntry.stat,
            LedgerEntry.amount,
            LedgerEntry.partition,
            LedgerEntry.offset,
            LedgerEntry.closed_at.is_not(None),
            LedgerEntry.closed_by,
            event.body,
            cause.body,
        )
        .join(
            event,
            (event.game_id == LedgerEntry.game_id)
            & (event.event_number == LedgerEntry.event_number)
            & (event.revision == LedgerEntry.revision),
        )
        .outerjoin(
            cause,
            (cause.game_id == LedgerEntry.game_id)
            & (cause.event_number == LedgerEntry.closed_by)
            & (cause.revision == 0),
        )
        .where(LedgerEntry.game_id == game_id, LedgerEntry.player_id == player_id)
        .order_by(LedgerEntry.id)
    )
    return [_Entry(*row) for row in rows]


def _kinds(standing: Iterable[tuple[str, int]], rules: ScoringRules) -> tuple[Kind, ...]:
    """The kinds of what stands (statistic and amount), without statistics that earned nothing."""
    amounts: dict[str, int] = {}
    for stat, amount in standing:
        amounts[stat] = amounts.get(stat, 0) + amount
    worth = {stat: credit_points(stat, amounts[stat], rules) for stat in in_order(amounts)}
    stats: dict[str, list[str]] = {}
    for stat, points in worth.items():
        if points:
            stats.setdefault(kind_of(stat), []).append(stat)
    return tuple(
        Kind(
            kind,
            decimal_points(sum(worth[stat] for stat in names)),
            tuple((counted(stat, amounts[stat]), decimal_points(worth[stat])) for stat in names),
        )
        for kind, names in stats.items()
    )


def _plays(game_id: str, plays: set[int]) -> dict[int, list[EventRow]]:
    """Every revision of the events of these plays, in the order of the game."""
    rows: dict[int, list[EventRow]] = {}
    for row in rows_in_order(events_of({game_id: None}).get(game_id, [])):
        if row.play_number in plays:
            rows.setdefault(row.play_number, []).append(row)
    return rows


def _names(
    entries: Iterable[_Entry],
    plays: Mapping[int, Sequence[EventRow]],
    corrected: Mapping[Key, Corrected],
) -> Mapping[str, str]:
    """Names of all footballers in these plays and the corrections that closed the entries."""
    bodies = [row.body for rows in plays.values() for row in rows]
    bodies += [ev.body_from(entry.cause) for entry in entries if entry.cause is not None]
    bodies += bodies_of(corrected)
    return names_of({player for body in bodies for player in ev.players_of(body)})


@dataclass(frozen=True)
class _Told:
    """Puts ledger entries into words."""

    game: GameRow
    rules: ScoringRules
    names: Mapping[str, str]
    corrected: Mapping[Key, Corrected]

    def row(self, entries: Sequence[_Entry], play: Sequence[EventRow]) -> Earned | None:
        """One row for these entries, which all stand or were closed together.

        None if they are worth nothing. `play`: every revision of the play's events.
        """
        amounts: dict[str, int] = {}
        for entry in entries:
            amounts[entry.stat] = amounts.get(entry.stat, 0) + entry.amount
        worth = {stat: credit_points(stat, amounts[stat], self.rules) for stat in in_order(amounts)}
        if not any(worth.values()):
            return None
        earned = {stat: points for stat, points in worth.items() if points}
        first = entries[0]
        snap = next((row.body for row in play if isinstance(row.body, ev.Snap)), None)
        bodies = standing(play, first.closed_by if first.closed else None)
        clubs = (self.game.home.id, self.game.away.id)
        ball = [body for body in bodies if body.part in ("action", "credit")]
        return Earned(
            play_number=first.play_number,
            situation=_situation(snap),
            words=joined(play_sentences(ball, self.names, clubs)),
            parts=tuple(
                f"{counted(stat, amounts[stat])} {decimal_points(points)}"
                if len(earned) > 1
                else counted(stat, amounts[stat])
                for stat, points in earned.items()
            ),
            points=decimal_points(sum(worth.values())),
            source=_source(entries),
            taken_by=self._taken_by(first) if first.closed else None,
            is_held=False,
        )

    def _taken_by(self, entry: _Entry) -> str:
        if entry.cause is None:
            return "Stat correction."
        corrected = self.corrected.get((self.game.id, entry.closed_by or 0), NOTHING)
        clubs = (self.game.home.id, self.game.away.id)
        return told(ev.body_from(entry.cause), self.names, corrected, clubs)


def _situation(snap: ev.Snap | None) -> str:
    if snap is None:
        return ""
    return f"{period_words(snap.period)} {clock_words(snap.clock)}, {down_and_distance(snap)}"


def _source(entries: Iterable[_Entry]) -> str:
    """`partition 0, offsets 7 and 8`; a game has one partition."""
    places = sorted({(entry.partition, entry.offset) for entry in entries})
    offsets = [str(offset) for _, offset in places]
    *others, last = offsets
    listed = f"offsets {', '.join(others)} and {last}" if others else f"offset {last}"
    return f"partition {places[0][0]}, {listed}"
