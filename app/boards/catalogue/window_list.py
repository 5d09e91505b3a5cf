"""Lists the readable windows of a mode: the current ones, and earlier ones that have scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select

from app.boards.models import BoardRecord, Mode
from app.boards.windows.rules import Window, parse_window, windows_of
from app.core.db import db


@dataclass(frozen=True)
class ListedWindow:
    """A window and its board; `record` is None while nobody has a score in it."""

    window: Window
    record: BoardRecord | None


def listed_windows(
    mode: Mode, kinds: Sequence[str], offset: int, limit: int, now: datetime
) -> list[ListedWindow]:
    """List the mode's windows of these kinds: all time first, then by their ends, latest first.

    Windows with the same end are ordered by length, shorter first, then by name. Current windows
    are listed with or without scores, others only with scores. Takes at most two statements and
    reads at most `limit` boards that have ended.
    """
    boards = select(BoardRecord).where(
        BoardRecord.mode_id == mode.id,
        or_(*(BoardRecord.window_id.startswith(kind) for kind in kinds)),
    )
    running = db.session.scalars(
        boards.where(or_(BoardRecord.closes_at.is_(None), BoardRecord.closes_at > now))
    )
    open_windows = {
        record.window_id: ListedWindow(parse_window(record.window_id, mode.calendar), record)
        for record in running
    }
    for window in windows_of(kinds, now, mode.calendar):
        open_windows.setdefault(window.window_id, ListedWindow(window, None))
    open_ones = sorted(open_windows.values(), key=_place)
    windows = open_ones[offset : offset + limit]
    if left := limit - len(windows):
        ended = boards.where(BoardRecord.closes_at <= now).order_by(
            BoardRecord.closes_at.desc(), BoardRecord.origin.desc(), BoardRecord.window_id
        )
        skip = max(0, offset - len(open_ones))
        for record in db.session.scalars(ended.offset(skip).limit(left)):
            windows.append(ListedWindow(parse_window(record.window_id, mode.calendar), record))
    return windows


def _place(listed: ListedWindow) -> tuple[float, float, str]:
    window = listed.window
    if window.starts is None or window.ends is None:
        return (float("-inf"), 0.0, window.window_id)
    return (-window.ends.timestamp(), -window.starts.timestamp(), window.window_id)
