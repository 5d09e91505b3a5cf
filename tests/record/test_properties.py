"""Whatever the road does to messages, the record ends as after a clean replay: row for row and point for point.

Hypothesis doubles messages, cuts them into batches of any size, delivers them in any order within a window,
kills the ingest before any statement, and enters wrong versions that are overturned or nullified later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from app.core.db import db
from app.demo.seed import simulated_game
from app.fantasy.points import store_player_points
from app.record import events as ev
from app.record.ingest import Message, ingest_batch
from app.record.play_tables import PLAY_TABLES
from app.record.script import GameScript
from app.record.services import store_script
from app.record.state import game_state
from app.record.statlines import credits, stat_lines
from tests.record.factory import NOW, messages

SEEDS = (1, 2, 3)
EVENTS = 160
ROWS = ["events", "corrections", "stat_lines", "player_points", *(t.__tablename__ for t in PLAY_TABLES)]
CASES = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@cache
def script(seed: int) -> GameScript:
    return simulated_game(seed, datetime(2026, 9, 13, tzinfo=UTC))


def beginning(seed: int) -> list[ev.Body]:
    """The first EVENTS steps of a simulated game, with penalties, nullifies and overturns as they come."""
    return [step.body for step in script(seed).events[:EVENTS]]


@pytest.fixture(autouse=True)
def _games(app: Flask) -> None:
    for seed in SEEDS:
        store_script(script(seed))


def forget() -> None:
    db.session.execute(text(f"TRUNCATE {', '.join(ROWS)}, game_states, ledger"))
    db.session.commit()


def rows() -> dict[str, list[Any]]:
    """All derived rows, without when and by which message they came."""
    found: dict[str, list[Any]] = {}
    for table in ROWS:
        row = "to_jsonb(t) - 'ingested_at' - 'partition' - 'offset'"
        found[table] = list(db.session.scalars(text(f"SELECT ({row})::text FROM {table} t ORDER BY 1")))
    found["state"] = list(
        db.session.execute(text("SELECT game_id, status, home_score, away_score, state FROM game_states"))
    )
    found["ledger"] = list(
        db.session.execute(
            text(
                "SELECT game_id, player_id, event_number, revision, stat, amount FROM ledger"
                " WHERE closed_at IS NULL ORDER BY 1, 2, 3, 4, 5"
            )
        )
    )
    return found


def deliver(batches: list[list[Message]]) -> None:
    """Takes the batches in; corrections that find no original come again at the end, as their job would."""
    late: list[Message] = []
    for batch in batches:
        late += ingest_batch(batch, NOW, store_player_points).deferred
    while late:
        left = ingest_batch(late, NOW, store_player_points).deferred
        assert len(left) < len(late), "corrections that never find their original"
        late = left


def cut(batch: list[Message], random: Random) -> list[list[Message]]:
    cuts = sorted({0, len(batch), *(random.randrange(len(batch)) for _ in range(random.randrange(8)))})
    return [batch[a:b] for a, b in pairwise(cuts)]


@CASES
@given(seed=st.sampled_from(SEEDS), randomness=st.randoms(use_true_random=False))
def test_doubled_reordered_and_cut_messages_end_like_a_clean_replay(seed: int, randomness: Random) -> None:
    game = script(seed).game_id
    clean = messages(beginning(seed), game)
    forget()
    deliver([clean])
    wanted = rows()
    forget()
    mixed = clean + [randomness.choice(clean) for _ in range(randomness.randrange(40))]
    window = randomness.choice([2, 10, len(mixed)])
    order = sorted(range(len(mixed)), key=lambda place: place + randomness.random() * window)
    deliver(cut([mixed[place] for place in order], randomness))
    assert rows() == wanted


@CASES
@given(seed=st.sampled_from(SEEDS), randomness=st.randoms(use_true_random=False), at=st.integers(0, 60))
def test_an_ingest_killed_before_any_statement_ends_like_a_clean_replay(
    count_and_kill: Callable[..., int], seed: int, randomness: Random, at: int
) -> None:
    clean = messages(beginning(seed), script(seed).game_id)
    forget()
    deliver([clean])
    wanted = rows()
    forget()
    for batch in cut(clean, randomness):
        count_and_kill(at, lambda batch=batch: deliver([batch]))
        deliver([batch])
    assert rows() == wanted


def wrong(body: ev.Body, random: Random) -> ev.Body | None:
    """Another version of a movement, as a scorer might enter it first; None where there is none."""
    match body:
        case ev.Run():
            return msgspec.structs.replace(body, end_yard=random.randrange(101), is_touchdown=random.random() < 0.2)
        case ev.Pass(result="complete"):
            return msgspec.structs.replace(body, result="incomplete", is_touchdown=False)
        case ev.Pass(result="incomplete"):
            return msgspec.structs.replace(body, result="complete", reception_yard=random.randrange(101))
        case ev.Sack() | ev.Tackle():
            return ev.Fumble(team=body.team, player=None)
        case _:
            return None


@CASES
@given(seed=st.sampled_from(SEEDS), randomness=st.randoms(use_true_random=False))
def test_wrong_entries_that_are_corrected_later_leave_no_trace_in_the_points(seed: int, randomness: Random) -> None:
    game = script(seed)
    plain = [body for body in beginning(seed) if not isinstance(body, ev.Correction)]
    numbered, play = [], 0
    for number, body in enumerate(plain, start=1):
        play += isinstance(body, ev.Snap)
        numbered.append((number, play, body))
    entered, corrections = list(plain), []
    for place in randomness.sample(range(len(plain)), 25):
        mistaken = wrong(plain[place], randomness)
        if mistaken is None:
            continue
        entered[place] = mistaken
        for ruling in [mistaken] * randomness.randrange(3) + [plain[place]]:
            corrections.append(ev.Overturn(event=place + 1, ruling=ruling))
    extra = ev.Run(team=game.home.id, player=game.footballers[0].id, kind="rush", start_yard=1, end_yard=90)
    entered.append(extra)
    corrections.append(ev.Nullify(events=(len(entered),)))
    batch = messages([*entered, *corrections], game.game_id)
    head, tail = batch[: len(entered)], batch[len(entered) :]
    randomness.shuffle(tail)
    forget()
    deliver([*cut(head, randomness), *cut(tail, randomness)])
    lines = {
        player: stats for player, stats in db.session.execute(text("SELECT player_id, stats FROM stat_lines")) if stats
    }
    assert lines == {player: line.stats for player, line in stat_lines(credits(numbered)).items() if line.stats}
    wanted = asdict(game_state(numbered, game.home.id, game.away.id))
    got = db.session.scalar(text("SELECT state FROM game_states"))
    for name in ("home_score", "away_score", "home_by_period", "away_by_period"):
        assert got[name] == msgspec.json.decode(msgspec.json.encode(wanted[name]))
