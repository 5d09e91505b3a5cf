"""Swings as pages show them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.scoring.swings.balance import Balance
from app.fantasy.scoring.swings.swings import Mover, Swing
from app.record.queries import GameRow

LABELS = {"play": "As it was called", "correction": "Correction", "course": "The game"}


@dataclass(frozen=True)
class NowPage:
    """What just happened in a league, and what hangs in the balance.

    `games`: by id. `live`: a game is being played.
    """

    swings: tuple[Swing, ...]
    balance: Balance | None
    games: Mapping[str, GameRow]
    live: bool


@dataclass(frozen=True)
class PlayPage:
    """Everything that a play did in a league.

    `first`: its first swing, with the sentence to tell; `together`: what the viewer's eye goes to
    first: each mover with all of it, where the play was corrected; else empty.
    """

    game: GameRow
    swings: tuple[Swing, ...]
    together: tuple[Mover, ...]

    @property
    def first(self) -> Swing:
        """The first swing, with the sentence to tell."""
        return self.swings[0]

    @property
    def is_corrected(self) -> bool:
        """Whether the play was corrected."""
        return any(swing.kind == "correction" for swing in self.swings)


def play_page(game: GameRow, swings: Sequence[Swing]) -> PlayPage:
    """Return the page of a play."""
    return PlayPage(game, tuple(swings), tuple(_together(swings)) if len(swings) > 1 else ())


def _together(swings: Sequence[Swing]) -> list[Mover]:
    """Of the teams listed in every swing, what all of them came to; in the order of the first."""
    found = []
    for mover in swings[0].movers:
        parts = [part for swing in swings if (part := swing.of(mover.member_id)) is not None]
        if len(parts) == len(swings):
            found.append(
                Mover(
                    mover.member_id,
                    mover.name,
                    sum(part.points for part in parts),
                    parts[-1].total,
                    mover.rank_before,
                    parts[-1].rank,
                )
            )
    return found
