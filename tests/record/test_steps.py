"""A game's steps are its record.

After each of them the stat lines are those of the record as of then; a game that is continued has
the same ones.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from app.record import events as ev
from app.record.asof import as_of, line_rows, valid_events
from app.record.queries import EventRow
from app.record.rules.state import status_of
from app.record.rules.steps import (
    BEFORE_THE_GAME,
    Step,
    continue_game,
    may_continue,
    steps_of,
)
from tests.sizes import size
from tests.worlds.games import game_events, touchdown_drive
from tests.worlds.simulated_games import play

CLUBS = ("HRB", "SUM")
SEEDS = range(size("STEP_GAMES", 3, 40))


def rows_of(events: list[ev.GameEvent]) -> list[EventRow]:
    """All revisions, as the record has them once every event is in."""
    event_rows: list[EventRow] = []
    corrections = {
        event.event_number: event.body for event in events if isinstance(event.body, ev.Correction)
    }
    plays = {event.event_number: event.play_number for event in events}

    def row(number: int, revision: int, body: ev.Body, at: int) -> EventRow:
        later = [
            n
            for n, correction in corrections.items()
            if n > revision and number in correction.targets
        ]
        return EventRow(
            number, revision, plays[number], not later, body, min(later, default=None), at
        )

    for event in events:
        event_rows.append(row(event.event_number, 0, event.body, event.recorded_at))
        if isinstance(event.body, ev.Overturn | ev.StatCorrection):
            event_rows.append(
                row(event.body.event, event.event_number, event.body.ruling, event.recorded_at)
            )
    return event_rows


def drive(*later: ev.Body) -> list[Step]:
    return steps_of("g1", rows_of(game_events([*touchdown_drive(), *later])), CLUBS)


@pytest.mark.sized
@pytest.mark.parametrize("seed", SEEDS)
def test_after_every_step_the_lines_and_the_status_are_those_of_the_record_as_of_then(
    seed: int,
) -> None:
    game, random = play(seed), Random(seed)  # noqa: S311
    bodies = [step.body for step in game.events]
    late = [n for n, body in enumerate(bodies, 1) if isinstance(body, ev.Run | ev.Pass | ev.Tackle)]
    bodies += [ev.Nullify(events=(number,)) for number in random.sample(late, 5)]
    rows = rows_of(game_events(bodies, game.game_id))
    clubs = (game.home.id, game.away.id)
    lines: dict[str, dict[str, int]] = {}
    steps = steps_of(game.game_id, rows, clubs)
    for step in steps:
        assert all(lines.get(player, {}) == before for player, before in step.before.items()), (
            step.number
        )
        lines |= {player: dict(after) for player, after in step.after.items()}
        then = as_of(rows, step.number)
        assert {player: line for player, line in lines.items() if line} == {
            player: stats for player, _, stats in line_rows(then, clubs) if stats
        }, step.number
        assert step.status == status_of(valid_events(then))
    assert len({step.play_number for step in steps}) > 100
    assert [step.number for step in steps] == sorted(step.number for step in steps)


def as_read_at(number: int, rows: list[EventRow]) -> list[EventRow]:
    """The revisions that the record had when event `number` was the last one."""
    return [
        replace(row, taken_by=row.taken_by if (row.taken_by or 0) <= number else None)
        for row in rows
        if max(row.number, row.revision) <= number
    ]


@pytest.mark.sized
@pytest.mark.parametrize("seed", SEEDS)
def test_a_game_that_is_continued_has_the_steps_and_lines_of_the_whole_game(seed: int) -> None:
    game, random = play(seed), Random(seed)  # noqa: S311
    bodies = [step.body for step in game.events]
    # Not every simulated game has a correction: this one looks far back.
    first_run = next(n for n, body in enumerate(bodies, 1) if isinstance(body, ev.Run))
    bodies.append(ev.Nullify(events=(first_run,)))
    rows = rows_of(game_events(bodies, game.game_id))
    clubs = (game.home.id, game.away.id)
    checkpoint, number, continued_so_often, whole_so_often = BEFORE_THE_GAME, 0, 0, 0
    while number < len(bodies):
        number = min(number + random.randint(1, 9), len(bodies))
        known = as_read_at(number, rows)
        gone_on = {row.play_number for row in known if row.number > checkpoint.number}
        events = [row for row in known if row.play_number in gone_on]
        if may_continue(checkpoint, events):
            continued_so_often += 1
        else:
            whole_so_often += 1
            checkpoint, events = BEFORE_THE_GAME, known
        since = continue_game(game.game_id, checkpoint, events, clubs)
        whole = continue_game(game.game_id, BEFORE_THE_GAME, known, clubs)
        assert since.steps == [step for step in whole.steps if step.number > checkpoint.number]
        assert (since.lines, since.status) == (whole.lines, whole.status)
        checkpoint = since.checkpoint
    assert continued_so_often > 5 * whole_so_often > 0


def test_a_late_event_of_an_earlier_play_changes_only_what_it_adds() -> None:
    drive_events = game_events(touchdown_drive())
    checkpoint = continue_game("g1", BEFORE_THE_GAME, rows_of(drive_events), CLUBS).checkpoint
    tackle = ev.Tackle(team="SUM", tackler="S1", tackled="H3", kind="solo", yard=35)
    late = game_events([tackle], first=12, play=2)
    rows = rows_of([*drive_events, *late])
    gone_on = [row for row in rows if row.play_number in (2, 4)]
    since = continue_game("g1", checkpoint, gone_on, CLUBS)
    assert since.steps[-1].after["S1"] == {"tackles_solo": 1}
    assert since.lines["H3"]["rushing_yards"] == 10
    assert since.lines == continue_game("g1", BEFORE_THE_GAME, rows, CLUBS).lines


def test_a_play_is_one_step_and_a_correction_of_it_another() -> None:
    steps = drive(ev.Nullify(events=(8, 9), reason="Holding"))
    assert [(step.kind, step.play_number, step.first, step.number) for step in steps] == [
        ("play", 0, 1, 2),  # both D/STs begin
        ("play", 2, 5, 6),
        ("play", 3, 7, 9),
        ("play", 4, 10, 11),
        ("correction", 3, 12, 12),
    ]
    thrown, taken = steps[2], steps[4]
    assert thrown.before["H2"] == {}
    assert thrown.after["H2"] == {
        "targets": 1,
        "receptions": 1,
        "receiving_yards": 65,
        "receiving_tds": 1,
    }
    assert (taken.before["H2"], taken.after["H2"]) == (thrown.after["H2"], {})


def test_a_cancelled_game_is_a_step_that_takes_every_line_away_and_one_that_gives_them_back() -> (
    None
):
    steps = drive(ev.GameStatus(status="cancelled"), ev.GameStatus(status="scheduled"))
    cancelled, back = steps[-2:]
    assert (cancelled.kind, cancelled.status_before, cancelled.status) == (
        "course",
        "live",
        "cancelled",
    )
    assert cancelled.after["H2"] == {}
    assert cancelled.before == back.after
    assert set(cancelled.before) == {"H1", "H2", "H3", "HRB-DST", "SUM-DST"}


def test_the_time_of_a_step_never_goes_back() -> None:
    events = [
        ev.GameEvent(
            **{name: getattr(event, name) for name in event.__struct_fields__} | {"recorded_at": at}
        )
        for event, at in zip(
            game_events(touchdown_drive()), [5, 5, 5, 5, 9, 9, 3, 3, 3, 7, 12], strict=True
        )
    ]
    assert [step.at for step in steps_of("g1", rows_of(events), CLUBS)] == [5, 9, 9, 12]
