"""Moves the split points of a range board so that its partitions hold about equally many members.

A step moves a few members across one split point, under the mode's exclusive lock, and moves the
point with them, so that every read is right after every step. A run that was killed is started
again. The scheduled job and commands call this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, cast

from app.boards.layouts.parts import Part
from app.boards.layouts.ranged import NOWHERE, RangeBoard
from app.boards.rules import Ties
from app.core.redis.clients import boards_redis

TOO_FULL = 2  # of the fullest partition to the mean
WORTH_IT = 1_000  # smaller boards are never rebalanced
CHUNK = 500  # members per step
STEPS = 10  # per hold of the lock: writers wait about 50 ms

Locked = Callable[[], AbstractContextManager[object]]
Entries = Sequence[tuple[bytes, float]]


@dataclass(frozen=True)
class Balance:
    """Members per partition, best partition first.

    `homes` is the number of members that the homes record.
    """

    partitions: Sequence[int]
    homes: int
    moving: bool

    @property
    def is_uneven(self) -> bool:
        """Whether moving split points is worth it."""
        fullest = max(self.partitions)
        return fullest > WORTH_IT and fullest * len(self.partitions) > TOO_FULL * sum(
            self.partitions
        )

    @property
    def agrees(self) -> bool:
        """Whether each member is in one partition, as far as the totals show."""
        return self.homes == sum(self.partitions)


def balance(board: RangeBoard) -> Balance:
    """Measure the board's balance; call it under the mode's exclusive lock.

    Without the lock a writer may be halfway through.
    """
    pipeline = boards_redis().pipeline(transaction=False)
    for part in (*board.parts, *board.homes):
        pipeline.zcard(part.ranking)
    sizes: list[int] = pipeline.execute()
    count = len(board.parts)
    return Balance(sizes[:count], sum(sizes[count:]), board.split_points().moving)


def rebalance(board: RangeBoard, locked: Locked, say: Callable[[int], None] | None = None) -> int:
    """Move the split points so that the partitions are as even as equal scores allow.

    Returns how many members changed partition. Nothing is done if the points are already there. See
    `move_split_points`.
    """
    with locked():
        targets, points = _even(board), board.split_points()
    if points.at == tuple(targets) and not points.moving:
        return 0
    return move_split_points(board, targets, locked, say)


def move_split_points(
    board: RangeBoard, targets: Sequence[int], locked: Locked, say: Callable[[int], None] | None
) -> int:
    """Move the split points to these stored values (ascending), and the members with them.

    Args:
        board: The board.
        targets: The new split points.
        locked: Keeps everybody else from writing to the board while it is entered; it is left and
            entered again every STEPS steps.
        say: Is called with the number of members moved so far.

    Returns:
        How many members changed partition.
    """
    with locked():
        board.set_split_points(board.split_points().at, moving=True)
    moved = 0
    # Towards better values start with the worst point, towards worse values with the best: each
    # member crosses over once.
    passes = [(number, -1) for number in reversed(range(len(targets)))] + [
        (number, 1) for number in range(len(targets))
    ]
    for number, direction in passes:
        taken = CHUNK
        while taken:
            with locked():
                for _ in range(STEPS):
                    taken = _step(board, number, targets[number], direction)
                    moved += taken
                    if not taken:
                        break
            if say is not None:
                say(moved)
    with locked():
        board.set_split_points(targets)
    return moved


def _even(board: RangeBoard) -> list[int]:
    """Return the stored values at which partitions of equal size begin."""
    sizes = balance(board).partitions
    total, points = sum(sizes), []
    for number in range(1, len(sizes)):
        position = total * number // len(sizes)
        for part, size in zip(board.parts, sizes, strict=True):
            if position < size:
                entries = _entries(part, position, position)
                points.append(int(entries[0][1]))
                break
            position -= size
    return points or [NOWHERE] * (len(sizes) - 1)


def _step(board: RangeBoard, point: int, moved_to: int, direction: int) -> int:
    """Move up to CHUNK members across split point `point`, and the point with them.

    Returns how many; 0 means that the point has arrived. With direction -1 the point goes to better
    values, so members move from better partitions to the one after it.
    """
    target = point + 1 if direction < 0 else point
    sources = range(point, -1, -1) if direction < 0 else range(point + 1, len(board.parts))
    for source in sources:
        entries = _misplaced(board, source, moved_to, direction)
        if entries:
            break
    else:
        _set(board, point, moved_to)
        return 0
    values: list[list[Any]] = [[] for _ in board.parts]
    budget = board.spec.budget
    for name, number in entries:
        stored, member = budget.of_name(number, name)
        values[target] += member, budget.text(stored), ""
        values[source] += member, "", ""
    board.replace(values, together=True)
    # Everything beyond the nearest moved member belongs behind the point; points that were passed
    # move along.
    numbers = [int(value) for _, value in entries]
    _set(board, point, min(numbers) if direction < 0 else max(numbers) + 1)
    return len(entries)


def _set(board: RangeBoard, number: int, value: int) -> None:
    """Move one split point, and those that it meets."""
    points = board.split_points().at
    before = [min(point, value) for point in points[:number]]
    after = [max(point, value) for point in points[number + 1 :]]
    board.set_split_points([*before, value, *after], moving=True)


def _misplaced(board: RangeBoard, source: int, target: int, direction: int) -> Entries:
    """Find members of a partition that belong beyond the target, one chunk, nearest first.

    Under dense ranks the chunk ends with whole scores, however many members share one: two
    partitions must never both count a score.
    """
    part = board.parts[source]
    bounds: tuple[Any, Any] = ("+inf", target) if direction < 0 else ("-inf", f"({target}")
    entries = _entries(part, *bounds, desc=direction < 0, byscore=True, offset=0, num=CHUNK)
    if board.spec.ties is not Ties.DENSE or not entries:
        return entries
    last = entries[-1][1]
    return [
        *(entry for entry in entries if entry[1] != last),
        *_entries(part, int(last), int(last), byscore=True),
    ]


def _entries(part: Part, first: Any, last: Any, **how: Any) -> Entries:
    return cast("Entries", boards_redis().zrange(part.ranking, first, last, withscores=True, **how))
