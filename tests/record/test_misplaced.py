"""What a play cannot have by its snap's situation counts for nothing, and the proof says so."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest

from app.record import events as ev
from app.record.rules.football.rulebook import rulebook
from app.record.rules.misplaced import fault, misplaced
from app.record.rules.proof import proof
from app.record.rules.stat_lines import Numbered, game_credits, stat_lines
from app.record.rules.state import game_state

TRY = ev.Snap(possession="HRB", spot=97, period=1, clock=800, situation="try")
INTO_THE_END_ZONE = ev.Run(
    team="HRB", player="H3", kind="rush", start_yard=97, end_yard=100, is_touchdown=True
)


def after_a_touchdown(*of_the_try: ev.Body) -> list[Numbered]:
    """A touchdown by H3, then a try with these events."""
    bodies: list[tuple[int, ev.Body]] = [
        (0, ev.GameStarted(home="HRB", away="SUM")),
        (1, ev.Snap(possession="HRB", spot=60, period=1, clock=820, down=1, distance=10)),
        (
            1,
            ev.Run(
                team="HRB", player="H3", kind="rush", start_yard=60, end_yard=100, is_touchdown=True
            ),
        ),
        *((2, body) for body in (TRY, *of_the_try)),
    ]
    return [(number, play, body) for number, (play, body) in enumerate(bodies, start=1)]


@pytest.mark.parametrize(
    "body",
    [
        INTO_THE_END_ZONE,
        ev.Pass(
            team="HRB",
            passer="H1",
            receiver="H2",
            result="complete",
            throw_yard=97,
            reception_yard=100,
            is_touchdown=True,
        ),
        ev.Kick(team="HRB", kicker="H9", kind="field_goal", result="good", distance=20),
        ev.Sack(team="HRB", player="H1", start_yard=97, end_yard=90),
    ],
    ids=ev.type_of,
)
def test_what_a_try_cannot_have_gives_neither_points_nor_statistics(body: ev.Body) -> None:
    """The two points of a try are a conversion's: NFL 11-3-2, NCAA 8-3-2."""
    events = after_a_touchdown(body)
    state = game_state(events)
    assert (state.home_score, state.away_score) == (6, 0)
    lines = stat_lines(game_credits(events))
    assert {player: line.stats for player, line in lines.items()} == {
        "H3": {"carries": 1, "rushing_yards": 40, "rushing_tds": 1}
    }
    findings = proof(events, home="HRB", away="SUM", book=rulebook("nfl", 2025))
    (finding,) = [each for each in findings if each.kind == "situation"]
    assert finding.what.endswith("cannot be in a try")
    assert finding.cause == "enter an extra point, or a try for two points"


def test_a_try_for_two_counts_two() -> None:
    good = ev.Conversion(team="HRB", kind="rush", good=True, player="H3")
    assert game_state(after_a_touchdown(good)).home_score == 8


def test_every_action_can_be_in_a_play_of_some_situation_and_is_named_where_it_cannot() -> None:
    kicks = get_args(get_type_hints(ev.Kick)["kind"])
    bodies: list[ev.Body] = [
        INTO_THE_END_ZONE,
        ev.Conversion(team="HRB", kind="rush", good=True),
        ev.Interception(team="SUM"),
        ev.Fumble(team="HRB"),
        ev.Recovery(team="SUM"),
        *(ev.Kick(team="HRB", kind=kind, result="blocked") for kind in kicks),
    ]
    for body in bodies:
        assert ev.situations_of(body)
        for situation in ("scrimmage", "kickoff", "free_kick", "try"):
            snap = ev.Snap(possession="HRB", spot=40, period=1, clock=800, situation=situation)
            expected = [] if situation in ev.situations_of(body) else [body]
            assert misplaced([snap, body]) == expected
            assert " cannot be in a" in fault(body, situation)
    assert misplaced([INTO_THE_END_ZONE]) == [], "nothing is said of a play without a snap"
