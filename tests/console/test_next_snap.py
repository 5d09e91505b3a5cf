"""What the console suggests next: down, distance, spot and side, from the events that stand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.demo.clubs import CLUBS, rosters
from app.demo.game import Fixture, simulate_game
from app.record import events as ev
from app.record.rules.football.ball import ball_after
from app.record.rules.football.rulebook import rulebook
from app.record.rules.football.situation import last_play, next_snap
from app.record.rules.football.suggestion import Suggestion
from scorer_console.entry.recent_players import recent_players
from scorer_console.record.effective_events import EffectiveEvent, effective_events, fold, inverse

HOME, AWAY = "SF", "DAL"
BOOK = rulebook("nfl", 2019)


def snap(
    possession: str = HOME,
    spot: int = 30,
    down: int | None = 1,
    distance: int | None = 10,
    **more: object,
) -> ev.Snap:
    values = {
        "possession": possession,
        "spot": spot,
        "period": 1,
        "clock": 700,
        "down": down,
        "distance": distance,
    }
    return ev.Snap(**(values | more))  # type: ignore[arg-type]


def kickoff(by: str = HOME) -> ev.Snap:
    return snap(by, 35, None, None, situation="kickoff")


def a_try(by: str = HOME) -> ev.Snap:
    return snap(by, 85, None, None, situation="try")


def record(*bodies: ev.Body) -> list[ev.GameEvent]:
    events, play = [], 0
    for number, body in enumerate(bodies, start=1):
        play += isinstance(body, ev.Snap)
        events.append(
            ev.GameEvent(
                game_id="g",
                event_number=number,
                play_number=play,
                epoch=1,
                recorded_at=0,
                body=body,
            )
        )
    return events


def after(*bodies: ev.Body) -> Suggestion:
    return next_snap(effective_events(record(*bodies)), home=HOME, away=AWAY, book=BOOK)


def rush(to: int, start: int = 30, team: str = HOME, touchdown: bool = False) -> ev.Run:
    return ev.Run(team=team, kind="rush", start_yard=start, end_yard=to, is_touchdown=touchdown)


def foul(team: str, yards: int, outcome: str, status: str = "accepted") -> ev.Penalty:
    return ev.Penalty(team=team, yards=yards, outcome=outcome, status=status)  # type: ignore[arg-type]


def line(suggestion: Suggestion) -> tuple[str, int, int | None, int | None]:
    return suggestion.possession, suggestion.spot, suggestion.down, suggestion.distance


def test_before_anything_the_home_club_kicks_off_and_the_scorer_is_asked_to_check() -> None:
    suggestion = after()
    assert (
        suggestion.situation,
        suggestion.possession,
        suggestion.spot,
        suggestion.clock,
        suggestion.period,
    ) == (
        "kickoff",
        HOME,
        35,
        900,
        1,
    )
    assert suggestion.check


FROM_SCRIMMAGE: dict[str, tuple[tuple[ev.Body, ...], tuple[str, int, int, int]]] = {
    "short of the line to gain": ((snap(), rush(34)), (HOME, 34, 2, 6)),
    "a loss": ((snap(), rush(27)), (HOME, 27, 2, 13)),
    "a new first down": ((snap(), rush(40)), (HOME, 40, 1, 10)),
    "first and goal inside the ten": ((snap(spot=85), rush(96, 85)), (HOME, 96, 1, 4)),
    "goal to go stays goal to go": ((snap(spot=92, distance=8), rush(95, 92)), (HOME, 95, 2, 5)),
    "turned over on downs": ((snap(down=4, distance=2), rush(31)), (AWAY, 69, 1, 10)),
    "fourth down made": ((snap(down=4, distance=2), rush(32)), (HOME, 32, 1, 10)),
    "an incomplete pass": (
        (snap(), ev.Pass(team=HOME, result="incomplete", throw_yard=30)),
        (HOME, 30, 2, 10),
    ),
    "a spike": ((snap(), ev.Pass(team=HOME, result="spike", throw_yard=30)), (HOME, 30, 2, 10)),
    "a catch and the run after it": (
        (
            snap(),
            ev.Pass(team=HOME, result="complete", throw_yard=30, reception_yard=36),
            ev.Run(team=HOME, kind="after_catch", start_yard=36, end_yard=51),
        ),
        (HOME, 51, 1, 10),
    ),
    "a sack": ((snap(), ev.Sack(team=HOME, start_yard=30, end_yard=22)), (HOME, 22, 2, 18)),
    "an interception brought back": (
        (
            snap(),
            ev.Pass(team=HOME, result="intercepted", throw_yard=30, reception_yard=60),
            ev.Interception(team=AWAY, yard=40),
            ev.Run(team=AWAY, kind="return", start_yard=40, end_yard=55),
        ),
        (AWAY, 55, 1, 10),
    ),
    "an interception downed in the end zone": (
        (
            snap(),
            ev.Pass(team=HOME, result="intercepted", throw_yard=30),
            ev.Interception(team=AWAY, yard=0),
        ),
        (AWAY, 20, 1, 10),
    ),
    "a fumble kept": (
        (snap(), rush(33), ev.Fumble(team=HOME, yard=33), ev.Recovery(team=HOME, yard=32)),
        (HOME, 32, 2, 8),
    ),
    "a fumble lost": (
        (snap(), rush(33), ev.Fumble(team=HOME, yard=33), ev.Recovery(team=AWAY, yard=67)),
        (AWAY, 67, 1, 10),
    ),
    "lost and won back is a first down": (
        (snap(), rush(33), ev.Recovery(team=AWAY, yard=67), ev.Recovery(team=HOME, yard=33)),
        (HOME, 33, 1, 10),
    ),
    "a punt fair caught": (
        (
            snap(down=4),
            ev.Kick(team=HOME, kind="punt", result="fair_catch", start_yard=30, distance=45),
        ),
        (AWAY, 25, 1, 10),
    ),
    "a punt into the end zone": (
        (
            snap(down=4, spot=60),
            ev.Kick(team=HOME, kind="punt", result="touchback", start_yard=60, distance=40),
        ),
        (AWAY, 20, 1, 10),
    ),
    "a field goal missed from the 40": (
        (
            snap(down=4, spot=60),
            ev.Kick(team=HOME, kind="field_goal", result="missed", start_yard=60, distance=57),
        ),
        (AWAY, 47, 1, 10),
    ),
    "a field goal missed from close in": (
        (
            snap(down=4, spot=90),
            ev.Kick(team=HOME, kind="field_goal", result="missed", start_yard=90, distance=27),
        ),
        (AWAY, 20, 1, 10),
    ),
    "a blocked kick recovered": (
        (
            snap(down=4),
            ev.Kick(team=HOME, kind="punt", result="blocked", start_yard=30),
            ev.Recovery(team=AWAY, yard=78),
        ),
        (AWAY, 78, 1, 10),
    ),
}


@pytest.mark.parametrize("case", FROM_SCRIMMAGE)
def test_next_down_distance_and_spot_after(case: str) -> None:
    bodies, expected = FROM_SCRIMMAGE[case]
    suggestion = after(*bodies)
    assert line(suggestion) == expected
    assert suggestion.situation == "scrimmage"
    assert suggestion.clock == 700


KICKOFFS = {
    "touchback": (("touchback", 65), None, (AWAY, 25)),
    "out of bounds": (("out_of_bounds", 50), None, (AWAY, 40)),
    "returned": (
        ("returned", 62),
        ev.Run(team=AWAY, kind="return", start_yard=3, end_yard=28),
        (AWAY, 28),
    ),
    "kept by the kickers": (("recovered", 12), ev.Recovery(team=HOME, yard=47), (HOME, 47)),
}


@pytest.mark.parametrize("case", KICKOFFS)
def test_first_and_ten_after_a_kickoff(case: str) -> None:
    (result, distance), then, expected = KICKOFFS[case]
    kick = ev.Kick(team=HOME, kind="kickoff", result=result, start_yard=35, distance=distance)  # type: ignore[arg-type]
    suggestion = after(kickoff(), kick, *([then] if then else []))
    assert line(suggestion) == (*expected, 1, 10)


def test_a_touchdown_leads_to_a_try_the_try_to_a_kickoff_by_the_same_club() -> None:
    touchdown = (snap(spot=90, distance=10), rush(100, 90, touchdown=True))
    suggestion = after(*touchdown)
    assert (suggestion.situation, suggestion.possession, suggestion.spot, suggestion.down) == (
        "try",
        HOME,
        85,
        None,
    )
    kick = ev.Kick(team=HOME, kind="extra_point", result="missed", start_yard=85)
    suggestion = after(*touchdown, a_try(), kick)
    assert (suggestion.situation, suggestion.possession, suggestion.spot) == ("kickoff", HOME, 35)


def test_the_club_whose_try_was_brought_back_still_kicks_off() -> None:
    back = ev.Conversion(team=AWAY, side="defence", kind="return", good=True)
    suggestion = after(a_try(), ev.Conversion(team=HOME, kind="pass", good=False), back)
    assert (suggestion.situation, suggestion.possession) == ("kickoff", HOME)


def test_a_return_touchdown_gives_the_try_to_the_returning_club() -> None:
    run = ev.Run(team=AWAY, kind="return", start_yard=5, end_yard=100, is_touchdown=True)
    suggestion = after(
        kickoff(),
        ev.Kick(team=HOME, kind="kickoff", result="returned", start_yard=35, distance=60),
        run,
    )
    assert (suggestion.situation, suggestion.possession) == ("try", AWAY)


def test_after_a_field_goal_the_scorers_kick_off() -> None:
    suggestion = after(
        snap(spot=75, down=4),
        ev.Kick(team=HOME, kind="field_goal", result="good", start_yard=75, distance=42),
    )
    assert (suggestion.situation, suggestion.possession, suggestion.spot) == ("kickoff", HOME, 35)


def test_after_a_safety_the_club_that_conceded_it_kicks_free_from_its_20() -> None:
    suggestion = after(
        snap(spot=5), ev.Sack(team=HOME, start_yard=5, end_yard=0), ev.Safety(team=AWAY)
    )
    assert (suggestion.situation, suggestion.possession, suggestion.spot) == ("free_kick", HOME, 20)


def test_the_receivers_of_the_opening_kickoff_kick_off_the_second_half() -> None:
    suggestion = after(
        kickoff(AWAY), snap(AWAY), rush(34, team=AWAY), ev.Period(period=3, phase="start")
    )
    assert (suggestion.situation, suggestion.possession, suggestion.period, suggestion.clock) == (
        "kickoff",
        HOME,
        3,
        900,
    )


def test_the_second_quarter_goes_on_where_the_first_ended_with_a_full_clock() -> None:
    suggestion = after(
        snap(), rush(34), ev.Period(period=1, phase="end"), ev.Period(period=2, phase="start")
    )
    assert line(suggestion) == (HOME, 34, 2, 6)
    assert (suggestion.period, suggestion.clock) == (2, 900)


def test_overtime_has_ten_minutes_and_its_kicker_is_the_scorers_to_say() -> None:
    suggestion = after(snap(), rush(34), ev.Period(period=5, phase="start"))
    assert (suggestion.situation, suggestion.clock, suggestion.check) == ("kickoff", 600, True)


PENALTIES = {
    "holding that wipes out the run": (
        (foul(HOME, 10, "nullify"), ev.Nullify(events=(2,))),
        (HOME, 20, 1, 20),
    ),
    "offside that wipes out the run": (
        (foul(AWAY, 5, "nullify"), ev.Nullify(events=(2,))),
        (HOME, 35, 1, 5),
    ),
    "a first down by the foul": (
        (foul(AWAY, 5, "first_down"), ev.Nullify(events=(2,))),
        (HOME, 35, 1, 10),
    ),
    "walked off from the end of the run": ((foul(AWAY, 15, "downfield"),), (HOME, 49, 1, 10)),
    "declined": ((foul(AWAY, 5, "decline", "declined"),), (HOME, 34, 2, 6)),
}


@pytest.mark.parametrize("case", PENALTIES)
def test_one_simple_foul_moves_the_suggestion(case: str) -> None:
    more, expected = PENALTIES[case]
    suggestion = after(snap(), rush(34), *more)
    assert line(suggestion) == expected
    assert suggestion.check == (case != "declined")


def test_several_fouls_are_walked_off_one_after_the_other_and_the_scorer_looks() -> None:
    suggestion = after(snap(), rush(34), foul(AWAY, 15, "first_down"), foul(HOME, 10, "downfield"))
    assert line(suggestion) == (HOME, 39, 1, 10)
    assert suggestion.check
    assert (
        suggestion.why
        == "A foul against DAL, 15 yards and a foul against SF, 10 yards: first down."
    )


def test_a_nullified_snap_falls_back_to_the_play_before() -> None:
    suggestion = after(snap(), rush(34), snap(spot=34, down=2, distance=6), ev.Nullify(events=(3,)))
    assert line(suggestion) == (HOME, 34, 2, 6)


def test_an_overturned_run_moves_the_suggestion() -> None:
    suggestion = after(snap(), rush(45), ev.Overturn(event=2, ruling=rush(38)))
    assert line(suggestion) == (HOME, 38, 2, 2)


@pytest.mark.parametrize("seed", range(4))
def test_every_sure_suggestion_is_what_a_simulated_game_does_next(seed: int) -> None:
    """Only fouls, coin tosses and the choice between one and two points are left to the scorer."""
    kickoff = datetime(2026, 9, 6, tzinfo=UTC)
    fixture = Fixture("g", CLUBS[seed], CLUBS[seed + 3], kickoff, 2026, 1)
    script = simulate_game(seed, fixture, rosters())
    sofar: list[ev.GameEvent] = []
    book = rulebook("demo", 2026)
    play = sure = 0
    for number, step in enumerate(script.events, start=1):
        body = step.body
        if isinstance(body, ev.Snap):
            suggestion = next_snap(
                effective_events(sofar), home=script.home.id, away=script.away.id, book=book
            )
            play += 1
            if not suggestion.check and body.situation != "try":
                sure += 1
                assert (*line(suggestion), suggestion.situation) == (
                    body.possession,
                    body.spot,
                    body.down,
                    body.distance,
                    body.situation,
                ), f"event {number}"
        number_of_play = play if step.play_number is None else step.play_number
        sofar.append(
            ev.GameEvent(
                game_id="g",
                event_number=number,
                play_number=number_of_play,
                epoch=1,
                recorded_at=0,
                body=body,
            )
        )
    assert sure > 100


def test_the_ball_is_followed_within_a_play() -> None:
    events = effective_events(record(snap(), rush(36), ev.Fumble(team=HOME, player="p1", yard=36)))
    first, action = last_play(events)
    assert first is not None
    ball = ball_after(first, action, HOME, AWAY, BOOK)
    assert (ball.team, ball.yard, ball.player, ball.turned) == (HOME, 36, "p1", False)


def test_the_last_passer_and_kicker_are_remembered_by_club() -> None:
    thrown = ev.Pass(team=HOME, passer="qb", result="incomplete", throw_yard=30)
    punt = ev.Kick(team=AWAY, kicker="p", kind="punt", result="downed", start_yard=30, distance=40)
    recent = recent_players(effective_events(record(snap(), thrown, snap(AWAY), punt)))
    assert recent.passer == {HOME: "qb"}
    assert (recent.punter, recent.place_kicker) == ({AWAY: "p"}, {})


def test_taking_back_a_fact_nullifies_it() -> None:
    assert inverse(fold(record(snap(), rush(34))), [2]) == [
        ev.Nullify(events=(2,), reason="taken back by the scorer")
    ]


def test_taking_back_a_nullify_brings_the_same_body_back() -> None:
    events = record(snap(), rush(34), ev.Nullify(events=(1, 2)))
    again = record(*(event.body for event in events), *inverse(fold(events), [3]))
    assert effective_events(again) == effective_events(events[:2])


def test_taking_back_an_overturn_restores_the_ruling_before_it() -> None:
    events = record(snap(), rush(34), ev.Overturn(event=2, ruling=rush(31)))
    again = record(*(event.body for event in events), *inverse(fold(events), [3]))
    assert effective_events(again) == effective_events(events[:2])


def test_what_stands_no_more_cannot_be_taken_back_twice() -> None:
    assert inverse(fold(record(snap(), rush(34), ev.Nullify(events=(2,)))), [2]) == []


def test_the_highest_revision_wins_whatever_the_order() -> None:
    events = record(
        snap(), rush(34), ev.Overturn(event=2, ruling=rush(31)), ev.Nullify(events=(2,))
    )
    assert effective_events(reversed(events)) == [EffectiveEvent(1, 1, snap())]
