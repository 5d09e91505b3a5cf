"""The rules that differ by competition and season, and what they make of an accepted foul."""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.rules.football.rulebook import rulebook
from app.record.rules.football.situation import next_snap
from app.record.rules.football.suggestion import Suggestion
from scorer_console.record.effective_events import EffectiveEvent

HOME, AWAY = "SF", "DAL"


def after(*bodies: ev.Body, competition: str = "nfl", season: int = 2019) -> Suggestion:
    play, events = 0, []
    for number, body in enumerate(bodies, start=1):
        play += isinstance(body, ev.Snap)
        events.append(EffectiveEvent(number, play, body))
    return next_snap(events, home=HOME, away=AWAY, book=rulebook(competition, season))


def line(suggestion: Suggestion) -> tuple[str, int, int | None, int | None]:
    return suggestion.possession, suggestion.spot, suggestion.down, suggestion.distance


def snap(spot: int = 30, down: int = 2, distance: int = 8) -> ev.Snap:
    return ev.Snap(possession=HOME, spot=spot, period=1, clock=700, down=down, distance=distance)


def rush(to: int, start: int = 30) -> ev.Run:
    return ev.Run(team=HOME, kind="rush", start_yard=start, end_yard=to)


def flag(team: str, foul: str, yards: int, outcome: str | None = None) -> ev.Penalty:
    return ev.Penalty(team=team, foul=foul, yards=yards, outcome=outcome)  # type: ignore[arg-type]


def noted(team: str, foul: str, yards: int, yard: int, outcome: str) -> ev.Penalty:
    values = {
        "team": team,
        "foul": foul,
        "yards": yards,
        "outcome": outcome,
        "enforcement_yard": yard,
    }
    return ev.Penalty(**values)  # type: ignore[arg-type]


KICKOFF = ev.Snap(possession=HOME, spot=35, period=1, clock=900, situation="kickoff")
TOUCHBACK = ev.Kick(team=HOME, kind="kickoff", result="touchback", start_yard=35, distance=65)
TOUCHDOWN = ev.Run(team=HOME, kind="rush", start_yard=95, end_yard=100, is_touchdown=True)
MISSED = ev.Kick(team=HOME, kind="field_goal", result="missed", start_yard=65, distance=53)

SEASONS = {
    "kickoffs from the 30 until 2010": ("nfl", 2010, "kickoff", 30),
    "and from the 35 since": ("nfl", 2011, "kickoff", 35),
    "touchbacks at the 20 until 2015": ("nfl", 2015, "kickoff_touchback", 20),
    "and at the 25 since": ("nfl", 2016, "kickoff_touchback", 25),
    "tries from the 2 until 2014": ("nfl", 2014, "try_spot", 98),
    "and from the 15 since": ("nfl", 2015, "try_spot", 85),
    "overtime of fifteen minutes until 2016": ("nfl", 2016, "overtime", 900),
    "and of ten since": ("nfl", 2017, "overtime", 600),
    "overtime won by the first score until 2011": ("nfl", 2011, "overtime_rule", "sudden_death"),
    "and not by a field goal at once since": ("nfl", 2012, "overtime_rule", "modified"),
    "and after both clubs had the ball since 2025": ("nfl", 2025, "overtime_rule", "both"),
    "one period of it at most": ("nfl", 2019, "overtime_periods", 1),
    "series from the 25 at college": ("ncaa", 2019, "overtime_spot", 75),
    "and from the 10 at high school": ("nfhs", 2019, "overtime_spot", 90),
    "tries for two from the second extra period of 2021": ("ncaa", 2021, "overtime_two_from", 2),
    "a college try from the 3": ("ncaa", 2019, "try_spot", 97),
    "a quarter of twelve minutes at high school": ("nfhs", 2019, "period", 720),
    "the oldest rules known before 2009": ("nfl", 1999, "kickoff", 30),
    "the NFL's for a competition without a chapter": ("friends", 2019, "kickoff_touchback", 25),
}


@pytest.mark.parametrize("case", SEASONS)
def test_a_season_has_its_rules(case: str) -> None:
    competition, season, name, value = SEASONS[case]
    assert getattr(rulebook(competition, season), name) == value


def test_a_touchback_a_try_and_a_missed_field_goal_follow_the_rules_of_the_season() -> None:
    assert line(after(KICKOFF, TOUCHBACK, season=2015)) == (AWAY, 20, 1, 10)
    assert line(after(KICKOFF, TOUCHBACK, season=2016)) == (AWAY, 25, 1, 10)
    assert [after(snap(95, 1, 5), TOUCHDOWN, season=season).spot for season in (2014, 2015)] == [
        98,
        85,
    ]
    assert line(after(snap(65, 4, 13), MISSED)) == (AWAY, 43, 1, 10)  # from the spot of the kick
    # from that of the snap
    assert line(after(snap(65, 4, 13), MISSED, competition="ncaa")) == (AWAY, 35, 1, 10)


def test_a_kick_brought_out_of_the_end_zone_counts_from_where_it_was_caught() -> None:
    deep = ev.Kick(team=HOME, kind="kickoff", result="returned", start_yard=35, distance=70)
    back = ev.Run(team=AWAY, kind="return", start_yard=-5, end_yard=20)
    assert line(after(KICKOFF, deep, back)) == (AWAY, 20, 1, 10)
    assert ev.check(back) == back


FOULS = {
    "defensive holding gives a first down short of the line": (
        (flag(AWAY, "Defensive Holding", 5),),
        (HOME, 35, 1, 10),
    ),
    "offside does not": ((flag(AWAY, "Defensive Offside", 5),), (HOME, 35, 2, 3)),
    "offside beyond the line does": ((flag(AWAY, "Defensive Offside", 8),), (HOME, 38, 1, 10)),
    "a false start repeats the down": ((flag(HOME, "False Start", 5),), (HOME, 25, 2, 13)),
    "a holding from the end of the run repeats it": (
        (rush(34), flag(HOME, "Offensive Holding", 10, "downfield")),
        (HOME, 24, 2, 14),
    ),
    "a holding far beyond the line leaves a first down": (
        (rush(60), flag(HOME, "Offensive Holding", 10, "downfield")),
        (HOME, 50, 1, 10),
    ),
    "grounding costs the down": (
        (
            ev.Pass(team=HOME, result="incomplete", throw_yard=30),
            flag(HOME, "Intentional Grounding", 10, "downfield"),
        ),
        (HOME, 20, 3, 18),
    ),
    "a dead-ball foul comes after the play": (
        (rush(34), flag(HOME, "Unsportsmanlike Conduct", 15, "downfield")),
        (HOME, 19, 3, 19),
    ),
    "roughing is added to the catch": (
        (
            ev.Pass(team=HOME, result="complete", throw_yard=30, reception_yard=40),
            flag(AWAY, "Roughing the Passer", 15, "downfield"),
        ),
        (HOME, 55, 1, 10),
    ),
    "walked off from where the scorer noted it": (
        (rush(41), noted(HOME, "Face Mask", 15, 36, "downfield")),
        (HOME, 21, 2, 17),
    ),
    "which counts from the goal line of the club that fouled": (
        (rush(41), noted(AWAY, "Face Mask", 15, 55, "downfield")),
        (HOME, 60, 1, 10),
    ),
    "interference to its spot, with the attempt struck out": (
        (noted(AWAY, "Defensive Pass Interference", 22, 70, "first_down"),),
        (HOME, 52, 1, 10),
    ),
    "fouls of both repeat the down": (
        (
            ev.Penalty(team=HOME, foul="Offensive Holding", status="offsetting"),
            ev.Penalty(team=AWAY, foul="Illegal Contact", status="offsetting"),
        ),
        (HOME, 30, 2, 8),
    ),
}


@pytest.mark.parametrize("case", FOULS)
def test_a_foul_is_walked_off_by_the_book(case: str) -> None:
    bodies, expected = FOULS[case]
    suggestion = after(snap(), *bodies)
    assert line(suggestion) == expected
    assert suggestion.check


def test_high_school_gives_no_first_down_for_holding() -> None:
    suggestion = after(snap(distance=12), flag(AWAY, "Defensive Holding", 10), competition="nfhs")
    assert line(suggestion) == (HOME, 40, 2, 2)


def test_a_foul_on_the_kickoff_moves_the_next_kick_or_the_return() -> None:
    assert after(KICKOFF, flag(AWAY, "Illegal Formation", 5, "nullify")).spot == 40
    kick = ev.Kick(team=HOME, kind="kickoff", result="returned", start_yard=35, distance=60)
    back = ev.Run(team=AWAY, kind="return", start_yard=5, end_yard=30)
    suggestion = after(KICKOFF, kick, back, flag(AWAY, "Offensive Holding", 10, "downfield"))
    assert line(suggestion) == (AWAY, 20, 1, 10)


def test_a_foul_on_the_return_is_walked_off_from_its_own_spot() -> None:
    kick = ev.Kick(team=HOME, kind="kickoff", result="returned", start_yard=35, distance=60)
    back = ev.Run(team=AWAY, kind="return", start_yard=5, end_yard=30)
    suggestion = after(KICKOFF, kick, back, noted(AWAY, "Offensive Holding", 10, 22, "downfield"))
    assert line(suggestion) == (AWAY, 12, 1, 10)


def test_the_flag_on_a_touchdown_moves_the_try_or_the_kickoff() -> None:
    a_try = ev.Snap(possession=HOME, spot=85, period=1, clock=690, situation="try")
    on_the_try = noted(AWAY, "Unsportsmanlike Conduct", 7, 15, "nullify")
    suggestion = after(snap(95, 1, 5), TOUCHDOWN, a_try, on_the_try)
    assert (suggestion.situation, suggestion.spot) == ("try", 92)
    nearer = ev.Snap(possession=HOME, spot=92, period=1, clock=690, situation="try")
    good = ev.Kick(team=HOME, kind="extra_point", result="good", start_yard=92)
    assert after(snap(95, 1, 5), TOUCHDOWN, a_try, on_the_try, nearer, good).spot == 35
    on_the_kickoff = noted(AWAY, "Unsportsmanlike Conduct", 15, 65, "downfield")
    assert after(snap(95, 1, 5), TOUCHDOWN, on_the_kickoff).spot == 85
    assert after(snap(95, 1, 5), TOUCHDOWN, on_the_kickoff, a_try, good).spot == 50


def test_a_foul_on_the_try_moves_the_kickoff() -> None:
    a_try = ev.Snap(possession=HOME, spot=85, period=1, clock=700, situation="try")
    good = ev.Kick(team=HOME, kind="extra_point", result="good", start_yard=85)
    suggestion = after(a_try, good, flag(AWAY, "Unsportsmanlike Conduct", 15, "downfield"))
    assert (suggestion.situation, suggestion.possession, suggestion.spot) == ("kickoff", HOME, 50)


def test_a_flag_on_the_touchdown_waits_for_the_kickoff() -> None:
    a_try = ev.Snap(possession=HOME, spot=85, period=1, clock=700, situation="try")
    good = ev.Kick(team=HOME, kind="extra_point", result="good", start_yard=85)
    suggestion = after(
        snap(95, 1, 5), TOUCHDOWN, flag(AWAY, "Unnecessary Roughness", 15, "downfield"), a_try, good
    )
    assert (suggestion.situation, suggestion.spot, suggestion.check) == ("kickoff", 50, True)


def test_a_recovery_on_the_spot_of_the_fumble_asks_the_scorer_to_look() -> None:
    fumble = ev.Fumble(team=HOME, yard=34)
    assert after(snap(), rush(34), fumble, ev.Recovery(team=AWAY, yard=66)).check
    assert not after(snap(), rush(34), fumble, ev.Recovery(team=AWAY, yard=63)).check
