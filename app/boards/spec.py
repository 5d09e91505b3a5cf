"""Describes a board: how it counts and where it lies in Redis."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.boards.order import Order
from app.boards.rules import Aggregation, Budget, Ties

HASH, RANGE = "hash", "range"
LAYOUTS = (HASH, RANGE)


@dataclass(frozen=True)
class BoardSpec:
    """One board.

    Names are slugs (letters, digits, `-`, `.`); `window` may contain a colon (`daily:2026-04-05`).

    Attributes:
        order: How scores become the keys that the board sorts.
        layout: `hash` with one shard is one sorted set.
        generation: Rises with each rebuild or move.
        timeline: The database's restore epoch (app/core/restore_epoch.py), because generation
            numbers are reused after a restore.
        next: While the board moves, the generation that it moves to: writes go to both, reads come
            from this one.
    """

    game: str
    mode: str
    window: str
    aggregation: Aggregation = Aggregation.HIGHEST
    ties: Ties = Ties.SHARED
    budget: Budget = field(default_factory=Budget)
    layout: str = HASH
    shards: int = 1
    generation: int = 1
    timeline: int = 0
    next: BoardSpec | None = None
    order: Order = field(default_factory=Order)

    @property
    def name(self) -> str:
        """The name that people and commands use: `game:mode:window`."""
        return f"{self.game}:{self.mode}:{self.window}"

    def tag(self, part: str) -> str:
        """Return the key of one part (`s0`, `r3`, `meta`) of this generation.

        Parts may lie on different cluster nodes.
        """
        timeline = f"{self.timeline}." if self.timeline else ""
        return f"lb:{{{self.name}:g{timeline}{self.generation}{part}}}"
