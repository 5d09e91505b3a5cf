"""A replayed gameweek in a few pictures of its table, for visitors. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.accounts.rules import initials
from app.fantasy.amounts import decimal_points
from app.fantasy.pages.replay.page import Film, Play

FRAMES = 24
ROWS = 8


@dataclass(frozen=True)
class FrameRow:
    """A team after a play. `team`: its index in the film; `points`: those of the gameweek."""

    team: int
    name: str
    rank: int
    points: str


@dataclass(frozen=True)
class Frame:
    """The first ROWS teams after a play, by rank, then as in the film."""

    where: str
    words: str
    rows: tuple[FrameRow, ...]


def frames(film: Film) -> list[Frame]:
    """The tables after at most FRAMES plays that changed who is where among the first ROWS.

    The first is that after the first play that counts, and they are spread over the gameweek. The
    last one is the table as it is now; without a play there
    is none.
    """
    if not film.plays:
        return []
    table = dict(enumerate(film.start))
    turns: list[Frame] = []
    before: list[int] = []  # so that the first play that counts is a frame
    for play in film.plays:
        if not play.changed:
            continue
        table |= {team: (points, rank) for team, points, rank in play.changed}
        after = _order(film, table)
        if after != before:
            turns.append(_frame(film, play, table, after))
            before = after
    last = _frame(film, film.plays[-1], table, _order(film, table))
    if turns and turns[-1] == last:
        turns.pop()
    return [*_spread(turns, FRAMES - 1), last]


def public_name(team_name: str, display_name: str) -> str:
    """The team's name for visitors, without that of its member.

    >>> public_name("Ann's Eleven", "Ann Abara"), public_name("Ann Abara", "Ann Abara")
    ("Ann's Eleven", 'Team AA')
    """
    is_named_so = team_name.casefold() == display_name.casefold()
    return f"Team {initials(display_name)}" if is_named_so else team_name


def as_json(replayed: Sequence[Frame]) -> list[list[object]]:
    """What static/js/front/replay.js plays: sentences and rows of [team, name, rank, points]."""
    return [
        [
            frame.where,
            frame.words,
            [[row.team, row.name, row.rank, row.points] for row in frame.rows],
        ]
        for frame in replayed
    ]


def _order(film: Film, table: Mapping[int, tuple[int, int]]) -> list[int]:
    ranked = (team for team in table if film.teams[team].ranked)
    return sorted(ranked, key=lambda team: (table[team][1], team))[:ROWS]


def _frame(
    film: Film, play: Play, table: Mapping[int, tuple[int, int]], order: Sequence[int]
) -> Frame:
    rows = [
        FrameRow(
            team,
            public_name(film.teams[team].team_name, film.teams[team].display_name),
            table[team][1],
            decimal_points(table[team][0]),
        )
        for team in order
    ]
    return Frame(play.where, play.words, tuple(rows))


def _spread(turns: Sequence[Frame], most: int) -> list[Frame]:
    """At most so many of them, at equal distances."""
    if len(turns) <= most:
        return list(turns)
    return [turns[number * len(turns) // most] for number in range(most)]
