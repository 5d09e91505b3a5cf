"""While a call is under review: the league's table if it stands, and if it is overturned.

Computed, never stored.

The record does not say beforehand what an overturned call would become. So overturned means here:
as if the play had not counted, nothing of it and nothing else. That is how it ends where the ruling
is no gain (an incomplete pass); another spot or another player comes with the corrections, and ends
the review. Several plays under review at once stand or fall together. Not here: what is under
review (record/rules/reviews.py), the arrays (swing_table.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.fantasy.scoring.swing_steps import steps_of_games
from app.fantasy.scoring.swing_table import Ground, Table, ranks, timeline
from app.record import events as ev
from app.record.asof import valid_events
from app.record.queries import EventRow, GameRow, events_of
from app.record.queries import names as names_of
from app.record.rules.reviews import plays_under_review
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import status_of
from app.record.rules.steps import Step, steps_of
from app.record.rules.team_defence import Clubs, all_credits, all_lines, has_begun
from app.record.words import sentence

ROWS = 12


@dataclass(frozen=True)
class Reviewed:
    """A play under review: its sentences, and the review's own (who asked, and why)."""

    game_id: str
    play_number: int
    words: tuple[str, ...]
    review: str


@dataclass(frozen=True)
class Row:
    """A team whose points or rank hang on the ruling. Points are thousandths."""

    member_id: int
    name: str
    stands: int
    stands_rank: int
    overturned: int
    overturned_rank: int


@dataclass(frozen=True)
class Balance:
    """`rows`: the viewer's team first, then those that would lose or win most (ties by rank, name,
    member), ROWS at most; `differ`: how many teams there are whose points or rank differ.
    """

    plays: tuple[Reviewed, ...]
    rows: tuple[Row, ...]
    differ: int

    @property
    def rest(self) -> int:
        return self.differ - len(self.rows)

    @property
    def if_it_stands(self) -> list[Row]:
        """As the table has them; the viewer's own not above the others."""
        return sorted(self.rows, key=lambda row: (row.stands_rank, row.name, row.member_id))

    @property
    def if_overturned(self) -> list[Row]:
        return sorted(self.rows, key=lambda row: (row.overturned_rank, row.name, row.member_id))


def is_reviewed(games: Sequence[GameRow]) -> bool:
    """Whether a play of these games is under review."""
    return any(game.state.get("under_review") for game in games)


def balance(ground: Ground, me: int) -> Balance | None:
    """Both tables; None when nothing of the league's games is under review."""
    reviewed = [game for game in ground.games if game.state.get("under_review")]
    events = events_of({game.id: None for game in reviewed})
    plays = {
        game.id: plays_under_review(valid_events(events.get(game.id, []))) for game in reviewed
    }
    if not any(plays.values()):
        return None
    # Of a game under review steps and plays come from one look at its events: between two of them
    # there may be more.
    steps = steps_of_games([game for game in ground.games if game not in reviewed])
    steps += [steps_of(game.id, events.get(game.id, []), _clubs(game)) for game in reviewed]
    table = Table(ground)
    for step in timeline(steps):
        table.go_on(step)
    stands = table.scores()
    for game in reviewed:
        table.go_on(_without(game, events.get(game.id, []), plays[game.id]))
    overturned = table.scores()
    stands_rank, overturned_rank = ranks(stands), ranks(overturned)
    differ = np.flatnonzero((stands != overturned) | (stands_rank != overturned_rank)).tolist()
    mine = ground.place_of(me)
    order = sorted(
        differ,
        key=lambda place: (
            place != mine,
            -abs(int(stands[place] - overturned[place])),
            int(stands_rank[place]),
            ground.teams[place].name,
            place,
        ),
    )[:ROWS]
    rows = tuple(
        Row(
            ground.teams[place].member_id,
            ground.teams[place].name,
            int(stands[place]),
            int(stands_rank[place]),
            int(overturned[place]),
            int(overturned_rank[place]),
        )
        for place in order
    )
    return Balance(_told(events, plays), rows, len(differ))


def _clubs(game: GameRow) -> Clubs:
    return game.home.id, game.away.id


def _without(game: GameRow, events: Sequence[EventRow], plays: Sequence[int]) -> Step:
    """The step that takes these plays away."""
    standing = valid_events(events)
    status = status_of(standing)
    counted: list[Numbered] = [] if status == "cancelled" else standing
    begun, clubs = has_begun(counted), _clubs(game)
    before = all_lines(all_credits(counted, clubs), clubs, has_begun=begun)
    after = all_lines(
        all_credits((one for one in counted if one[1] not in plays), clubs), clubs, has_begun=begun
    )
    changed = [
        player
        for player, line in before.items()
        if player not in after or after[player].stats != line.stats
    ]
    number = max((row.number for row in events), default=0)
    return Step(
        game.id,
        "correction",
        plays[0] if plays else 0,
        number,
        number,
        0,
        (),
        {player: before[player].stats for player in changed},
        {player: after[player].stats if player in after else {} for player in changed},
        status,
        status,
    )


def _told(events: dict[str, list[EventRow]], plays: dict[str, list[int]]) -> tuple[Reviewed, ...]:
    found = [
        (
            game_id,
            play,
            [row.body for row in events[game_id] if row.play_number == play and row.valid],
        )
        for game_id, numbers in plays.items()
        for play in numbers
    ]
    names = names_of(
        {player for *_, bodies in found for body in bodies for player in ev.players_of(body)}
    )
    told = []
    for game_id, play, bodies in found:
        reviews = [body for body in bodies if isinstance(body, ev.Challenge)]
        words = tuple(sentence(body, names) for body in bodies if body.part == "action")
        told.append(Reviewed(game_id, play, words, sentence(reviews[-1], names)))
    return tuple(told)
