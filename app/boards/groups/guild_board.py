"""Scores of guilds on a board, computed at each read from what their members hold there.

There is nothing to rebuild or verify beside the board itself: a correction, a ban or the removal of
a player shows at once, from whichever store answers (services.py), in frozen boards and in the
archive too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from uuid import UUID

from app.boards.groups.player_list import MOST_PLAYERS
from app.boards.order import Best
from app.boards.reads import Standing
from app.boards.rules import Ties
from app.boards.services import Reading


class Measure(StrEnum):
    """How a guild's score is computed from its members': their sum, best or mean."""

    SUM = "sum"
    BEST = "best"
    MEAN = "mean"


@dataclass(frozen=True)
class GuildScore:
    """A guild's score in the mode's smallest unit, exact.

    `counted` is the number of members whose scores count, `members` the number of all members.
    """

    rank: int
    guild_id: UUID
    score: Fraction
    counted: int
    members: int


def guild_board(
    reading: Reading,
    members: Mapping[UUID, Sequence[UUID]],
    names: Mapping[UUID, str],
    measure: Measure,
    top: int,
) -> list[GuildScore]:
    """Rank the guilds that have a member with a score, best first, equal ones by `names`.

    Equal guilds share a rank: 1, 1, 3, or 1, 1, 2 if the mode is dense. The `top` members who stand
    first on the board count for each guild; if fewer have a score, all of those.
    """
    players = sorted({str(player) for listed in members.values() for player in listed})
    by_player: dict[str, Standing] = {}
    for start in range(0, len(players), MOST_PLAYERS):
        by_player |= reading.board.standings(players[start : start + MOST_PLAYERS])
    scored = []
    for guild_id, listed in members.items():
        standings = [by_player[str(player)] for player in listed if str(player) in by_player]
        if standings:
            first = sorted(standings, key=lambda standing: standing.position)[:top]
            scored.append(
                (
                    _score([standing.score for standing in first], measure),
                    len(first),
                    guild_id,
                    len(listed),
                )
            )
    better = 1 if reading.mode.order == Best.LOWEST else -1
    scored.sort(key=lambda guild: (better * guild[0], names[guild[2]]))
    is_dense = Ties(reading.mode.ties) is Ties.DENSE
    ranked: list[GuildScore] = []
    for number, (score, counted, guild_id, size) in enumerate(scored):
        if ranked and score == ranked[-1].score:
            rank = ranked[-1].rank
        else:
            rank = (ranked[-1].rank + 1 if ranked else 1) if is_dense else number + 1
        ranked.append(GuildScore(rank, guild_id, score, counted, size))
    return ranked


def _score(scores: Sequence[int], measure: Measure) -> Fraction:
    match measure:
        case Measure.SUM:
            return Fraction(sum(scores))
        case Measure.BEST:
            return Fraction(scores[0])
        case Measure.MEAN:
            return Fraction(sum(scores), len(scores))
