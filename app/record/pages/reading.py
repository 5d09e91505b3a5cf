"""Loads a game with everything that its pages and exports show, now or as of a moment.

This takes five queries, whatever the length of the game. Used by the views and `pressbox export`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.db.read_replica import may_be_old
from app.core.db.repeatable_read import begin_snapshot
from app.record import asof, queries
from app.record.pages.box_score import Lines
from app.record.pages.game_page import At, at_words, players_in
from app.record.queries import ClubPlayer, DetailsRow, EventRow, GameRow
from app.record.rules.team_defence import is_defence


@dataclass(frozen=True)
class Reading:
    """A game as it stands, or stood at `at`.

    `last`: the number of its last event, whatever the moment. `lines`: of people only, because the
    lines of D/STs repeat them. `details`: the current ones at any moment, because they do not
    change in the course of a game.
    """

    game: GameRow
    events: Sequence[EventRow]
    lines: Lines
    names: Mapping[str, str]
    people: Mapping[str, ClubPlayer]
    at: At | None
    last: int
    details: DetailsRow


def read_to_take_away(game_id: str, moment: str = "") -> tuple[Reading, int] | None:
    """As `read`, maybe from a replica, with the greatest possible age in seconds.

    Returns:
        None if there is no such game.

    Raises:
        MomentError: The moment is not understood or does not exist.
    """

    def read_game() -> Reading | None:
        begin_snapshot()
        game = queries.game(game_id)
        return None if game is None else read(game, moment)

    reading, age = may_be_old(read_game)
    if reading is None and age:
        reading, age = read_game(), 0  # the replica may lag behind its registration
    return None if reading is None else (reading, age)


def read(game: GameRow, moment: str = "") -> Reading:
    """The game with its events, stat lines and names. `moment`: see asof.moment; empty is now.

    Raises:
        MomentError: The moment is not understood or does not exist.
    """
    events, at = queries.events(game.id), None
    last = max((event.number for event in events), default=0)
    if moment:
        number = asof.number_at(events, asof.moment(moment))
        events = asof.as_of(events, number)
        game = asof.game_as_of(game, events)
        at = at_words(game, number)
    lines = (
        queries.stat_lines(game.id)
        if at is None
        else asof.line_rows(events, (game.home.id, game.away.id))
    )
    lines = [line for line in lines if not is_defence(line[0])]
    people = queries.people(players_in(events, lines))
    names = {player: person.name for player, person in people.items()}
    return Reading(game, events, lines, names, people, at, last, queries.details(game.id))
