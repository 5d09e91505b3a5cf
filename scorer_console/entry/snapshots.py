"""What the console knows of a game after each of its plays, so that an entry costs the same late.

A snapshot continues that of the play before it. It stands on the events themselves: the snapshots
of a game are used as far as its events in the order of the game are the same objects as when they
were made, so a correction, an inserted play or a game that was read anew makes those behind it
again (decision 91). They are cached for the games that were shown last; without any, they are made
from the record. The rules are those that the whole record is computed by.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter, is_
from threading import Lock

from app.record import events as ev
from app.record.rules.football.timeouts import TimeoutsCalled, none_called
from app.record.rules.proof import Setting
from app.record.rules.state import Progress
from app.record.unknown_numbers import unknown_number
from scorer_console.entry.recent_players import NOBODY, RecentPlayers, recent_players
from scorer_console.record.accepted import KEPT_GAMES
from scorer_console.record.effective_events import EffectiveEvent


@dataclass(frozen=True)
class Snapshot:
    """A game after some of its plays; `count` is the number of their events that count.

    `unknown` are the events that name an unknown number.
    """

    count: int
    progress: Progress
    timeouts: TimeoutsCalled
    recent: RecentPlayers
    unknown: tuple[EffectiveEvent, ...]


@dataclass(frozen=True)
class _Snapshots:
    """The snapshots of a game, one per play, and what they stand on."""

    setting: Setting
    events: Sequence[EffectiveEvent] = ()
    after_plays: list[Snapshot] = field(default_factory=list)


_kept: OrderedDict[str, _Snapshots] = OrderedDict()
_lock = Lock()


def snapshot_of(game_id: str, setting: Setting, events: Sequence[EffectiveEvent]) -> Snapshot:
    """Return the snapshot after these events, which count and are in the order of the game."""
    with _lock:
        known = _kept.get(game_id)
    if known is None or known.setting != setting:
        known = _Snapshots(setting)
    after_plays = _still_valid(known, events)
    latest = after_plays[-1] if after_plays else _before_the_game(setting)
    for _, play in groupby(events[latest.count :], key=attrgetter("play_number")):
        latest = _after(latest, list(play), setting)
        after_plays.append(latest)
    with _lock:
        _kept[game_id] = _Snapshots(setting, events, after_plays)
        _kept.move_to_end(game_id)
        while len(_kept) > KEPT_GAMES:
            _kept.popitem(last=False)
    return latest


def _still_valid(known: _Snapshots, events: Sequence[EffectiveEvent]) -> list[Snapshot]:
    """Return the snapshots of the plays that are whole and the same among these events."""
    same = list(map(is_, known.events, events))
    count = same.index(False) if False in same else len(same)
    after_plays = list(known.after_plays)
    while after_plays and not _ends_play(after_plays[-1].count, count, events):
        after_plays.pop()
    return after_plays


def _ends_play(end: int, same: int, events: Sequence[EffectiveEvent]) -> bool:
    if end > same:
        return False
    return end == len(events) or events[end].play_number != events[end - 1].play_number


def _before_the_game(setting: Setting) -> Snapshot:
    return Snapshot(0, Progress(), none_called(setting.book), NOBODY, ())


def _after(before: Snapshot, play: Sequence[EffectiveEvent], setting: Setting) -> Snapshot:
    numbered = [(event.event_number, event.play_number, event.body) for event in play]
    return Snapshot(
        count=before.count + len(play),
        progress=before.progress.then(numbered),
        timeouts=before.timeouts.then(play, setting.book),
        recent=recent_players(play, before.recent),
        unknown=(*before.unknown, *(event for event in play if _names_unknown(event, setting))),
    )


def _names_unknown(event: EffectiveEvent, setting: Setting) -> bool:
    clubs = setting.clubs
    return any(
        unknown_number(named.player) is not None
        for named in ev.named_in(event.body, clubs.home, clubs.away)
    )
