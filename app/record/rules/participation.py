"""Who took part in a game, by its roster facts and by the plays that name them. Pure.

Used by the console's roster, its checks and the pages of the game. Statistics are in stat_lines.py.
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
    """A footballer in a game.

    `numbers`: the jerseys worn, in order, as far as the facts say so. `status`: the last one, ""
    for none. `played`: a play names them, they started, came in or went out. `since`: the play of
    the last status.
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
    """Everybody whom the valid events name, by id, in the order of first mention."""
    by_player: dict[str, Participant] = {}
    for _, play, body in sorted(events, key=lambda event: event[0]):
        if isinstance(body, ev.RosterFact):
            by_player[body.player] = _told(by_player.get(body.player), body, play)
            continue
        for mention in ev.named_in(body, home, away):
            if not isinstance(body, ev.Correction) and mention.club is not None:
                known = by_player.get(mention.player) or _new(mention.player, mention.club)
                by_player[mention.player] = replace(known, played=True)
    return by_player


def _new(player: str, club: str) -> Participant:
    unknown = unknown_number(player)
    return Participant(player, club, numbers=(unknown.number,) if unknown else ())


def _told(known: Participant | None, fact: ev.RosterFact, play: int) -> Participant:
    updated = replace(known or _new(fact.player, fact.team), club_id=fact.team)
    if fact.name is not None:
        updated = replace(updated, name=fact.name, position=fact.position or "")
    elif fact.position is not None:
        updated = replace(updated, position=fact.position)
    if fact.number is not None and updated.numbers[-1:] != (fact.number,):
        updated = replace(updated, numbers=(*updated.numbers, fact.number))
    if fact.status is not None:
        updated = replace(updated, status=fact.status, since=play)
        updated = replace(
            updated,
            starts=updated.starts or fact.status == "starter",
            played=updated.played or fact.status in _PLAYED,
        )
    return updated
