"""The only way to a board in Redis, whatever its layout. Boards are rebuilt from PostgreSQL.

Opens boards, and holds the writes that go to many boards in one round trip. parts.py and hashed.py
implement reads and writes of a layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from app.boards.layouts import redis_functions
from app.boards.layouts.hashed import ANSWERS, CHUNK, Answer, Applied, HashBoard
from app.boards.layouts.parts import Part, chunks
from app.boards.layouts.ranged import RangeBoard
from app.boards.rules import Attempt
from app.boards.spec import HASH, RANGE, BoardSpec
from app.core.redis.clients import boards_redis

Board = HashBoard


LAYOUTS = {HASH: HashBoard, RANGE: RangeBoard}


def open_board(spec: BoardSpec) -> Board:
    """Open the board in the layout that its spec names."""
    if spec.layout not in LAYOUTS:
        raise ValueError(f"board {spec.name}: unknown layout {spec.layout!r}")
    return LAYOUTS[spec.layout](spec, open_board(spec.next) if spec.next else None)


def apply_all(items: Sequence[tuple[Board, str, Attempt]]) -> list[Applied]:
    """Apply attempts (board, member, attempt) in one round trip; return the outcomes in order.

    Each attempt is applied whole or not at all, and those of one part of a board in their order.
    Each event leaves a dedup key until `forget_dedup_keys`, so that a second try after a crash
    counts nothing twice. After a Redis error some attempts may have been applied: apply all of them
    again.
    """
    writes = [
        (board, member, attempt)
        for item_board, member, attempt in items
        for board in item_board.written
    ]
    answers = _answers(writes)
    by_board: dict[Board, list[tuple[str, Answer]]] = {}
    for (board, member, _), answer in zip(writes, answers, strict=True):
        by_board.setdefault(board, []).append((member, answer))
    for board, board_answers in by_board.items():
        board.settle(board_answers)
    remaining = iter(answers)
    return [board.outcome([next(remaining) for _ in board.written]) for board, _, _ in items]


def _answers(writes: Sequence[tuple[Board, str, Attempt]]) -> list[Answer]:
    """Call the function `apply` for every write, in one round trip with one call per part."""
    of_part: dict[str, tuple[Board, Part, list[int], list[Any]]] = {}
    for number, (board, member, attempt) in enumerate(writes):
        part = board.part_of(member)
        if part.ranking not in of_part:
            of_part[part.ranking] = (board, part, [], [])
        _, _, numbers, arguments = of_part[part.ranking]
        numbers.append(number)
        arguments += (member, attempt.event, attempt.score, attempt.at)
    calls = [
        (call, numbers)
        for board, part, all_numbers, arguments in of_part.values()
        for call, numbers in zip(
            board.apply_calls(part, arguments), chunks(all_numbers, CHUNK), strict=True
        )
    ]
    answers: list[Answer] = [()] * len(writes)
    for (_, numbers), packed in zip(
        calls, redis_functions.call([call for call, _ in calls]), strict=True
    ):
        unpacked = msgspec.msgpack.decode(packed)
        for place, number in enumerate(numbers):
            answers[number] = unpacked[ANSWERS * place : ANSWERS * (place + 1)]
    return answers


def forget_dedup_keys(items: Iterable[tuple[Board, str, str]]) -> None:
    """Remove the dedup keys of these events (board, member, event) once PostgreSQL has them."""
    of_part: dict[str, tuple[Part, list[str]]] = {}
    for item_board, member, event in items:
        for board in item_board.written:
            part = board.part_of(member)
            if part.ranking not in of_part:
                of_part[part.ranking] = (part, [])
            of_part[part.ranking][1].append(event)
    pipeline = boards_redis().pipeline(transaction=False)
    for part, events in of_part.values():
        pipeline.hdel(part.seen, *events)
    pipeline.execute()


def amend_all(items: Sequence[tuple[Board, int, Mapping[str, int]]]) -> list[bool]:
    """Bring published boards to their next version with the changes alone, in one round trip.

    Each item is a board, its new version and the changed scores. The answer is False for a board
    that does not hold the version just before: it must be published whole.
    """
    calls = [
        board.publish_call(redis_functions.AMEND, version, scores)
        for board, version, scores in items
    ]
    return [bool(done) for done in redis_functions.call(calls)]


def held_versions(boards: Sequence[Board]) -> list[int | None]:
    """Return each published board's version, None if there is none; in order, one round trip."""
    pipeline = boards_redis().pipeline(transaction=False)
    for board in boards:
        pipeline.get(board.parts[0].version)
    return [None if version is None else int(version) for version in pipeline.execute()]
