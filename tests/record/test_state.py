"""The score and the situation, from valid events in any order."""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.rules.order import in_order
from app.record.rules.state import Progress, game_state, scoring_plays

H, S = "HRB", "SUM"
START = ev.GameStarted(home=H, away=S)


def snap(club: str = H, period: int = 1, clock: int = 600, **more: object) -> ev.Snap:
    return ev.Snap(possession=club, spot=30, period=period, clock=clock, **more)  # type: ignore[arg-type]


def numbered(*bodies: ev.Body) -> list[tuple[int, int, ev.Body]]:
    events, play = [], 0
    for number, body in enumerate(bodies, 1):
        play += isinstance(body, ev.Snap)
        events.append((number, play, body))
    return events


def drive() -> list[ev.Body]:
    """Harbor scores by a pass and its run (both flagged), kicks the point.

    Summit answers with a field goal.
    """
    thrown = ev.Pass(
        team=H,
        passer="h1",
        receiver="h2",
        result="complete",
        throw_yard=30,
        reception_yard=60,
        is_touchdown=True,
    )
    return [
        START,
        ev.Period(period=1, phase="start"),
        snap(down=1, distance=10),
        thrown,
        ev.Run(
            team=H, player="h2", kind="after_catch", start_yard=60, end_yard=100, is_touchdown=True
        ),
        snap(situation="try", clock=590),
        ev.Kick(team=H, kicker="h3", kind="extra_point", result="good"),
        ev.Period(period=1, phase="end"),
        ev.Period(period=2, phase="start"),
        snap(S, period=2, clock=300, down=4, distance=7),
        ev.Kick(team=S, kicker="s3", kind="field_goal", result="good", distance=47),
    ]


def test_nothing_known_is_a_scheduled_game() -> None:
    state = game_state([])
    assert (state.status, state.home, state.home_score, state.last_event_number) == (
        "scheduled",
        None,
        0,
        0,
    )


def test_the_score_by_period_and_the_last_situation() -> None:
    state = game_state(numbered(*drive()))
    assert (state.home_score, state.away_score) == (7, 3)
    assert state.home_by_period == (7, 0, 0, 0)
    assert state.away_by_period == (0, 3, 0, 0)
    assert (state.status, state.period, state.clock) == ("live", 2, 300)
    assert (state.possession, state.spot, state.down, state.distance) == (S, 30, 4, 7)
    assert (state.play_number, state.last_event_number) == (3, 11)


def test_the_order_of_arrival_does_not_matter() -> None:
    events = numbered(*drive())
    shuffled = events[1::2] + events[::-2]
    assert game_state(shuffled) == game_state(events)
    assert scoring_plays(shuffled) == scoring_plays(events)


def test_scoring_plays_tell_who_and_the_score_after() -> None:
    touchdown, point, goal = scoring_plays(numbered(*drive()))
    assert (touchdown.kind, touchdown.points, touchdown.player, touchdown.passer) == (
        "touchdown",
        6,
        "h2",
        "h1",
    )
    assert (touchdown.event_number, touchdown.period, touchdown.clock) == (5, 1, 600)
    assert (point.kind, point.home_score) == ("extra_point", 7)
    assert (goal.kind, goal.player, goal.passer, goal.away_score) == ("field_goal", "s3", None, 3)


def test_every_way_to_score() -> None:
    def scored(*bodies: ev.Body) -> tuple[int, int]:
        state = game_state(numbered(START, snap(), *bodies))
        return state.home_score, state.away_score

    assert scored(ev.Conversion(team=H, kind="pass", good=True)) == (2, 0)
    assert scored(ev.Conversion(team=H, kind="pass", good=False)) == (0, 0)
    assert scored(ev.Conversion(team=S, side="defence", kind="return", good=True)) == (0, 2)
    assert scored(ev.Safety(team=S)) == (0, 2)
    assert scored(ev.Safety(team=H, points=1)) == (1, 0)
    assert scored(ev.Recovery(team=S, is_touchdown=True)) == (0, 6)
    assert scored(ev.Interception(team=S, is_touchdown=True)) == (0, 6)
    assert scored(ev.Kick(team=H, kind="field_goal", result="missed")) == (0, 0)
    assert scored(ev.Run(team=H, kind="rush", start_yard=99, end_yard=100, is_touchdown=True)) == (
        6,
        0,
    )


def test_a_returned_interception_has_no_passer() -> None:
    bodies = [
        START,
        snap(),
        ev.Pass(team=H, passer="h1", result="intercepted", throw_yard=30),
        ev.Interception(team=S, player="s9", yard=40),
        ev.Run(team=S, player="s9", kind="return", start_yard=40, end_yard=100, is_touchdown=True),
    ]
    (play,) = scoring_plays(numbered(*bodies))
    assert (play.team, play.player, play.passer) == (S, "s9", None)


def test_overtime_adds_a_period() -> None:
    bodies = [START, ev.Period(period=5, phase="start"), snap(period=5), ev.Safety(team=S)]
    assert game_state(numbered(*bodies)).away_by_period == (0, 0, 0, 0, 2)


def test_a_game_ends_and_is_declared_final() -> None:
    ended = numbered(*drive(), ev.GameEnded())
    assert game_state(ended).status == "ended"
    final = game_state(numbered(*drive(), ev.GameEnded(), ev.Final(home_score=7, away_score=4)))
    assert (final.status, final.away_score, final.declared_away_score) == ("final", 3, 4)


def test_a_period_shows_its_own_clock() -> None:
    between = game_state(numbered(START, snap(clock=3), ev.Period(period=1, phase="end")))
    assert (between.period, between.clock) == (1, 0)
    begun = game_state(
        numbered(
            START,
            snap(clock=3),
            ev.Period(period=1, phase="end"),
            ev.Period(period=2, phase="start"),
        )
    )
    assert (begun.period, begun.clock) == (2, 900)


def test_corrections_among_the_events_score_nothing() -> None:
    bodies = [
        *drive(),
        ev.Overturn(event=5, ruling=ev.Run(team=H, kind="after_catch", start_yard=60, end_yard=99)),
    ]
    assert game_state(numbered(*bodies)).home_score == 7


def declared(status: str) -> ev.GameStatus:
    return ev.GameStatus(status=status)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bodies", "status"),
    [
        pytest.param([declared("postponed")], "postponed", id="put off before its start"),
        pytest.param(
            [declared("suspended")],
            "postponed",
            id="a game that has not begun is put off, whatever is said",
        ),
        pytest.param(
            [START, declared("postponed")], "suspended", id="a game that has begun is interrupted"
        ),
        pytest.param(
            [declared("postponed"), declared("scheduled")], "scheduled", id="played after all"
        ),
        pytest.param([START, declared("suspended"), snap()], "live", id="play goes on by itself"),
        pytest.param(
            [START, declared("suspended"), ev.Delay(phase="end")], "live", id="play resumes"
        ),
        pytest.param(
            [START, ev.Delay(phase="start", reason="Lightning")],
            "live",
            id="a delay suspends nothing",
        ),
        pytest.param([declared("postponed"), START], "live", id="it starts after all"),
        pytest.param(
            [START, declared("cancelled"), snap()],
            "cancelled",
            id="a play brings no cancelled game back",
        ),
        pytest.param(
            [START, declared("cancelled"), declared("scheduled")],
            "live",
            id="not cancelled after all",
        ),
        pytest.param([START, declared("forfeited")], "forfeited", id="forfeited"),
        pytest.param(
            [START, ev.GameEnded(), declared("postponed")],
            "ended",
            id="what is over cannot be put off",
        ),
        pytest.param(
            [START, ev.Final(home_score=0, away_score=0), declared("cancelled")],
            "cancelled",
            id="annulled afterwards",
        ),
    ],
)
def test_what_was_declared_of_a_game_goes_with_what_was_played(
    bodies: list[ev.Body], status: str
) -> None:
    assert game_state(numbered(*bodies)).status == status


BEGIN, END = ev.Delay(phase="start", reason="Lightning"), ev.Delay(phase="end")


@pytest.mark.parametrize(
    ("bodies", "delayed"),
    [
        ((BEGIN,), True),
        ((BEGIN, END), False),
        ((BEGIN, ev.Timeout(team="SF")), True),
        ((BEGIN, ev.Snap(possession="SF", spot=30, period=1, clock=700)), False),
        ((BEGIN, declared("suspended")), False),
        ((BEGIN, ev.GameEnded()), False),
    ],
)
def test_a_delay_holds_until_play_resumes_or_somebody_plays(
    bodies: tuple[ev.Body, ...], delayed: bool
) -> None:
    """The console offers to resume for as long.

    Its own rule is delayedAfter (static/js/console/rules/state.js).
    """
    progress = Progress().then(in_order(numbered(*bodies)))
    assert progress.course.is_delayed is delayed
