"""A league's table if a call under review stands, and if it is overturned. Computed, never stored.

The record does not say beforehand what an overturned call would become. Overturned therefore means
here that the play does not count at all. That is right if the ruling is no gain (an incomplete
pass); another spot or another player comes with the corrections, which end the review. Several
plays under review at once stand or fall together. What is under review is in
record/rules/reviews.py, the totals are in engine/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.fantasy.scoring.league_gameweek import LeagueGameweek
from app.fantasy.scoring.swings.steps import clubs_of, latest_states
from app.fantasy.scoring.timeline import Timeline, dense_ranks
from app.record import events as ev
from app.record.asof import valid_events
from app.record.play_sentence import play_sentences, surnames
from app.record.queries import EventRow, GameRow, events_of
from app.record.queries import names as names_of
from app.record.rules.reviews import plays_under_review
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import Status, status_of
from app.record.rules.steps import Stats
from app.record.rules.team_defence import Clubs, all_credits, all_lines, has_begun
from app.record.words import sentence

ROWS = 12


@dataclass(frozen=True)
class Reviewed:
    """A play under review: its sentences, and the sentence of the review (who asked, and why)."""

    game_id: str
    play_number: int
    words: tuple[str, ...]
    review: str


@dataclass(frozen=True)
class Row:
    """A team whose points (in thousandths) or rank depend on the ruling."""

    member_id: int
    name: str
    stands: int
    stands_rank: int
    overturned: int
    overturned_rank: int


@dataclass(frozen=True)
class Balance:
    """Both outcomes of the plays under review.

    Attributes:
        plays: The plays under review.
        rows: At most ROWS teams: the viewer's first, then those that would lose or win most (ties
            by rank, name, member).
        differ: How many teams there are whose points or rank depend on the ruling.
    """

    plays: tuple[Reviewed, ...]
    rows: tuple[Row, ...]
    differ: int

    @property
    def rest(self) -> int:
        """How many teams there are besides the rows."""
        return self.differ - len(self.rows)

    @property
    def if_it_stands(self) -> list[Row]:
        """The rows in the order of the table if the call stands."""
        return sorted(self.rows, key=lambda row: (row.stands_rank, row.name, row.member_id))

    @property
    def if_overturned(self) -> list[Row]:
        """The rows in the order of the table if the call is overturned."""
        return sorted(self.rows, key=lambda row: (row.overturned_rank, row.name, row.member_id))

    def seen_by(self, own_row: Row | None) -> Balance:
        """The same for a viewer whose row is `own_row`, or who has none."""
        if own_row is None:
            return self
        others = [row for row in self.rows if row.member_id != own_row.member_id]
        return replace(self, rows=(own_row, *others)[:ROWS])


def is_reviewed(games: Sequence[GameRow]) -> bool:
    """Whether a play of these games is under review."""
    return any(game.state.get("under_review") for game in games)


def balance_of_all(gameweek: LeagueGameweek) -> tuple[Balance | None, dict[int, Row]]:
    """Work out both tables for all viewers.

    Returns:
        The tables as somebody without a team sees them, None if no play of the league is under
        review; and the row of each member whose team depends on the ruling.
    """
    reviewed = [game for game in gameweek.games if game.state.get("under_review")]
    events = events_of({game.id: None for game in reviewed})
    plays = {
        game.id: plays_under_review(valid_events(events.get(game.id, []))) for game in reviewed
    }
    if not any(plays.values()):
        return None, {}
    timeline = Timeline(gameweek)
    others = [game for game in gameweek.games if game.id not in plays]
    for game_id, state in latest_states(others).items():
        timeline.take(game_id, state.lines, state.status)
    outcomes = [_outcomes(game, events.get(game.id, []), plays[game.id]) for game in reviewed]
    for outcome in outcomes:
        timeline.take(outcome.game_id, outcome.stands, outcome.status)
    stands = timeline.totals()
    for outcome in outcomes:
        timeline.take(outcome.game_id, outcome.overturned, outcome.status)
    overturned = timeline.totals()
    stands_rank, overturned_rank = dense_ranks(stands), dense_ranks(overturned)
    differ = np.flatnonzero((stands != overturned) | (stands_rank != overturned_rank)).tolist()
    order = sorted(
        differ,
        key=lambda team: (
            -abs(int(stands[team] - overturned[team])),
            int(stands_rank[team]),
            gameweek.teams[team].name,
            team,
        ),
    )
    rows = [
        Row(
            gameweek.teams[team].member_id,
            gameweek.teams[team].name,
            int(stands[team]),
            int(stands_rank[team]),
            int(overturned[team]),
            int(overturned_rank[team]),
        )
        for team in order
    ]
    clubs = {game.id: clubs_of(game) for game in reviewed}
    of_all = Balance(_reviewed(events, plays, clubs), tuple(rows[:ROWS]), len(differ))
    return of_all, {row.member_id: row for row in rows}


@dataclass(frozen=True)
class _Outcomes:
    """Both outcomes for a game: every stat line if the call stands, and what changes if not."""

    game_id: str
    status: Status
    stands: Mapping[str, Stats]
    overturned: Mapping[str, Stats]


def _outcomes(game: GameRow, events: Sequence[EventRow], plays: Sequence[int]) -> _Outcomes:
    """Both outcomes of these plays, from the same events."""
    standing = valid_events(events)
    status = status_of(standing)
    counted: list[Numbered] = [] if status == "cancelled" else standing
    begun, clubs = has_begun(counted), clubs_of(game)
    before = all_lines(all_credits(counted, clubs), clubs, has_begun=begun)
    remaining = (event for event in counted if event[1] not in plays)
    after = all_lines(all_credits(remaining, clubs), clubs, has_begun=begun)
    stands = {player: line.stats for player, line in before.items()}
    overturned = {player: after[player].stats if player in after else {} for player in before}
    changed = {player: stats for player, stats in overturned.items() if stats != stands[player]}
    return _Outcomes(game.id, status, stands, changed)


def _reviewed(
    events: dict[str, list[EventRow]], plays: dict[str, list[int]], clubs: dict[str, Clubs]
) -> tuple[Reviewed, ...]:
    bodies_of_plays = [
        (
            game_id,
            play,
            [row.body for row in events[game_id] if row.play_number == play and row.valid],
        )
        for game_id, numbers in plays.items()
        for play in numbers
    ]
    names = surnames(
        names_of(
            {
                player
                for *_, bodies in bodies_of_plays
                for body in bodies
                for player in ev.players_of(body)
            }
        )
    )
    plays_reviewed = []
    for game_id, play, bodies in bodies_of_plays:
        reviews = [body for body in bodies if isinstance(body, ev.Challenge)]
        ball = [body for body in bodies if body.part in ("action", "credit")]
        words = tuple(map(str, play_sentences(ball, names, clubs[game_id])))
        plays_reviewed.append(Reviewed(game_id, play, words, sentence(reviews[-1], names)))
    return tuple(plays_reviewed)
