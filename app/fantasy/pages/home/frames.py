"""A replayed gameweek in a few pictures of its table, for visitors. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.accounts.rules import initials
from app.fantasy.amounts import decimal_points, signed_points
from app.fantasy.pages.replay.page import Film, Play

FRAMES = 24
ROWS = 6


@dataclass(frozen=True)
class FrameRow:
    """A team after a play.

    `team`: its index in the film; `points`: those of the gameweek; `gained`: by how much the play
    changed them, empty if it did not.
    """

    team: int
    name: str
    rank: int
    points: str
    gained: str


@dataclass(frozen=True)
class ShownPlay:
    """The play that a table shows with itself."""

    game_id: str
    play_number: int
    where: str
    words: str


@dataclass(frozen=True)
class Frame:
    """The first ROWS teams after a play, by rank, then as in the film."""

    play: ShownPlay
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
    gains: dict[int, int] = {}
    for play in film.plays:
        gains = {team: points - table[team][0] for team, points, _ in play.changed}
        if not play.changed:
            continue
        table |= {team: (points, rank) for team, points, rank in play.changed}
        after = _order(film, table)
        if after != before:
            turns.append(_frame(film, play, table, after, gains))
            before = after
    last = _frame(film, film.plays[-1], table, _order(film, table), gains)
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


def as_json(replayed: Sequence[Frame], link: Callable[[ShownPlay], str]) -> list[list[object]]:
    """What static/js/front/replay.js plays: the play with its `link`, and the cells of each row."""
    return [
        [
            link(frame.play),
            frame.play.where,
            frame.play.words,
            [[row.team, row.name, row.rank, row.points, row.gained] for row in frame.rows],
        ]
        for frame in replayed
    ]


def _order(film: Film, table: Mapping[int, tuple[int, int]]) -> list[int]:
    ranked = (team for team in table if film.teams[team].ranked)
    return sorted(ranked, key=lambda team: (table[team][1], team))[:ROWS]


def _frame(
    film: Film,
    play: Play,
    table: Mapping[int, tuple[int, int]],
    order: Sequence[int],
    gains: Mapping[int, int],
) -> Frame:
    rows = [
        FrameRow(
            team,
            public_name(film.teams[team].team_name, film.teams[team].display_name),
            table[team][1],
            decimal_points(table[team][0]),
            signed_points(gains[team]) if gains.get(team) else "",
        )
        for team in order
    ]
    words = play.turning_words or play.words
    return Frame(ShownPlay(play.game_id, play.play_number, play.where, words), tuple(rows))


def _spread(turns: Sequence[Frame], most: int) -> list[Frame]:
    """At most so many of them, at equal distances."""
    if len(turns) <= most:
        return list(turns)
    return [turns[number * len(turns) // most] for number in range(most)]
