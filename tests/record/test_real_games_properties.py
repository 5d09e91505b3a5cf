"""Real games under mistakes, doubles, any order and kills.

The record and the points end as after a clean replay.

The base is one of the real games, as it stood in the end or as first called, whole or a stretch of
plays. Mistaken entries are put in and set right later; messages come twice, late, and cut into
batches anywhere; the ingest is killed before any statement or commit and begins the batch again.

PRESSBOX_PROPERTY_CASES: how many stretches are tried; one whole game for every eight of them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.db import db
from app.record import events as ev
from app.record.models import Game
from app.record.script import GameScript
from app.record.services import store_script
from app.stream.messages import Message
from tests.killing import kill_before_statement
from tests.record.deliveries import (
    assert_it_stands,
    assert_lines_follow_the_rows,
    cut,
    deliver,
    derived_rows,
    forget,
    injected,
    mixed,
    take_in,
)
from tests.sizes import size
from tests.worlds.games import messages
from tests.worlds.real_games import FILES, real_game, wrong_points

CASES = size("PRESSBOX_PROPERTY_CASES", 4, 48)
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.large_base_example]
STRETCHES = settings(max_examples=CASES, deadline=None, suppress_health_check=QUIET)
WHOLE = settings(max_examples=max(1, CASES // 8), deadline=None, suppress_health_check=QUIET)

pytestmark = [
    pytest.mark.usefixtures("app"),
    pytest.mark.realgames,
    pytest.mark.sized,
    pytest.mark.timeout(600 + 20 * CASES),
]
files = st.sampled_from(FILES) if FILES else st.nothing()
# as first called more often: there is more to go wrong
VARIANT = st.sampled_from([True, True, False])


def bodies_of(script: GameScript, *, as_called: bool) -> list[ev.Body]:
    steps = script.as_called if as_called else script.events
    assert steps is not None, "a real game without corrections.csv"
    return [step.body for step in steps]


def stretch(bodies: list[ev.Body], plays: int, random: Random) -> list[ev.Body]:
    """So many plays on end from anywhere, numbered from 1.

    Corrections name events of their own play.
    """
    snaps = [place for place, body in enumerate(bodies) if isinstance(body, ev.Snap)]
    first = random.randrange(max(1, len(snaps) - plays))
    start, end = snaps[first], [*snaps, len(bodies)][min(first + plays, len(snaps))]
    return [_moved(body, start) for body in bodies[start:end]]


def _moved(body: ev.Body, by: int) -> ev.Body:
    if isinstance(body, ev.Nullify):
        return msgspec.structs.replace(body, events=tuple(number - by for number in body.events))
    if isinstance(body, ev.Overturn | ev.StatCorrection):
        return msgspec.structs.replace(body, event=body.event - by)
    return body


def check(script: GameScript, bodies: list[ev.Body], random: Random) -> None:
    """A replay with mistakes and a wild delivery both end like the game without them."""
    if db.session.get(Game, script.game_id) is None:
        store_script(replace(script, events=(), as_called=None))
    with_mistakes = injected(bodies, random.randrange(1 + len(bodies) // 10), random)
    clean = messages(with_mistakes, script.game_id)
    forget()
    deliver([clean])
    expected = derived_rows()
    assert_it_stands(script.game_id, bodies, script.home.id, script.away.id)

    def killed_at_times(batch: list[Message]) -> list[Message]:
        for _ in range(random.randrange(3)):
            before = int(2 ** (random.random() * 8)) - 1  # 0 to 254, mostly early
            kill_before_statement(before, lambda: take_in(batch))
        late = take_in(batch)
        assert_lines_follow_the_rows(script.game_id)
        return late

    wild = mixed(clean, random)
    forget()
    deliver(cut(wild, random, most=10), killed_at_times)
    assert derived_rows() == expected


@STRETCHES
@given(
    file=files,
    as_called=VARIANT,
    plays=st.integers(1, 40),
    random=st.randoms(use_true_random=False),
)
def test_a_stretch_of_a_real_game_ends_like_a_clean_replay(
    file: Path, as_called: bool, plays: int, random: Random
) -> None:
    script = real_game(file)
    check(script, stretch(bodies_of(script, as_called=as_called), plays, random), random)


@pytest.mark.everyday("figures that others published")
@WHOLE
@given(file=files, as_called=VARIANT, seed=st.integers(0, 2**32))
def test_a_whole_real_game_gives_the_published_points_whatever_happens_on_the_way(
    file: Path, as_called: bool, seed: int
) -> None:
    script = real_game(file)
    check(script, bodies_of(script, as_called=as_called), Random(seed))  # noqa: S311
    assert wrong_points([script.game_id]) == []
