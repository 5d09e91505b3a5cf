"""What a club's defence and special teams earn as one, event by event.

The rules are in record/rules/team_defence.py.
"""

from __future__ import annotations

from itertools import accumulate

import pytest

from app.record import events as ev
from app.record.rules.statistics import LEVELS
from app.record.rules.team_defence import (
    all_credits,
    all_lines,
    defence_id,
    has_begun,
    held_lines,
    level_of,
)
from tests.worlds.games import touchdown_drive

CLUBS = ("HRB", "SUM")
SNAP = ev.Snap(possession="HRB", spot=25, period=1, clock=900, down=1, distance=10)
TRY = ev.Snap(possession="SUM", spot=85, period=1, clock=800, situation="try")
THROWN = ev.Pass(
    team="HRB", passer="H1", receiver="H2", result="intercepted", throw_yard=25, reception_yard=40
)
CAUGHT = ev.Interception(team="SUM", player="S9", yard=60)
PUNT = ev.Kick(team="HRB", kind="punt", result="returned", start_yard=25, distance=40)
FUMBLE = ev.Fumble(team="HRB", player="H3", yard=30)


def numbered(bodies: list[ev.Body]) -> list[tuple[int, int, ev.Body]]:
    plays = accumulate(isinstance(body, ev.Snap) for body in bodies)
    return [
        (number, play, body)
        for number, (body, play) in enumerate(zip(bodies, plays, strict=True), start=1)
    ]


def earned(*bodies: ev.Body) -> tuple[dict[str, int], dict[str, int]]:
    """What both D/STs have, without their levels: Harbor's and Summit's."""
    events = numbered(list(bodies))
    lines = all_lines(all_credits(events, CLUBS), CLUBS, has_begun=has_begun(events))
    harbor, summit = (
        {stat: n for stat, n in lines[defence_id(club)].stats.items() if stat not in LEVEL_NAMES}
        for club in CLUBS
    )
    return harbor, summit


LEVEL_NAMES = {name for levels in LEVELS.values() for _, name in levels}


def run(team: str, *, kind: str = "return", touchdown: bool = True) -> ev.Run:
    return ev.Run(
        team=team,
        player=f"{team[0]}9",
        kind=kind,
        start_yard=60,
        end_yard=100,
        is_touchdown=touchdown,
    )  # type: ignore[arg-type]


CASES: list[tuple[str, list[ev.Body], dict[str, int], dict[str, int]]] = [
    (
        "a sack that two share is one, and takes back yards",
        [
            SNAP,
            ev.Sack(
                team="HRB", player="H1", start_yard=25, end_yard=18, by_team="SUM", by=("S9", "S3")
            ),
        ],
        {},
        {"dst_sacks": 1, "dst_yards_allowed": -7},
    ),
    (
        "a sack that nobody is credited with",
        [SNAP, ev.Sack(team="HRB", player="H1", start_yard=25, end_yard=25)],
        {},
        {"dst_sacks": 1},
    ),
    (
        "an interception brought back: no points allowed by the side that threw it",
        [SNAP, THROWN, CAUGHT, run("SUM")],
        {},
        {"dst_interceptions": 1, "dst_touchdowns": 1},
    ),
    (
        "but the extra point after it",
        [
            SNAP,
            THROWN,
            CAUGHT,
            run("SUM"),
            TRY,
            ev.Kick(team="SUM", kind="extra_point", result="good"),
        ],
        {"dst_points_allowed": 1},
        {"dst_interceptions": 1, "dst_touchdowns": 1},
    ),
    (
        "a fumble picked up in the end zone",
        [SNAP, FUMBLE, ev.Recovery(team="SUM", player="S9", yard=0, is_touchdown=True)],
        {},
        {"dst_fumble_recoveries": 1, "dst_touchdowns": 1},
    ),
    (
        "an own fumble brought in is the offence's",
        [SNAP, FUMBLE, ev.Recovery(team="HRB", player="H2", yard=100, is_touchdown=True)],
        {},
        {"dst_points_allowed": 6},
    ),
    (
        "a punt brought back counts for one and against the other",
        [SNAP, PUNT, run("SUM")],
        {"dst_points_allowed": 6},
        {"dst_touchdowns": 1},
    ),
    (
        "a muffed punt taken in the end zone by those who kicked",
        [
            SNAP,
            PUNT,
            ev.Fumble(team="SUM", player="S2", yard=3),
            ev.Recovery(team="HRB", player="H9", yard=100, is_touchdown=True),
        ],
        {"dst_fumble_recoveries": 1, "dst_touchdowns": 1},
        {"dst_points_allowed": 6},
    ),
    (
        "a field goal blocked and brought back",
        [
            SNAP,
            ev.Kick(
                team="HRB",
                kind="field_goal",
                result="blocked",
                blocked_by="S9",
                blocked_by_team="SUM",
            ),
            ev.Recovery(team="SUM", player="S3", yard=40),
            run("SUM"),
        ],
        {"dst_points_allowed": 6},
        {"dst_kicks_blocked": 1, "dst_touchdowns": 1},
    ),
    (
        "a blocked extra point that nobody is credited with",
        [TRY, ev.Kick(team="SUM", kind="extra_point", result="blocked")],
        {"dst_kicks_blocked": 1},
        {},
    ),
    (
        "a bad snap on a field goal: no play with a kick",
        [
            SNAP,
            ev.Kick(team="HRB", kind="field_goal", result="aborted"),
            ev.Run(
                team="HRB", player="H1", kind="rush", start_yard=70, end_yard=100, is_touchdown=True
            ),
        ],
        {},
        {"dst_points_allowed": 6, "dst_yards_allowed": 30},
    ),
    ("a safety", [SNAP, ev.Safety(team="SUM", player="S9")], {}, {"dst_safeties": 1}),
    (
        "a safety on a try",
        [TRY, ev.Safety(team="HRB", points=1)],
        {"dst_one_point_safeties": 1},
        {},
    ),
    (
        "a try for two, and one brought back",
        [
            TRY,
            ev.Conversion(team="SUM", kind="rush", good=True, player="S3"),
            TRY,
            ev.Conversion(team="HRB", side="defence", kind="return", good=True, player="H9"),
        ],
        {"dst_points_allowed": 2, "dst_two_points": 1},
        {},
    ),
    (
        "a field goal",
        [SNAP, ev.Kick(team="HRB", kind="field_goal", result="good", distance=40)],
        {},
        {"dst_points_allowed": 3},
    ),
]


@pytest.mark.parametrize(
    ("word", "bodies", "harbor", "summit"), CASES, ids=[case[0] for case in CASES]
)
def test_a_play_earns(
    word: str, bodies: list[ev.Body], harbor: dict[str, int], summit: dict[str, int]
) -> None:
    assert earned(*bodies) == (harbor, summit)


def test_a_touchdown_drive_is_seven_points_and_seventy_five_yards_allowed() -> None:
    events = numbered(touchdown_drive())
    lines = all_lines(all_credits(events, CLUBS), CLUBS, has_begun=has_begun(events))
    assert lines["SUM-DST"].stats == {
        "dst_points_allowed": 7,
        "dst_yards_allowed": 75,
        "dst_allowed_7_13": 1,
        "dst_yards_under_100": 1,
    }
    assert lines["HRB-DST"].stats == {"dst_allowed_0": 1, "dst_yards_under_100": 1}
    assert (lines["SUM-DST"].team, lines["HRB-DST"].team) == ("SUM", "HRB")


def test_before_the_first_event_there_is_no_line() -> None:
    assert all_lines([], CLUBS, has_begun=has_begun([])) == {}


@pytest.mark.parametrize(
    ("stat", "edges"),
    [
        ("dst_points_allowed", (0, 1, 6, 7, 13, 14, 17, 18, 20, 21, 27, 28, 34, 35, 45, 46)),
        (
            "dst_yards_allowed",
            (99, 100, 199, 200, 299, 300, 349, 350, 399, 400, 449, 450, 499, 500, 549, 550),
        ),
    ],
)
def test_each_amount_stands_on_one_level(stat: str, edges: tuple[int, ...]) -> None:
    names_found = [level_of(stat, amount) for amount in edges]
    names = [name for _, name in LEVELS[stat]]
    assert list(dict.fromkeys(names_found)) == names
    lasts = [edges[0], *edges[2::2]]
    assert [level_of(stat, last) != level_of(stat, last + 1) for last in lasts] == [True] * len(
        lasts
    )
    assert level_of(stat, -20) == names[0]


def test_points_on_a_play_under_review_hold_the_levels_that_they_moved() -> None:
    events = numbered(touchdown_drive())
    earned = all_credits(events, CLUBS)
    lines = all_lines(earned, CLUBS, has_begun=True)
    touchdown = {8, 9}
    assert held_lines(earned, touchdown, lines)["SUM-DST"] == {
        "dst_points_allowed": 6,
        "dst_yards_allowed": 65,
        "dst_allowed_7_13": 1,
        "dst_allowed_1_6": -1,
    }
    assert "HRB-DST" not in held_lines(earned, touchdown, lines)
