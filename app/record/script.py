"""A whole game as data, before it is played: who, when, and every step a scorer will enter.

Made by the importer (`app/record/pbp/`) and the simulator (`app/demo/`), kept by `services.store_script`,
entered by `pressbox replay`. Pure values only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.record.events import ScriptedEvent


@dataclass(frozen=True, slots=True)
class Club:
    id: str
    name: str
    nickname: str = ""
    colour: str = "#444444"


@dataclass(frozen=True, slots=True)
class Footballer:
    id: str
    name: str
    club_id: str | None = None
    position: str = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class GameScript:
    """`kickoff` is aware (UTC). `events` are in playing order; step n becomes event n."""

    game_id: str
    season: int
    season_type: Literal["PRE", "REG", "POST"]
    week: int
    kickoff: datetime
    home: Club
    away: Club
    footballers: tuple[Footballer, ...]
    events: tuple[ScriptedEvent, ...]
