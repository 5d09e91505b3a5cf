"""Real games down the whole road.

Import, replay through outbox, Kafka and workers, points as published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sqlalchemy import select, text

from app.core.db import db
from app.embedded.stack import Stack
from app.record.backlog import ingested_count
from app.record.models import GameState
from app.record.play_by_play import read_games
from app.record.script import Variant
from app.record.services import store_script
from app.stream.kafka import lag
from app.stream.topics import GAME_EVENTS
from scorer_console.record.replay import replay
from tests.record.deliveries import ROWS, WITHOUT_PLACE
from tests.waiting import until
from tests.worlds.real_games import FILES, due, name_of, wrong_points
from workers.supervisor.children import Children

# Chosen for their calls: three reversals, one of them a muff undone, and an interception wiped out;
# an incomplete pass that became a sack with a lost fumble, and a touchdown called back to the one;
# offsetting fouls on plays that the final record has not.
AS_CALLED = ("2019012001", "2019091512", "2019090802")


def fingerprints() -> dict[str, object]:
    """A hash of the rows of every derived table, without their message's position and time."""
    hashes = {}
    for table in ROWS:
        row = f"({WITHOUT_PLACE})::text"
        hashes[table] = db.session.execute(
            text(f"SELECT count(*), md5(string_agg(md5({row}), '' ORDER BY {row})) FROM {table} t")
        ).one()
    db.session.rollback()
    return hashes


@pytest.mark.full
@pytest.mark.realgames
@pytest.mark.timeout(1800)
def test_every_real_game_gives_the_published_points_and_a_second_delivery_changes_nothing(
    start: Callable[..., Children], stack: Stack, measured: Callable[[str], None]
) -> None:
    assert due().keys() == {name_of(file) for file in FILES}
    start("worker", "worker", "bridge", "relay")
    totals = play(FILES, "final")
    assert wrong_points(totals) == []
    measured(f"{len(totals)} games, {sum(totals.values())} events")
    deliver_everything_again(stack, totals, "final")


@pytest.mark.realgames
@pytest.mark.timeout(900)
def test_real_games_as_first_called_give_the_published_points_and_a_second_delivery_changes_nothing(
    start: Callable[..., Children], stack: Stack, measured: Callable[[str], None]
) -> None:
    start("worker", "worker", "bridge", "relay")
    totals = play([file for file in FILES if name_of(file) in AS_CALLED], "as_called")
    assert totals.keys() == set(AS_CALLED)
    assert wrong_points(totals) == []
    taken_away = db.session.execute(
        text("SELECT count(*) FROM events WHERE NOT valid")
    ).scalar_one()
    measured(
        f"{len(totals)} games as first called, {sum(totals.values())} events, {taken_away} taken "
        "away"
    )
    assert taken_away > 0
    deliver_everything_again(stack, totals, "as_called")


def play(files: Sequence[Path], variant: Variant) -> dict[str, int]:
    """Stores and replays the games, and waits for the record; how many events each has."""
    totals: dict[str, int] = {}
    for script in read_games(files):
        store_script(script)
        steps = script.as_called if variant == "as_called" else script.events
        assert steps is not None
        totals[script.game_id] = len(steps)
        assert [progress.done for progress in replay(script.game_id, variant)][-1] == len(steps)
    until(
        lambda: all(ingested_count(g) == n for g, n in totals.items()),
        "all games in the record",
        seconds=300,
    )
    assert db.session.scalar(text("SELECT count(*) FROM dead_letters")) == 0
    return totals


def deliver_everything_again(stack: Stack, totals: dict[str, int], variant: Variant) -> None:
    before = fingerprints()
    versions = dict(db.session.execute(select(GameState.game_id, GameState.version)).all())
    for game, total in totals.items():
        assert [progress.done for progress in replay(game, variant)] == [total], (
            "a second replay enters nothing"
        )
    db.session.execute(text("UPDATE outbox SET published_at = NULL"))
    db.session.commit()
    until(
        lambda: (
            db.session.scalar(text("SELECT count(*) FROM outbox WHERE published_at IS NULL")) == 0
        ),
        "every message delivered a second time",
        seconds=300,
    )
    until(
        lambda: not any(lag(stack.settings, GAME_EVENTS).values()),
        "every second message taken in",
        seconds=300,
    )
    assert fingerprints() == before
    assert dict(db.session.execute(select(GameState.game_id, GameState.version)).all()) == versions
