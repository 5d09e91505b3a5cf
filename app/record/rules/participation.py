"""Who took part in a game: what its facts say of each footballer, and who is named in its plays.

Pure.

Called by the console's roster, its door and the pages of the game. Not here: statistics
(stat_lines.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.record import events as ev
from app.record.rules.stat_lines import Numbered
from app.record.unknown_numbers import unknown_number

_PLAYED = ("starter", "in", "out")


@dataclass(frozen=True)
class Participant:
    """`numbers`: the jerseys worn, in order, as far as the facts say so.

    `status`: the last one said, "" for none.

    `played`: a play names them, they started, came in or went out. `since`: the play of the last
    status.
    """

    player_id: str
    club_id: str
    name: str | None = None
    position: str | None = None
    numbers: tuple[int, ...] = ()
    starts: bool = False
    played: bool = False
    status: str = ""
    since: int = 0


def participants(events: Iterable[Numbered], home: str, away: str) -> dict[str, Participant]:
    """By id, everybody whom the valid (event number, play number, body) triples name, in the order
    of first mention.
    """
    found: dict[str, Participant] = {}
    for _, play, body in sorted(events, key=lambda event: event[0]):
        if isinstance(body, ev.RosterFact):
            found[body.player] = _told(found.get(body.player), body, play)
            continue
        for one in ev.named_in(body, home, away):
            if not isinstance(body, ev.Correction) and one.club is not None:
                known = found.get(one.player) or _new(one.player, one.club)
                found[one.player] = replace(known, played=True)
    return found


def _new(player: str, club: str) -> Participant:
    unknown = unknown_number(player)
    return Participant(player, club, numbers=(unknown.number,) if unknown else ())


def _told(known: Participant | None, fact: ev.RosterFact, play: int) -> Participant:
    now = replace(known or _new(fact.player, fact.team), club_id=fact.team)
    if fact.name is not None:
        now = replace(now, name=fact.name, position=fact.position or "")
    elif fact.position is not None:
        now = replace(now, position=fact.position)
    if fact.number is not None and now.numbers[-1:] != (fact.number,):
        now = replace(now, numbers=(*now.numbers, fact.number))
    if fact.status is not None:
        now = replace(now, status=fact.status, since=play)
        now = replace(
            now,
            starts=now.starts or fact.status == "starter",
            played=now.played or fact.status in _PLAYED,
        )
    return now
