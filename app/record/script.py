"""A whole game as data before it is played: who, when, and every step a scorer will enter.

Made by the importer (`app/record/play_by_play/`) and the simulator (`app/demo/`), stored by
`services.store_script`, entered by `pressbox replay`. Pure values.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from app.record.events import ScriptedEvent

# `final`: the record as it stood in the end; `as_called`: every play as first called, and what took
# it away.
Variant = Literal["final", "as_called"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
# What the idempotency keys of a variant's steps begin with: `script:7` is step 7 of the final
# record.
KEYS: dict[Variant, str] = {"final": "script", "as_called": "called"}


@dataclass(frozen=True, slots=True)
class Club:
    """A club of a script."""

    id: str
    name: str
    nickname: str = ""
    colour: str = "#444444"


@dataclass(frozen=True, slots=True)
class Footballer:
    """A footballer of a script."""

    id: str
    name: str
    club_id: str | None = None
    position: str = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class GameScript:
    """A game to be entered.

    `kickoff` has a time zone (UTC). `events` (the final record) are in playing order; step n
    becomes event n. `as_called`: the same game as first called, numbered separately; None if nobody
    knows how plays were first called. `left_out`: a line for each such call that cannot be
    expressed. `play_ids`: the number that the publisher gives to the play of each of `events`.
    """

    game_id: str
    season: int
    season_type: Literal["PRE", "REG", "POST"]
    week: int
    kickoff: datetime
    home: Club
    away: Club
    footballers: tuple[Footballer, ...]
    events: tuple[ScriptedEvent, ...]
    as_called: tuple[ScriptedEvent, ...] | None = None
    left_out: tuple[str, ...] = ()
    competition: str = "nfl"
    play_ids: tuple[int | None, ...] = ()
