"""Statistics from movements.

Fumbles, recoveries and returns, with the traps that real games hold.
"""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.rules.stat_lines import is_special
from app.record.rules.team_defence import all_credits
from tests.worlds.plays import KICKOFF, PUNT, H, S, catch, fumble, recovery, run, stats

LOST = {"fumbles": 1, "fumbles_lost": 1, "fumbles_lost_scoring": 1}


def test_a_fumble_lost_on_a_run_a_catch_or_a_sack_costs_points() -> None:
    ran = stats(run("rush", "back", 30, 34), fumble("back", by="thief"), recovery("thief", S))
    caught = stats(catch(40, receiver="back"), fumble("back"), recovery("thief", S))
    sacked = stats(
        ev.Sack(team=H, player="back", start_yard=30, end_yard=22),
        fumble("back"),
        recovery("thief", S),
    )
    for lines in (ran, caught, sacked):
        assert {stat: lines["back"][stat] for stat in LOST} == LOST
        assert lines["thief"]["fumbles_recovered_opp"] == 1
    assert ran["thief"]["fumbles_forced"] == 1


FREE_FUMBLES = [
    (
        "a returner",
        [PUNT, run("return", "back", 30, 41, team=S), fumble("back", S), recovery("cover", H)],
    ),
    ("a muff", [PUNT, fumble("back", S), recovery("cover", H)]),
    (
        "after an interception",
        [
            ev.Pass(team=H, passer="passer", result="intercepted", throw_yard=30),
            ev.Interception(team=S, player="back", yard=40),
            fumble("back", S),
            recovery("passer", H),
        ],
    ),
    (
        "the runner after a lateral",
        [catch(40), run("after_lateral", "back", 40, 50), fumble("back"), recovery("thief", S)],
    ),
    ("a centre's bad snap", [run("rush", "passer", 30, 30), fumble("back"), recovery("thief", S)]),
]


@pytest.mark.parametrize(("word", "bodies"), FREE_FUMBLES, ids=[case[0] for case in FREE_FUMBLES])
def test_a_fumble_lost_costs_nothing_without_a_carry_catch_or_sack(
    word: str, bodies: list[ev.Body]
) -> None:
    line = stats(*bodies)["back"]
    assert line["fumbles_lost"] == 1
    assert "fumbles_lost_scoring" not in line


def test_an_aborted_snap_fumbled_by_the_runner_costs_points() -> None:
    lines = stats(fumble("passer"), run("rush", "passer", 30, 30), recovery("thief", S))
    assert lines["passer"]["fumbles_lost_scoring"] == 1


def test_a_fumble_kept_is_not_lost() -> None:
    lines = stats(
        run("rush", "back", 30, 34),
        fumble("back"),
        recovery("mate", H),
        run("after_recovery", "mate", 34, 40),
    )
    assert lines["back"] == {"carries": 1, "rushing_yards": 4, "fumbles": 1}
    assert lines["mate"] == {"fumbles_recovered_own": 1}


def test_a_fumble_out_of_bounds_is_not_lost_unless_the_other_club_gets_the_ball() -> None:
    out = ev.Fumble(team=H, player="back", out_of_bounds=True)
    assert "fumbles_lost" not in stats(run("rush", "back", 30, 99), out)["back"]
    assert (
        stats(run("rush", "back", 30, 99), out, recovery(None, S))["back"]["fumbles_lost_scoring"]
        == 1
    )


def test_a_ball_that_goes_over_out_of_bounds_is_recovered_by_nobody() -> None:
    """It is lost, but no stat id of a recovery is given (NFL play_stats; nflgame issue 16)."""
    out = ev.Fumble(team=H, player="back", out_of_bounds=True)
    bodies = (run("rush", "back", 90, 97), out, recovery(None, S))
    numbered = [(number, 1, body) for number, body in enumerate(bodies, 1)]
    earned = {credit.stat for credit in all_credits(numbered, (H, S))}
    assert "fumbles_lost" in earned
    assert not [stat for stat in earned if "recover" in stat]


def test_two_fumbles_on_a_play_are_each_lost_to_the_next_recovery() -> None:
    lines = stats(
        run("rush", "back", 30, 34),
        fumble("back"),
        recovery("thief", S),
        run("after_recovery", "thief", 66, 70, team=S),
        fumble("thief", S),
        recovery("mate", H, touchdown=True),
    )
    assert lines["back"]["fumbles_lost_scoring"] == 1
    assert lines["thief"] == {"fumbles_recovered_opp": 1, "fumbles": 1, "fumbles_lost": 1}
    assert lines["mate"] == {"fumbles_recovered_opp": 1, "fumble_recovery_tds": 1}


def test_a_recovery_carried_home_is_a_statistic_but_no_rushing_touchdown() -> None:
    own_recovery = stats(
        run("rush", "back", 30, 34),
        fumble("back"),
        recovery("mate", H),
        run("after_recovery", "mate", 34, 100, touchdown=True),
    )
    assert own_recovery["mate"] == {
        "fumbles_recovered_own": 1,
        "fumble_recovery_tds": 1,
        "own_fumble_recovery_tds": 1,
    }
    opponents_fumble = stats(
        run("rush", "back", 30, 34),
        fumble("back"),
        recovery("thief", S),
        run("after_lateral", "second", 66, 100, team=S, touchdown=True),
    )
    assert opponents_fumble["thief"] == {"fumbles_recovered_opp": 1}
    assert opponents_fumble["second"] == {"fumble_recovery_tds": 1, "def_tds": 1}


def test_an_interception_brought_home_is_a_defensive_touchdown() -> None:
    thrown = ev.Pass(team=H, passer="passer", result="intercepted", throw_yard=30)
    lines = stats(
        thrown,
        ev.Interception(team=S, player="thief", yard=40),
        run("return", "thief", 40, 100, team=S, touchdown=True),
    )
    assert lines["thief"] == {"interceptions_made": 1, "def_tds": 1}
    in_end_zone = stats(
        thrown, ev.Interception(team=S, player="thief", yard=100, is_touchdown=True)
    )
    assert in_end_zone["thief"] == {"interceptions_made": 1, "def_tds": 1}


SPECIAL = [
    (
        "a punt brought back",
        [PUNT, run("return", "back", 30, 100, team=S, touchdown=True)],
        "punt_returns",
    ),
    (
        "a kickoff brought back",
        [KICKOFF, run("return", "back", 5, 100, team=S, touchdown=True)],
        "kickoff_returns",
    ),
    (
        "after a lateral on the way back",
        [
            KICKOFF,
            run("return", "other", 5, 20, team=S),
            run("after_lateral", "back", 20, 100, team=S, touchdown=True),
        ],
        None,
    ),
    (
        "a blocked punt picked up",
        [
            ev.Kick(team=H, kind="punt", result="blocked", blocked_by="tall", blocked_by_team=S),
            recovery("back", S),
            run("after_recovery", "back", 80, 100, team=S, touchdown=True),
        ],
        None,
    ),
    (
        "a blocked field goal brought back",
        [
            ev.Kick(team=H, kind="field_goal", result="blocked", blocked_by_team=S),
            recovery("back", S, touchdown=True),
        ],
        None,
    ),
    (
        "a missed field goal brought back",
        [
            ev.Kick(team=H, kind="field_goal", result="missed", distance=60),
            run("return", "back", 0, 100, team=S, touchdown=True),
        ],
        None,
    ),
    (
        "their own kickoff in the end zone",
        [ev.Kick(team=H, kind="kickoff", result="recovered"), recovery("back", H, touchdown=True)],
        None,
    ),
]


@pytest.mark.parametrize(("word", "bodies", "returns"), SPECIAL, ids=[case[0] for case in SPECIAL])
def test_a_touchdown_with_a_kick_is_one_of_special_teams(
    word: str, bodies: list[ev.Body], returns: str | None
) -> None:
    assert stats(*bodies)["back"] == {"special_teams_tds": 1} | ({returns: 1} if returns else {})


def test_a_muff_carried_home_is_a_fumble_recovery_not_special_teams() -> None:
    lines = stats(PUNT, fumble("back", S), recovery("cover", H, touchdown=True))
    assert lines["cover"] == {"fumbles_recovered_opp": 1, "fumble_recovery_tds": 1}


def test_a_thrown_touchdown_after_a_real_kick_counts_for_both_as_special_teams_too() -> None:
    blocked = ev.Kick(team=H, kicker="passer", kind="punt", result="blocked", blocked_by_team=S)
    lines = stats(blocked, recovery("passer", H), catch(100, touchdown=True))
    assert lines["passer"]["special_teams_tds"] == lines["passer"]["passing_tds"] == 1
    assert lines["catcher"]["special_teams_tds"] == lines["catcher"]["receiving_tds"] == 1


def test_a_kick_that_never_was_makes_no_special_teams_play() -> None:
    aborted = ev.Kick(team=H, kind="field_goal", result="aborted")
    assert stats(aborted, run("rush", "holder", 30, 100, touchdown=True))["holder"] == {
        "carries": 1,
        "rushing_yards": 70,
        "rushing_tds": 1,
    }
    assert not is_special([(1, aborted)])
