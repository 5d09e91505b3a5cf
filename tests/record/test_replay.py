"""A game in one pass: after each of its plays it is the record as of that play's last event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest
from flask import Flask

from app.record import events as ev
from app.record import queries
from app.record.asof import as_of, game_as_of, line_rows
from app.record.queries import EventRow, GameRow
from app.record.replay import Moment, evening, moments
from app.record.services import store_script
from tests.record.deliveries import deliver
from tests.record.test_asof import with_corrections
from tests.record.test_properties import script
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

Lines = dict[str, Mapping[str, int]]


def recorded(game_id: str) -> tuple[GameRow, list[EventRow]]:
    game = queries.game(game_id)
    assert game is not None
    return game, queries.events(game_id)


def assert_as_of(game: GameRow, events: Sequence[EventRow], replayed: Sequence[Moment]) -> None:
    """Each moment's lines, status and score equal the record as of its last event."""
    assert replayed, "no moment"
    lines: Lines = {}
    for moment in replayed:
        for player, stats in moment.changed.items():
            assert lines.get(player) != stats, "named, but not changed"
            if stats is None:
                del lines[player]
            else:
                lines[player] = stats
        cut = as_of(events, moment.number)
        then = game_as_of(game, cut)
        whole = {player: stats for player, _, stats in line_rows(cut, (game.home.id, game.away.id))}
        assert lines == whole, moment.number
        assert moment.status == then.status
        assert (moment.home_score, moment.away_score) == (then.home_score, then.away_score), (
            moment.number
        )


@pytest.mark.parametrize("seed", [1, 2])
def test_every_play_of_a_whole_simulated_game_leaves_the_record_as_of_its_last_event(
    app: Flask, seed: int
) -> None:
    game = script(seed)
    store_script(game)
    ingest(messages([step.body for step in game.events], game.game_id))
    row, events = recorded(game.game_id)
    replayed = list(moments(row, events))
    assert_as_of(row, events, replayed)
    assert len(replayed) > 100
    assert replayed[-1].number == max(event.number for event in events)
    assert replayed[-1].status in ("ended", "final")


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.fault(6)
def test_corrections_of_corrections_are_moments_of_their_own(app: Flask, seed: int) -> None:
    store_script(script(seed))
    deliver([with_corrections(seed, Random(seed))])  # noqa: S311
    row, events = recorded(script(seed).game_id)
    replayed = list(moments(row, events))
    assert_as_of(row, events, replayed)
    corrections = {event.number for event in events if isinstance(event.body, ev.Correction)}
    assert corrections <= {moment.number for moment in replayed}


def test_a_game_that_is_cancelled_loses_its_lines_and_gets_them_back_when_that_was_a_mistake(
    app: Flask,
) -> None:
    make_game("g1")
    cancelled = ev.GameStatus(status="cancelled", reason="Lightning")
    number = len(touchdown_drive()) + 1
    bodies = [*touchdown_drive(), cancelled, ev.Nullify(events=(number,), reason="Another game")]
    ingest(messages(bodies))
    row, events = recorded("g1")
    replayed = list(moments(row, events))
    assert_as_of(row, events, replayed)
    assert replayed[-2].changed["H3"] is None
    assert replayed[-1].changed["H3"] is not None


def test_games_are_told_in_the_order_in_which_they_were_accepted(app: Flask) -> None:
    make_game("g1")
    make_game("g2")
    ingest([*messages(touchdown_drive()), *messages(touchdown_drive(), "g2")])
    games = queries.games_of(["g1", "g2"])
    events = queries.events_of({"g1": None, "g2": None})
    replayed = evening(games, events)
    times = [moment.recorded_at for moment in replayed]
    assert times == sorted(times)
    assert {moment.game_id for moment in replayed} == {"g1", "g2"}
    for game in ("g1", "g2"):
        assert_as_of(
            games[0], events[game], [moment for moment in replayed if moment.game_id == game]
        )
    assert evening(games, {}) == []
