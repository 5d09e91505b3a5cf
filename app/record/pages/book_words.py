"""The sentences of an official game book. Pure.

They say where the ball ended, name muffs, and leave the scorer's slips out. The sentences of the
live pages and the console are in app/record/events and mention every correction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.record import events as ev
from app.record.queries import EventRow, GameRow
from app.record.rules.slips import Slips
from app.record.words import Sentence, named_sentence, spot


def official_words(
    rows: Sequence[EventRow], names: Mapping[str, str], game: GameRow, slips: Slips
) -> dict[tuple[int, int], Sentence]:
    """The sentences of one play's events, by number and revision.

    Slips and their corrections are left out. A muff takes one sentence: it is no possession (NFL
    Rule 3, muff), so it is neither a return nor a fumble.
    """
    official = [
        row
        for row in rows
        if (row.number, row.revision) not in slips.revisions
        and not (isinstance(row.body, ev.Correction) and row.number in slips.corrections)
    ]
    snap = next((row.body for row in official if isinstance(row.body, ev.Snap) and row.valid), None)
    words = {(row.number, row.revision): _words(row.body, names, game, snap) for row in official}
    standing = [row for row in official if row.valid]
    for carried, dropped in _muffs(standing):
        words.pop((carried.number, carried.revision))
        words[dropped.number, dropped.revision] = _muff(dropped.body, names, game)
    return words


def _words(
    body: ev.Body, names: Mapping[str, str], game: GameRow, snap: ev.Snap | None
) -> Sentence:
    if isinstance(body, ev.Nullify):
        return Sentence.of(f"No play{f' ({body.reason})' if body.reason else ''}.")
    sentence = named_sentence(body, names)
    place = _place(body, game, snap)
    if not place:
        return sentence
    before, stop, after = sentence.marked.rpartition(".")
    return Sentence.of(f"{before}{place}{stop}{after}")


def _place(body: ev.Body, game: GameRow, snap: ev.Snap | None) -> str:
    """Where the movement ended, like ` to HRB 44`; empty for a touchdown or an unknown spot."""
    if getattr(body, "is_touchdown", False):
        return ""
    place = ""
    match body:
        case ev.Pass(result="complete", reception_yard=int(yard)):
            place = _at(" to", body.team, yard, game)
        case ev.Run(kind="kneel"):
            place = _at(" at", body.team, body.end_yard, game)
        case ev.Run() | ev.Sack():
            place = _at(" to", body.team, body.end_yard, game)
        case ev.Interception(yard=int(yard)) | ev.Recovery(yard=int(yard)):
            place = _at(" at", body.team, yard, game)
        case ev.Kick(result="downed" | "out_of_bounds" | "fair_catch", distance=int(length)):
            start = body.start_yard
            if start is None and snap is not None:
                start = snap.spot
            if start is not None:
                place = _at(" at", body.team, start + length, game)
    return place


def _at(word: str, club: str, yard: int, game: GameRow) -> str:
    if not 0 < yard < ev.GOAL_LINE:
        return f"{word.replace(' to', ' into').replace(' at', ' in')} the end zone"
    return f"{word} {spot(club, yard, game.away.id if club == game.home.id else game.home.id)}"


def _muffs(rows: Sequence[EventRow]) -> list[tuple[EventRow, EventRow]]:
    """The pairs of events that record a muff: a return and a fumble.

    The return is of no yards, right after the kick and by the player who fumbles.
    """
    return [
        (carried, dropped)
        for kicked, carried, dropped in zip(rows, rows[1:], rows[2:], strict=False)
        if isinstance(kicked.body, ev.Kick)
        and isinstance(carried.body, ev.Run)
        and carried.body.kind == "return"
        and carried.body.start_yard == carried.body.end_yard
        and isinstance(dropped.body, ev.Fumble)
        and dropped.body.player == carried.body.player
        and dropped.body.forced_by_team is None
    ]


def _muff(body: ev.Body, names: Mapping[str, str], game: GameRow) -> Sentence:
    assert isinstance(body, ev.Fumble)
    marked = named_sentence(body, names).marked.replace(" fumbles", " muffs the kick", 1)
    place = "" if body.yard is None else _at(" at", body.team, body.yard, game)
    return Sentence.of(f"{marked.removesuffix('.')}{place}.")
