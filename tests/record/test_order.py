"""The order of a game.

A play or an event that was entered late counts where it was put, everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from random import Random
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from app.core.db import db
from app.demo.seed import simulated_game
from app.record import events as ev
from app.record.asof import Clock, as_of, line_rows, number_at, valid_events
from app.record.named_queries import passing_yards_by_player, rushing_yards_by_player, touchdowns
from app.record.pages.play_list import plays_of
from app.record.queries import events as rows_of
from app.record.queries import game as game_row
from app.record.rules.drives import drives, snapped, time_of_possession
from app.record.rules.order import Numbered, in_order
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.rules.state import game_state, scoring_plays
from app.record.script import GameScript
from app.record.services import store_script
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from scorer_console.record.effective_events import effective_events
from tests.record.deliveries import cut, deliver, forget, mixed, standing_of
from tests.sizes import size
from tests.worlds.games import game_events, make_game, messages, touchdown_drive
from tests.worlds.misordered_game import entered_out_of_order, told

CLUBS = ("HRB", "SUM")
CASES = settings(
    max_examples=size("PRESSBOX_PROPERTY_CASES", 5, 30),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),  # a game of 200 events is not made smaller by trying
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
EVENTS = 200


def numbered(events: list[ev.GameEvent]) -> list[Numbered]:
    return [
        (event.event_number, event.play_number, event.body) for event in effective_events(events)
    ]


def test_events_without_a_place_stand_at_their_numbers() -> None:
    events = numbered(game_events(touchdown_drive()))
    assert in_order(reversed(events)) == events


def test_a_forgotten_play_stands_where_it_was_put() -> None:
    first, second = (
        ev.Snap(possession="HRB", spot=25, period=1, clock=clock, down=1, distance=10)
        for clock in (900, 800)
    )
    forgotten = ev.Snap(
        possession="HRB", spot=30, period=1, clock=850, down=2, distance=5, play_place=1.5
    )
    run = ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=35)
    events: list[Numbered] = [(1, 1, first), (2, 2, second), (3, 3, forgotten), (4, 3, run)]
    assert [number for number, *_ in in_order(events)] == [1, 3, 4, 2]
    state = game_state(events, *CLUBS)
    assert (state.clock, state.spot, state.play_number, state.last_event_number) == (800, 25, 3, 4)


def test_a_lateral_keeps_its_touchdown_when_the_pass_before_it_is_entered_anew() -> None:
    """The replacement is numbered behind the lateral.

    At its own number it would have taken the points away.
    """
    snap = ev.Snap(possession="HRB", spot=25, period=1, clock=900, down=1, distance=10)
    lateral = ev.Run(
        team="HRB",
        player="H3",
        kind="after_lateral",
        start_yard=40,
        end_yard=100,
        is_touchdown=True,
    )
    anew = ev.Pass(
        team="HRB",
        passer="H1",
        receiver="H2",
        result="complete",
        throw_yard=25,
        reception_yard=40,
        place=2,
    )
    lines = stat_lines(game_credits([(1, 1, snap), (3, 1, lateral), (4, 1, anew)]))
    assert lines["H1"].stats["passing_tds"] == 1
    assert lines["H3"].stats == {"receiving_yards": 60, "receiving_tds": 1}


@cache
def script(seed: int) -> GameScript:
    return simulated_game(seed, datetime(2026, 9, 13, tzinfo=UTC))


def played(seed: int) -> list[Numbered]:
    """What stands of a simulated game's first events, with numbers and plays as if entered so.

    Without its reviews, which follow the order of knowledge.
    """
    standing = standing_of([step.body for step in script(seed).events[:EVENTS]])
    return [event for event in standing if not isinstance(event[2], ev.Challenge)]


def course(standing: list[Numbered], clubs: tuple[str, str]) -> dict[str, Any]:
    """What a game amounts to, without its numbers."""
    plays = snapped(standing)
    state = game_state(standing, *clubs)
    return {
        "told": told(in_order(standing)),
        "lines": stat_lines(game_credits(standing)),
        "scores": [
            replace(play, event_number=0, play_number=0) for play in scoring_plays(standing)
        ],
        "drives": [
            replace(drive, number=0, first_play=0, last_play=0)
            for drive in drives(plays, is_over=False)
        ],
        "possession": time_of_possession(plays, clubs, is_over=False),
        "state": replace(state, play_number=0, last_event_number=0),
    }


@CASES
@given(seed=st.sampled_from((1, 2, 3)), randomness=st.randoms(use_true_random=True))
def test_a_game_entered_in_any_order_is_the_game_that_was_played(
    seed: int, randomness: Random
) -> None:
    clubs = (script(seed).home.id, script(seed).away.id)
    expected = played(seed)
    entered = numbered(entered_out_of_order(expected, randomness, "g"))
    assert course(entered, clubs) == course(in_order(expected), clubs)


_TABLES = {
    "stat_lines": "SELECT (to_jsonb(t))::text FROM stat_lines t ORDER BY 1",
    "player_points": "SELECT (to_jsonb(t))::text FROM player_points t ORDER BY 1",
    "state": (
        "SELECT (state - 'play_number' - 'last_event_number')::text FROM game_states t ORDER BY 1"
    ),
    "ledger": "SELECT player_id || stat || sum(amount) FROM ledger WHERE closed_at IS NULL GROUP "
    "BY "
    "player_id, stat"
    " ORDER BY 1",
}


def tables(game: str) -> dict[str, list[Any]]:
    contents = {
        name: list(db.session.scalars(text(statement))) for name, statement in _TABLES.items()
    }
    contents["named"] = [
        rushing_yards_by_player(game),
        passing_yards_by_player(game),
        [
            (touchdown.scorer_id, touchdown.passer_id, touchdown.clock)
            for touchdown in touchdowns(game)
        ],
    ]
    return contents


def sent(events: list[ev.GameEvent], game: str) -> list[Message]:
    return [
        Message(GAME_EVENTS.name, 0, event.event_number - 1, game, ev.encode(event))
        for event in events
    ]


@pytest.mark.sized
@CASES
@given(seed=st.sampled_from((1, 2)), randomness=st.randoms(use_true_random=True))
def test_the_tables_are_those_of_the_game_entered_in_order(
    app: Flask, seed: int, randomness: Random
) -> None:
    """Messages doubled, mixed and cut besides."""
    game = script(seed).game_id
    store_script(script(seed))
    forget()
    plain = [
        ev.GameEvent(game_id=game, event_number=n, play_number=p, epoch=1, recorded_at=1, body=b)
        for n, p, b in played(seed)
    ]
    deliver([sent(plain, game)])
    expected = tables(game)
    forget()
    events = sent(entered_out_of_order(played(seed), randomness, game), game)
    deliver(cut(mixed(events, randomness), randomness))
    assert tables(game) == expected


@pytest.fixture
def forgotten(app: Flask) -> list[ev.Body]:
    """A drive of which the run was forgotten.

    Entered last of all, as play 4, between plays 1 and 2.
    """
    make_game()
    drive = touchdown_drive()
    snap, run = drive[4:6]
    assert isinstance(snap, ev.Snap)
    late = ev.Snap(
        possession=snap.possession,
        spot=25,
        period=1,
        clock=900,
        down=1,
        distance=10,
        play_place=1.5,
    )
    return [*drive[:4], *drive[6:], late, run]


def test_pages_show_a_forgotten_play_in_its_place(forgotten: list[ev.Body]) -> None:
    deliver([messages(forgotten)])
    rows, game = rows_of("g1"), game_row("g1")
    assert game is not None
    order = [play.number for play in plays_of(rows, {}, game) if play.situation][::-1]
    assert order == [1, 4, 2, 3]
    (drive,) = drives(snapped(valid_events(rows)), is_over=False)
    assert (drive.plays, drive.start_yard, drive.first_play, drive.last_play) == (2, 25, 4, 2)
    assert game.state["clock"] == 860
    assert (game.home_score, game.state["last_event_number"]) == (7, 11)


def test_as_of_an_event_the_record_knows_no_play_that_came_later(forgotten: list[ev.Body]) -> None:
    deliver([messages(forgotten)])
    rows = rows_of("g1")
    before = {player for player, *_ in line_rows(as_of(rows, 9), CLUBS)}
    after = {player for player, *_ in line_rows(rows, CLUBS)}
    assert after - before == {"H3"}
    # not the forgotten play, which was entered after the touchdown
    assert number_at(rows, Clock(1, 900)) == 4
    assert number_at(rows, Clock(1, 0)) == 11


def test_a_struck_out_play_keeps_its_place_on_the_page(forgotten: list[ev.Body]) -> None:
    deliver([messages([*forgotten, ev.Nullify(events=(10, 11))])])
    game = game_row("g1")
    assert game is not None
    plays = plays_of(rows_of("g1"), {}, game)[::-1]
    numbers = [play.number for play in plays]
    assert numbers.index(1) < numbers.index(4) < numbers.index(2)


def test_a_catch_on_the_own_goal_line_ends_there() -> None:
    snap = ev.Snap(possession="HRB", spot=4, period=1, clock=600, down=1, distance=10)
    caught = ev.Pass(team="HRB", result="complete", throw_yard=4, reception_yard=0)
    (play,) = snapped([(1, 1, snap), (2, 1, caught)])
    assert play.end_yard == 0
