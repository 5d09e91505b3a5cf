"""The labels beside a play: what kind it was, what came of it, and a first down."""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.pages.play_results import PlayResult, play_results
from app.record.rules.drives import snapped

SNAP = ev.Snap(possession="HRB", spot=27, period=1, clock=600, down=2, distance=10)
TRY = ev.Snap(possession="HRB", spot=85, period=1, clock=600, situation="try")
KICKOFF = ev.Snap(possession="HRB", spot=35, period=1, clock=600, situation="kickoff")


def rush(end: int, *, is_touchdown: bool = False) -> ev.Run:
    return ev.Run(
        team="HRB",
        player="H3",
        kind="rush",
        start_yard=27,
        end_yard=end,
        is_touchdown=is_touchdown,
    )


def thrown(result: str) -> ev.Pass:
    return ev.Pass(
        team="HRB",
        passer="H1",
        result=result,  # type: ignore[arg-type]
        throw_yard=27,
        reception_yard=40,
    )


def kick(kind: str, result: str, distance: int | None = None) -> ev.Kick:
    return ev.Kick(team="HRB", kind=kind, result=result, distance=distance)  # type: ignore[arg-type]


PLAYS: list[tuple[list[ev.Body], PlayResult]] = [
    ([SNAP, rush(31)], PlayResult("Run", "+4")),
    ([SNAP, rush(27)], PlayResult("Run", "0")),
    ([SNAP, rush(37)], PlayResult("Run", "+10", is_first_down=True)),
    ([SNAP, thrown("complete")], PlayResult("Pass", "+13", is_first_down=True)),
    ([SNAP, thrown("incomplete")], PlayResult("Pass", "Inc.")),
    ([SNAP, ev.Sack(team="HRB", start_yard=27, end_yard=20)], PlayResult("Sack", "-7")),
    ([SNAP, rush(100, is_touchdown=True)], PlayResult("Run", "TD", "score")),
    (
        [SNAP, thrown("intercepted"), ev.Interception(team="SUM", player="S9", yard=45)],
        PlayResult("Pass", "INT", "bad"),
    ),
    (
        [SNAP, rush(30), ev.Fumble(team="HRB"), ev.Recovery(team="SUM", yard=70)],
        PlayResult("Run", "Fumble", "bad"),
    ),
    ([SNAP, rush(-3), ev.Safety(team="SUM")], PlayResult("Run", "Safety", "score")),
    ([SNAP, kick("punt", "downed", 44)], PlayResult("Punt", "44 yd")),
    ([SNAP, kick("field_goal", "good", 50)], PlayResult("FG", "Good", "score")),
    ([SNAP, kick("field_goal", "blocked")], PlayResult("FG", "Blocked", "bad")),
    ([TRY, kick("extra_point", "missed")], PlayResult("XP", "No good", "bad")),
    (
        [TRY, ev.Conversion(team="HRB", kind="rush", good=True)],
        PlayResult("2-pt", "Good", "score"),
    ),
    ([KICKOFF, kick("kickoff", "touchback", 65)], PlayResult("Kick", "Touchback")),
    (
        [
            SNAP,
            ev.Penalty(team="HRB", foul="Holding", yards=10),
            ev.Nullify(events=(2,), reason="Holding"),
        ],
        PlayResult("Flag", "No play"),
    ),
    ([SNAP, ev.Penalty(team="HRB", foul="False Start", yards=5)], PlayResult("Flag")),
    ([SNAP], PlayResult("")),
]


@pytest.mark.parametrize(("bodies", "result"), PLAYS)
def test_a_play_has_its_kind_and_what_came_of_it(bodies: list[ev.Body], result: PlayResult) -> None:
    events = [(number, 1, body) for number, body in enumerate(bodies, start=1)]
    assert play_results(snapped(events)) == {1: result}
