"""Swings as pages show them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.scoring.swings.balance import Balance
from app.fantasy.scoring.swings.swings import Mover, Swing
from app.record.queries import GameRow

LABELS = {"play": "Original call", "correction": "Correction", "course": "The game"}


@dataclass(frozen=True)
class NowPage:
    """What just happened in a league, and the table if a call under review is overturned.

    `games`: the games by id. `live`: whether one is being played. `me`: the viewer's id.
    """

    swings: Sequence[Swing]
    balance: Balance | None
    games: Mapping[str, GameRow]
    live: bool
    me: int


@dataclass(frozen=True)
class PlayPage:
    """Everything that a play did in a league.

    `together`: each mover with the sum of all swings if the play was corrected; else empty.
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
    """The sum of all swings for each team that is in every swing, in the order of the first."""
    movers = []
    for mover in swings[0].movers:
        parts = [part for swing in swings if (part := swing.of(mover.member_id)) is not None]
        if len(parts) == len(swings):
            movers.append(
                Mover(
                    mover.member_id,
                    mover.name,
                    sum(part.points for part in parts),
                    parts[-1].total,
                    mover.rank_before,
                    parts[-1].rank,
                )
            )
    return movers
