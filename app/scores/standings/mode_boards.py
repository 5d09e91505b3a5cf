"""The boards on which a mode's scores count, and where a player stands there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar
from uuid import UUID

from sqlalchemy import select, tuple_

from app.accounts import sanctions
from app.boards import reads, services
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.models import BoardRecord, Mode
from app.boards.reads import BoardReads
from app.boards.windows import rules as windows
from app.boards.windows.rules import Window
from app.core.db import db
from app.scores.standings.board_scores import OnBoard
from app.scores.standings.own_place import own_place

Found = TypeVar("Found")


@dataclass(frozen=True)
class Standing:
    """A player's standing; `rank` is None without a place. `score` is in the smallest unit."""

    rank: int | None
    score: int | None
    total: int
    subscore: int | None = None


def windows_of(mode: Mode, at: datetime) -> list[Window]:
    """Return the mode's windows in which a score of that moment counts."""
    return windows.windows_of(mode.windows, at, mode.calendar)


class Boards:
    """The boards that a batch of scores needs, each read once.

    Valid while the caller holds the modes' rows.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[UUID, str], OnBoard | None] = {}

    def of(self, moments: Iterable[tuple[Mode, datetime]]) -> list[list[OnBoard]]:
        """Return for each (mode, moment) the boards on which a score of that moment counts.

        Missing boards are created. Archived ones are left out: nothing counts on them any more.
        """
        windows_by_moment = [(mode, windows_of(mode, at)) for mode, at in moments]
        missing = {
            (mode.id, window.window_id): (mode, window)
            for mode, mode_windows in windows_by_moment
            for window in mode_windows
        }
        missing = {key: value for key, value in missing.items() if key not in self._known}
        records = _records(missing)
        for key, (mode, window) in sorted(missing.items()):
            record = records.get(key) or catalogue.board_for(mode, window)
            self._known[key] = None if record.archived_at else on_board(mode, record, window)
        boards = [
            [self._known[mode.id, window.window_id] for window in mode_windows]
            for mode, mode_windows in windows_by_moment
        ]
        return [[board for board in moment_boards if board is not None] for moment_boards in boards]


def on_board(mode: Mode, record: BoardRecord, window: Window) -> OnBoard:
    """Open the mode's board of this window for writing."""
    spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
    how = spec.aggregation, spec.ties, spec.budget, spec.order
    return OnBoard(record, *how, window.starts, window.ends, open_board(spec), mode.update_seconds)


def _records(keys: Collection[tuple[UUID, str]]) -> dict[tuple[UUID, str], BoardRecord]:
    if not keys:
        return {}
    rows = db.session.scalars(
        select(BoardRecord)
        .where(tuple_(BoardRecord.mode_id, BoardRecord.window_id).in_(list(keys)))
        .execution_options(populate_existing=True)
    )
    return {(record.mode_id, record.window_id): record for record in rows}


def first_window(mode: Mode, at: datetime) -> str:
    """Return the window whose rank an answer shows: the mode's shortest at that moment."""
    return windows_of(mode, at)[0].window_id  # a mode keeps its kinds in that order


def standing(mode: Mode, window_id: str, player_id: UUID) -> Standing:
    """Return where the player stands now, from whichever store answers."""
    hidden = sanctions.hidden_among([player_id])
    return standings(mode, window_id, [player_id], hidden)[player_id]


def standings(
    mode: Mode, window_id: str, players: Collection[UUID], hidden: Collection[UUID]
) -> dict[UUID, Standing]:
    """Return where each player stands now; the `hidden` as they see themselves."""
    standings: dict[UUID, Standing] = {}
    for board, viewers in _boards(mode, window_id, players, hidden):
        standings |= _whole(board, partial(_standings, players=viewers))
    return standings


def _standings(board: BoardReads, players: Sequence[UUID]) -> dict[UUID, Standing]:
    by_member, count = _held(board, players)
    standings = {}
    for player in players:
        mine = by_member.get(str(player))
        rank, score, subscore = (
            (mine.rank, mine.score, mine.subscore) if mine else (None, None, None)
        )
        standings[player] = Standing(rank, score, count, subscore)
    return standings


def _boards(
    mode: Mode, window_id: str, players: Collection[UUID], hidden: Collection[UUID]
) -> list[tuple[BoardReads, list[UUID]]]:
    """Return the boards that these players see, each with the players who see it."""
    reading = services.read(catalogue.game_of(mode), mode, window_id)
    viewer = sanctions.shadowed_viewer()
    alone = (
        {player for player in players if player in hidden and player != viewer}
        if reading.record is not None
        else set()
    )
    own_boards = [(own_place(reading, player_id), [player_id]) for player_id in sorted(alone)]
    others = [player_id for player_id in dict.fromkeys(players) if player_id not in alone]
    return [*own_boards, (reading.board, others)] if others else own_boards


def _held(board: BoardReads, players: Collection[UUID]) -> tuple[Mapping[str, reads.Standing], int]:
    """Return the standings of these players, and how many players the board has."""
    if len(players) == 1:  # one question for both
        (member,) = map(str, players)
        view = board.view(0, 1, member, 0)
        return ({member: view.me} if view.me else {}), view.count
    return board.standings([str(player) for player in players]), board.count()


def _whole(board: BoardReads, read: Callable[[BoardReads], Found]) -> Found:
    """Return all that `read` asks, from one store."""
    return board.ask(read) if isinstance(board, services.Fallback) else read(board)


Sent = tuple[UUID, int, int | None]  # player, score, subscore


def provisional(
    mode: Mode, window_id: str, player_id: UUID, score: int, subscore: int | None = None
) -> int:
    """Return `provisionals` of one score."""
    sent = (player_id, score, subscore)
    return provisionals(mode, window_id, [sent], sanctions.hidden_among([player_id]))[sent]


def provisionals(
    mode: Mode, window_id: str, sent: Collection[Sent], hidden: Collection[UUID]
) -> dict[Sent, int]:
    """Compute each player's rank once this score counts, if nothing else comes first.

    A player among the `hidden` gets the rank that they see themselves.
    """
    ranks: dict[Sent, int] = {}
    for board, viewers in _boards(mode, window_id, [score[0] for score in sent], hidden):
        own_scores = [score for score in sent if score[0] in viewers]
        ranks |= _whole(board, partial(_provisionals, mode=mode, sent=own_scores))
    return ranks


def _provisionals(board: BoardReads, mode: Mode, sent: Sequence[Sent]) -> dict[Sent, int]:
    order = mode.ordering
    standing, _ = _held(board, {player for player, _, _ in sent})
    keys_held = {
        member: order.key(standing_now.score, standing_now.subscore)
        for member, standing_now in standing.items()
    }
    ranks_by_score: dict[Sent, int] = {}
    keys: dict[Sent, int] = {}  # what the others would hold
    for score in sent:
        member, key = str(score[0]), order.key(*score[1:])
        if member in keys_held and mode.aggregation == "highest" and keys_held[member] >= key:
            ranks_by_score[score] = standing[member].rank
        else:
            keys[score] = (
                key + keys_held[member]
                if member in keys_held and mode.aggregation == "sum"
                else key
            )
    asked = sorted(set(keys.values()))
    ranks = dict(
        zip(
            asked,
            board.ranks_of_scores([(order.score_of(key), order.subscore_of(key)) for key in asked]),
            strict=True,
        )
    )
    for score, key in keys.items():
        mine = keys_held.get(str(score[0]))
        # The player counts among those ahead if a new score takes them down.
        is_counted = mine is not None and (mine > key or (mode.ties == "earliest" and mine == key))
        ranks_by_score[score] = (
            ranks[key] - 1 if is_counted and mode.ties != "dense" else ranks[key]
        )
    return ranks_by_score
