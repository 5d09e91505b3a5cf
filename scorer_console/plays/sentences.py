"""The sentences of a game's events, each made once per process for the same names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

from app.record import events as ev
from app.record.words import sentence
from scorer_console.record.accepted import KEPT_GAMES


class Sentences:
    """Events in words. `names` are the players' names by id."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self._by_body: dict[ev.Body, str] = {}

    def of(self, body: ev.Body) -> str:
        """Return the sentence of an event."""
        words = self._by_body.get(body)
        if words is None:
            words = self._by_body[body] = sentence(body, self.names)
        return words


_kept: OrderedDict[str, Sentences] = OrderedDict()
_lock = Lock()


def sentences_of(game_id: str, names: Mapping[str, str]) -> Sentences:
    """Return the sentences of the game's events with these names."""
    with _lock:
        sentences = _kept.get(game_id)
        if sentences is None or sentences.names != names:
            sentences = _kept[game_id] = Sentences(names)
        _kept.move_to_end(game_id)
        while len(_kept) > KEPT_GAMES:
            _kept.popitem(last=False)
    return sentences
