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
from app.record.correction_words import Key, corrected_by, told
from app.record.models import Footballer, LedgerEntry, RecordedEvent, StatLine
from app.record.queries import GameRow
from app.record.queries import names as names_of
from app.record.rules.statistics import LEVELS
from app.record.rules.team_defence import is_defence, level_of
from app.record.words import clock_words, down_and_distance, named_sentence, period_words


@dataclass(frozen=True)
class Earned:
    """What one revision of an event is worth.

    Attributes:
        play_number: 0 for what the game as a whole is worth.
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
    worth = [(entry, credit_points(entry.stat, entry.amount, rules)) for entry in entries]
    snaps = _snaps(game.id, {entry.play_number for entry in entries})
    corrected = corrected_by(
        {(game.id, entry.closed_by) for entry in entries if entry.closed_by is not None}
    )
    names = _names(entries, corrected)
    levels = _levels(game.id, player_id, rules)
    rows = []
    for _, group in groupby(sorted((e for e, points in worth if points), key=_place), key=_place):
        entries_of_row = list(group)
        taken = corrected.get((game.id, entries_of_row[0].closed_by or 0), ())
        row = _row(entries_of_row, rules, snaps, names, taken)
        if game.status == "cancelled" and row.taken_by is None:
            row = replace(row, taken_by="The game is cancelled: nothing of it counts.")
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
            part = f"{counted(level, 1)} {decimal_points(worth)}"
            row = Earned(
                0,
                "",
                words,
                (part,),
                decimal_points(worth),
                "the sum of the game's plays",
                None,
                is_held=False,
            )
            levels.append((level, row))
    return levels


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


def _place(entry: _Entry) -> tuple[int, int, int, int]:
    """Order by play, event and revision; within a revision, what still stands comes last."""
    return entry.play_number, entry.event_number, entry.revision, entry.closed_by or 1_000_001


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


def _snaps(game_id: str, plays: set[int]) -> dict[int, ev.Snap]:
    rows = db.session.execute(
        select(RecordedEvent.play_number, RecordedEvent.body).where(
            RecordedEvent.game_id == game_id,
            RecordedEvent.play_number.in_(plays),
            RecordedEvent.type == "snap",
            RecordedEvent.valid,
        )
    )
    bodies = {play: ev.body_from(body) for play, body in rows}
    return {play: body for play, body in bodies.items() if isinstance(body, ev.Snap)}


def _names(
    entries: Iterable[_Entry], corrected: Mapping[Key, Sequence[ev.Body]]
) -> Mapping[str, str]:
    """Names of all footballers in these entries' events and the corrections that closed them."""
    bodies = [
        ev.body_from(body)
        for entry in entries
        for body in (entry.body, entry.cause)
        if body is not None
    ]
    bodies += [body for taken in corrected.values() for body in taken]
    return names_of({player for body in bodies for player in ev.players_of(body)})


def _row(
    entries: list[_Entry],
    rules: ScoringRules,
    snaps: Mapping[int, ev.Snap],
    names: Mapping[str, str],
    corrected: Sequence[ev.Body],
) -> Earned:
    """`corrected`: what the correction that closed the entries took away."""
    first = entries[0]
    snap = snaps.get(first.play_number)
    taken_by = None
    if first.closed:
        taken_by = (
            told(ev.body_from(first.cause), names, corrected) if first.cause else "A correction."
        )
    return Earned(
        play_number=first.play_number,
        situation=(
            f"{period_words(snap.period)} {clock_words(snap.clock)}, {down_and_distance(snap)}"
        )
        if snap
        else "",
        words=named_sentence(ev.body_from(first.body), names),
        parts=tuple(_part(entry, rules) for entry in entries),
        points=decimal_points(
            sum(credit_points(entry.stat, entry.amount, rules) for entry in entries)
        ),
        source=f"event {first.event_number}, partition {first.partition}, offset {first.offset}",
        taken_by=taken_by,
        is_held=False,
    )


def _part(entry: _Entry, rules: ScoringRules) -> str:
    """`40 receiving yards 4.00`, `receiving touchdown 6.00`."""
    points = decimal_points(credit_points(entry.stat, entry.amount, rules))
    return f"{counted(entry.stat, entry.amount)} {points}"
