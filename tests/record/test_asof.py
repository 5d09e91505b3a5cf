"""The record as of event N is the record that the first N events make.

And moments as people write them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st

from app.demo.seed import simulated_game
from app.record import events as ev
from app.record import queries
from app.record.asof import (
    Clock,
    Instant,
    MomentError,
    as_of,
    game_as_of,
    line_rows,
    moment,
    number_at,
    valid_events,
)
from app.record.pages.box_score import box_score
from app.record.pages.game_page import game_page, players_in
from app.record.script import GameScript
from app.record.services import store_script
from app.stream.messages import Message
from tests.record.deliveries import deliver, forget, wrong
from tests.record.test_properties import CASES, EVENTS, SEEDS, beginning, script
from tests.sizes import size
from tests.worlds.games import KICKOFF, ingest, make_game, messages, touchdown_drive

SAMPLE = 4


@pytest.fixture
def _games(app: Flask) -> None:
    for seed in SEEDS:
        store_script(script(seed))


def with_corrections(seed: int, random: Random) -> list[Message]:
    """The beginning of a game with wrong entries, overturned up to three times, one nullified."""
    bodies = beginning(seed)
    plain = [place for place, body in enumerate(bodies) if not isinstance(body, ev.Correction)]
    entered, later = list(bodies), []
    for place in random.sample(plain, 15):
        mistaken = wrong(bodies[place], random)
        if mistaken is None:
            continue
        entered[place] = mistaken
        later += [
            ev.Overturn(event=place + 1, ruling=ruling)
            for ruling in [mistaken] * random.randrange(2)
        ]
        later.append(
            random.choice([ev.Overturn, ev.StatCorrection])(event=place + 1, ruling=bodies[place])
        )
    later.append(ev.Nullify(events=tuple(sorted(random.sample(range(1, len(entered) + 1), 3)))))
    random.shuffle(later)
    return messages([*entered, *later], script(seed).game_id)


def interesting(batch: list[Message], random: Random) -> list[int]:
    """Some event numbers.

    Right before and right after corrections, the first, the last, and any.
    """
    corrections = [
        n
        for n, message in enumerate(batch, start=1)
        if isinstance(ev.decode(message.value).body, ev.Correction)
    ]
    beside = [n + step for n in corrections for step in (-1, 0)]
    return sorted(
        {1, len(batch), *random.sample(beside, min(SAMPLE, len(beside))), random.randint(1, EVENTS)}
    )


def shown(game: queries.GameRow, events: list[queries.EventRow]) -> dict[str, Any]:
    """Everything that the pages show of these events."""
    lines = line_rows(events, (game.home.id, game.away.id))
    names = queries.names(players_in(events, lines))
    return {
        "events": [replace(row, recorded_at=0) for row in events],
        "lines": lines,
        "page": game_page(game, events, names, lines),
        "box": box_score(game, valid_events(events), lines, names),
    }


@pytest.mark.sized
@settings(CASES, max_examples=size("PRESSBOX_AS_OF_CASES", 3, 8))
@pytest.mark.usefixtures("_games")
@given(seed=st.sampled_from(SEEDS), randomness=st.randoms(use_true_random=False))
def test_the_record_as_of_an_event_is_what_the_events_up_to_it_make(
    seed: int, randomness: Random
) -> None:
    game_id = script(seed).game_id
    batch = with_corrections(seed, randomness)
    forget()
    deliver([batch])
    everything = queries.events(game_id)
    game = queries.game(game_id)
    assert game is not None
    numbers = interesting(batch, randomness)
    forget()
    for done, number in pairwise([0, *numbers]):
        deliver([batch[done:number]])
        cut = as_of(everything, number)
        then, fresh = game_as_of(game, cut), queries.game(game_id)
        assert fresh is not None
        assert replace(then, version=0) == replace(fresh, version=0), number
        assert shown(then, cut) == shown(
            replace(fresh, version=then.version), queries.events(game_id)
        ), number
        assert line_rows(cut, (then.home.id, then.away.id)) == queries.stat_lines(game_id), number


def test_a_whole_simulated_game_at_the_edges_of_every_correction(app: Flask) -> None:
    game: GameScript = simulated_game(4, KICKOFF)
    store_script(game)
    batch = messages([step.body for step in game.events], game.game_id)
    edges = {
        n + step
        for n, entered in enumerate(game.events, start=1)
        if isinstance(entered.body, ev.Correction)
        for step in (-1, 0)
    }
    assert len(edges) >= 6
    ingest(batch)
    everything, row = queries.events(game.game_id), queries.game(game.game_id)
    assert row is not None
    at = {number: as_of(everything, number) for number in edges}
    forget()
    done = 0
    for number in sorted(edges):
        ingest(batch[done:number])
        done = number
        fresh = queries.game(game.game_id)
        assert fresh is not None
        assert replace(game_as_of(row, at[number]), version=0) == replace(fresh, version=0)
        assert line_rows(at[number], (row.home.id, row.away.id)) == queries.stat_lines(game.game_id)


def rows(bodies: list[ev.Body]) -> list[queries.EventRow]:
    """These bodies as rows, accepted a second apart."""
    event_rows, play = [], 0
    for number, body in enumerate(bodies, start=1):
        play += isinstance(body, ev.Snap)
        event_rows.append(
            queries.EventRow(number, 0, play, True, body, None, 1_789_000_000_000 + number * 1000)
        )
    return event_rows


@pytest.mark.parametrize(
    ("at", "number"),
    [
        (0, 0),
        (6, 6),
        (11, 11),
        (400, 11),
        (Clock(1, 900), 6),  # kickoff, fair catch and the run that began with 15:00 on the clock
        (Clock(1, 871), 6),
        (Clock(1, 870), 9),
        (Clock(1, 0), 11),
        (Clock(4, 0), 11),
        (Instant(1_789_000_000_999), 0),
        (Instant(1_789_000_006_000), 6),
        (Instant(1_800_000_000_000), 11),
    ],
)
def test_a_moment_is_the_last_event_at_or_before_it(at: Any, number: int) -> None:
    assert number_at(rows(touchdown_drive()), at) == number


def test_no_moment_of_nothing() -> None:
    assert [number_at([], at) for at in (5, Clock(1, 0), Instant(1))] == [0, 0, 0]


def test_the_end_of_a_quarter_comes_before_the_next_one() -> None:
    bodies = [ev.Period(period=2, phase="end"), ev.Period(period=3, phase="start")]
    assert number_at(rows(bodies), Clock(2, 0)) == 1
    assert number_at(rows(bodies), Clock(3, 900)) == 2


def test_a_corrected_clock_counts_as_it_stands_now(app: Flask) -> None:
    make_game()
    late = ev.Snap(possession="HRB", spot=25, period=3, clock=100, down=1, distance=10)
    right = ev.Snap(possession="HRB", spot=25, period=1, clock=500, down=1, distance=10)
    ingest(messages([late, ev.Timeout(), ev.Overturn(event=1, ruling=right)]))
    assert number_at(queries.events("g1"), Clock(1, 400)) == 3


@pytest.mark.parametrize(
    "text", ["", "Q5-1:00", "Q2", "Q2-15:01", "12:31", "-1", "1e3", "2026-09-13", "٣"]
)
def test_what_is_no_moment_is_refused_with_the_ways_to_write_one(text: str) -> None:
    with pytest.raises(MomentError, match=r"^at: .* is not a valid moment. Enter an event number"):
        moment(text)
