"""What several requests of this process want at once is made by one of them, for all that asked before it began.

Whoever asks while it is being made waits for the next round: what was begun before they asked may lack what was
committed since. So however long it takes and however often it changes, two rounds are the longest wait. Not here: what
is remembered beyond a round (parts.py), questions that are answered outside of any request (gathering.py).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from flask import current_app

from app.core.db import db
from app.core.holding import turn_lent

Made = TypeVar("Made")

WAIT_SECONDS = 5.0  # for another one's round; then it is made for oneself alone


class _Round(Generic[Made]):
    """`may_begin`: the round before is over; `done`: `made` is there, or None where it will not be."""

    __slots__ = ("done", "made", "may_begin")

    def __init__(self) -> None:
        self.may_begin = threading.Event()
        self.done = threading.Event()
        self.made: Made | None = None


class Rounds(Generic[Made]):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: dict[str, _Round[Made] | None] = {}  # of each key that is being made

    def made(self, key: str, make: Callable[[bool], Made]) -> Made:
        """What `make` gives in this thread, or gave another one that began after this call under the same key. It is
        told whether there was a round before, which may have left what is wanted. Raises what `make` raises in this
        thread; what failed elsewhere is made here."""
        with self._lock:
            is_first = key not in self._next
            mine = self._next.get(key)
            leads = mine is None
            mine = mine or _Round()
            self._next[key] = None if is_first else mine
        if is_first:
            return self._lead(key, mine, lambda: make(False))
        # Who holds a connection keeps the turn too: there are as many connections as turns.
        with nullcontext() if db.session().in_transaction() else turn_lent():
            has_come = (mine.may_begin if leads else mine.done).wait(WAIT_SECONDS)
        if leads and (has_come or not self._is_given_up(key, mine)):
            return self._lead(key, mine, lambda: make(True))
        found = mine.made if has_come else None
        return make(True) if found is None else found

    def _lead(self, key: str, mine: _Round[Made], make: Callable[[], Made]) -> Made:
        try:
            mine.made = make()
            return mine.made
        finally:
            mine.done.set()
            with self._lock:
                following = self._next[key]
                if following is None:
                    del self._next[key]
                else:
                    self._next[key] = None
                    following.may_begin.set()

    def _is_given_up(self, key: str, mine: _Round[Made]) -> bool:
        """Whether nobody will lead this round; not where it has just become its turn."""
        with self._lock:
            if mine.may_begin.is_set():
                return False
            self._next[key] = None
        mine.done.set()
        return True


def made_together(key: str, make: Callable[[bool], Made]) -> Made:
    """As Rounds.made, of this application."""
    rounds: Rounds[Any] = current_app.extensions.setdefault("rounds", Rounds())
    made: Made = rounds.made(key, make)
    return made
