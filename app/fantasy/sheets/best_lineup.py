"""The line-up of a squad that would have had the most points. Pure.

Exact: every legal formation is tried with the best players of each group of positions. Within a
formation no other choice can have more, because a player is exchanged only for one of their group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import Format


@dataclass(frozen=True)
class SquadPlayer:
    """A player of a squad, by the position that places them, with points in thousandths."""

    id: str
    position: str
    points: int


@dataclass(frozen=True)
class BestLineup:
    """The best starters in the order of the squad, their captain, and their points together.

    `points`: in thousandths, the captain's twice. The captain is empty without players, and in
    draft leagues, which have no captains.
    """

    starters: tuple[str, ...]
    captain: str
    points: int


def best_lineup(team_format: Format, squad: Sequence[SquadPlayer]) -> BestLineup:
    """The line-up with the most points that the squad could have had.

    As many starting places are filled as the squad can fill. Ties: the formation that is tried
    first; of two players the one who comes first in the squad.

    >>> from app.fantasy.market.formats import FORMATS
    >>> squad = [SquadPlayer("g", "GK", 2000), SquadPlayer("h", "GK", 6000)]
    >>> squad += [SquadPlayer(f"d{n}", "DEF", 1000 * n) for n in range(1, 6)]
    >>> best = best_lineup(FORMATS["soccer-five"], squad)
    >>> best.starters, best.captain, best.points  # 6 + 5 + 4 + 3 + 2, and 6 again
    (('h', 'd2', 'd3', 'd4', 'd5'), 'h', 26000)
    """
    by_group: list[list[SquadPlayer]] = [[] for _ in team_format.groups]
    for player in squad:
        group = team_format.group_of(player.position)
        if group is not None:
            by_group[group].append(player)
    for players in by_group:
        players.sort(key=lambda player: -player.points)
    best: BestLineup | None = None
    for size in range(len(team_format.starters), -1, -1):
        for counts in _formations([len(players) for players in by_group], size):
            if not team_format.takes(counts):
                continue
            lineup = _lineup(
                [
                    player
                    for n, players in zip(counts, by_group, strict=True)
                    for player in players[:n]
                ],
                {player.id: place for place, player in enumerate(squad)},
                has_captain=not team_format.is_draft,
            )
            if best is None or lineup.points > best.points:
                best = lineup
        if best is not None:
            return best
    return BestLineup((), "", 0)


def _lineup(
    chosen: Sequence[SquadPlayer], place_of: Mapping[str, int], *, has_captain: bool
) -> BestLineup:
    ordered = sorted(chosen, key=lambda player: place_of[player.id])
    captain = max(ordered, key=lambda player: player.points, default=None) if has_captain else None
    return BestLineup(
        tuple(player.id for player in ordered),
        captain.id if captain else "",
        sum(player.points for player in ordered) + (captain.points if captain else 0),
    )


def _formations(most: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Every way to take `size` players, at most so many of each group."""
    if not most:
        if size == 0:
            yield ()
        return
    for first in range(min(most[0], size), -1, -1):
        for others in _formations(most[1:], size - first):
            yield (first, *others)
