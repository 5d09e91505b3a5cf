"""One game with everything that its pages and exports are made of, now or as of a moment.

Lives here: which rows are read, from which server, and the cut. Five queries, whatever the length
of the game. Called by views and the command `export`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.db.read_replica import may_be_old
from app.core.db.repeatable_read import begin_snapshot
from app.record import asof, queries
from app.record.pages.box_score import Lines
from app.record.pages.game_page import At, at_words, players_in
from app.record.queries import DetailsRow, EventRow, GameRow, Person
from app.record.rules.team_defence import is_defence


@dataclass(frozen=True)
class Reading:
    """A game as it stands, or stood at `at`.

    `last`: the number of its last event, whatever the moment.

    `lines`: of people; what the clubs' D/STs did is said by their people's lines. `details`: as
    they are now, for they say what was so all along.
    """

    game: GameRow
    events: Sequence[EventRow]
    lines: Lines
    names: Mapping[str, str]
    people: Mapping[str, Person]
    at: At | None
    last: int
    details: DetailsRow


def read_to_take_away(game_id: str, moment: str = "") -> tuple[Reading, int] | None:
    """As `read`, maybe from a replica, and how many seconds old that is at most.

    None: there is no such game.

    Raises MomentError.
    """

    def found() -> Reading | None:
        begin_snapshot()
        game = queries.game(game_id)
        return None if game is None else read(game, moment)

    reading, age = may_be_old(found)
    if reading is None and age:
        reading, age = found(), 0  # registered since
    return None if reading is None else (reading, age)


def read(game: GameRow, moment: str = "") -> Reading:
    """The game with its events, stat lines and names. `moment`: see asof.moment; empty is now.

    Raises MomentError.
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
