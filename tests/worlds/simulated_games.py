"""Simulated games by seed, taken apart into plays and the facts that stand in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from app.demo.clubs import CLUBS, rosters
from app.demo.game import Fixture, simulate_game
from app.record.events import (
    Challenge,
    Conversion,
    Kick,
    Nullify,
    Overturn,
    Safety,
    Snap,
)
from app.record.script import GameScript

KICKOFF = datetime(2026, 9, 13, 17, tzinfo=UTC)


def play(seed: int) -> GameScript:
    home, away = CLUBS[seed % 8], CLUBS[(seed + 1 + seed // 8 % 7) % 8]
    return simulate_game(seed, Fixture(f"demo-{seed}", home, away, KICKOFF, 2026, 1), rosters())


@dataclass
class Play:
    """A snap and what follows it.

    `bodies` as entered, `facts` as they stand in the end, both by event number.
    """

    snap: Snap
    bodies: dict[int, Any] = field(default_factory=dict)
    facts: dict[int, Any] = field(default_factory=dict)

    def has(self, kind: type) -> bool:
        return any(isinstance(body, kind) for body in self.bodies.values())


def standing_facts(game: GameScript) -> dict[int, Any]:
    """Event number -> the fact that stands, corrections applied."""
    facts: dict[int, Any] = {}
    for number, step in enumerate(game.events, start=1):
        match step.body:
            case Nullify(events=void):
                for event in void:
                    del facts[event]
            case Overturn(event=event, ruling=ruling):
                assert event in facts
                facts[event] = ruling
            case Challenge():
                pass
            case fact:
                facts[number] = fact
    return facts


def plays_of(game: GameScript) -> list[Play]:
    standing = standing_facts(game)
    plays: list[Play] = []
    for number, step in enumerate(game.events, start=1):
        if isinstance(step.body, Snap):
            plays.append(Play(step.body))
        elif plays:
            plays[-1].bodies[number] = step.body
            if number in standing:
                plays[-1].facts[number] = standing[number]
    return plays


def score(game: GameScript) -> dict[str, int]:
    points = {game.home.id: 0, game.away.id: 0}
    for fact in standing_facts(game).values():
        if getattr(fact, "is_touchdown", False):
            points[fact.team] += 6
        if isinstance(fact, Kick) and fact.result == "good":
            points[fact.team] += 3 if fact.kind == "field_goal" else 1
        if isinstance(fact, Conversion) and fact.good:
            points[fact.team] += 2
        if isinstance(fact, Safety):
            points[fact.team] += fact.points
    return points
