"""From movements to statistics: every trap that real games hold, as made-up plays of Harbor against Summit."""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.rules.stat_lines import credits, is_special, stat_lines, touchdown_of
from app.record.rules.statistics import STATS

H, S = "HRB", "SUM"
SNAP = ev.Snap(possession=H, spot=30, period=1, clock=600, down=1, distance=10)
PUNT = ev.Kick(team=H, kicker="punter", kind="punt", result="returned", start_yard=30, distance=40)
KICKOFF = ev.Kick(team=H, kicker="kicker", kind="kickoff", result="returned", start_yard=35, distance=60)


def catch(to: int, *, touchdown: bool = False, passer: str = "passer", receiver: str | None = "catcher") -> ev.Pass:
    return ev.Pass(
        team=H,
        passer=passer,
        receiver=receiver,
        result="complete",
        throw_yard=30,
        reception_yard=to,
        is_touchdown=touchdown,
    )


def run(kind: str, player: str | None, start: int, end: int, *, team: str = H, touchdown: bool = False) -> ev.Run:
    return ev.Run(team=team, player=player, kind=kind, start_yard=start, end_yard=end, is_touchdown=touchdown)  # type: ignore[arg-type]


def fumble(player: str | None, team: str = H, by: str | None = None) -> ev.Fumble:
    return ev.Fumble(team=team, player=player, forced_by=by, forced_by_team=None if by is None else S)


def recovery(player: str | None, team: str, *, touchdown: bool = False) -> ev.Recovery:
    return ev.Recovery(team=team, player=player, is_touchdown=touchdown)


def stats(*bodies: ev.Body) -> dict[str, dict[str, int]]:
    """Statistics by player of one play of Harbor."""
    numbered = [(n, 1, body) for n, body in enumerate((SNAP, *bodies), 1)]
    return {player: line.stats for player, line in stat_lines(credits(numbered)).items()}


def test_passing_yards_run_from_the_line_of_scrimmage_to_the_end_of_the_play() -> None:
    found = stats(catch(40), run("after_catch", "catcher", 40, 52))
    assert found["passer"] == {"attempts": 1, "completions": 1, "passing_yards": 22}
    assert found["catcher"] == {"targets": 1, "receptions": 1, "receiving_yards": 22}


def test_yards_after_a_lateral_are_his_who_gained_them_without_a_catch() -> None:
    found = stats(
        catch(40),
        run("after_catch", "catcher", 40, 45),
        run("after_lateral", "second", 45, 70),
        run("after_lateral", "third", 70, 100, touchdown=True),
    )
    assert found["passer"] == {"attempts": 1, "completions": 1, "passing_yards": 70, "passing_tds": 1}
    assert found["catcher"] == {"targets": 1, "receptions": 1, "receiving_yards": 15}
    assert found["second"] == {"receiving_yards": 25}
    assert found["third"] == {"receiving_yards": 30, "receiving_tds": 1}


def test_a_lateral_on_a_rush_gives_yards_without_a_carry() -> None:
    found = stats(run("rush", "runner", 30, 35), run("after_lateral", "second", 35, 100, touchdown=True))
    assert found["runner"] == {"carries": 1, "rushing_yards": 5}
    assert found["second"] == {"rushing_yards": 65, "rushing_tds": 1}


def test_a_lateral_may_lose_yards_to_everybody() -> None:
    found = stats(catch(38), run("after_lateral", "second", 38, 26))
    assert found["passer"]["passing_yards"] == -4
    assert found["second"] == {"receiving_yards": -12}


@pytest.mark.parametrize("flags", [(True, False), (False, True), (True, True)])
def test_a_touchdown_is_counted_once_wherever_it_is_flagged(flags: tuple[bool, bool]) -> None:
    found = stats(catch(60, touchdown=flags[0]), run("after_catch", "catcher", 60, 100, touchdown=flags[1]))
    assert found["passer"]["passing_tds"] == found["catcher"]["receiving_tds"] == 1


def test_a_passer_may_catch_his_own_pass() -> None:
    assert stats(catch(25, receiver="passer"))["passer"] == {
        "attempts": 1,
        "completions": 1,
        "passing_yards": -5,
        "targets": 1,
        "receptions": 1,
        "receiving_yards": -5,
    }


def test_two_passers_on_a_play_are_both_credited() -> None:
    batted = ev.Pass(team=H, passer="first", result="incomplete", throw_yard=30)
    found = stats(batted, catch(50, passer="second"))
    assert found["first"] == {"attempts": 1}
    assert found["second"]["passing_yards"] == 20


@pytest.mark.parametrize(
    ("result", "passer", "receiver"),
    [
        ("incomplete", {"attempts": 1}, {"targets": 1}),
        ("spike", {"attempts": 1}, None),
        ("intercepted", {"attempts": 1, "passing_interceptions": 1}, {"targets": 1}),
    ],
)
def test_a_throw_nobody_of_his_caught_is_an_attempt(
    result: str, passer: dict[str, int], receiver: dict[str, int] | None
) -> None:
    body = ev.Pass(team=H, passer="passer", receiver="catcher", result=result, throw_yard=30)  # type: ignore[arg-type]
    found = stats(body)
    assert found["passer"] == passer
    assert found.get("catcher") == receiver


def test_a_sack_is_no_attempt_and_may_be_shared() -> None:
    sack = ev.Sack(team=H, player="passer", start_yard=30, end_yard=23, by_team=S, by=("one", "two"))
    found = stats(sack)
    assert found["passer"] == {"sacks_suffered": 1, "sack_yards_lost": 7}
    assert found["one"] == found["two"] == {"half_sacks": 1}
    alone = ev.Sack(team=H, player="passer", start_yard=30, end_yard=23, by_team=S, by=("one",))
    assert stats(alone)["one"] == {"half_sacks": 2}


def test_half_a_sack_may_be_the_teams() -> None:
    sack = ev.Sack(team=H, player="passer", start_yard=30, end_yard=23, by_team=S, by=("one", None))
    assert stats(sack)["one"] == {"half_sacks": 1}


@pytest.mark.parametrize("kind", ["rush", "scramble", "kneel"])
def test_scrambles_and_kneels_are_carries(kind: str) -> None:
    assert stats(run(kind, "runner", 30, 29))["runner"] == {"carries": 1, "rushing_yards": -1}


LOST = {"fumbles": 1, "fumbles_lost": 1, "fumbles_lost_scoring": 1}


def test_a_fumble_lost_on_a_run_a_catch_or_a_sack_costs_points() -> None:
    ran = stats(run("rush", "back", 30, 34), fumble("back", by="thief"), recovery("thief", S))
    caught = stats(catch(40, receiver="back"), fumble("back"), recovery("thief", S))
    sacked = stats(ev.Sack(team=H, player="back", start_yard=30, end_yard=22), fumble("back"), recovery("thief", S))
    for found in (ran, caught, sacked):
        assert {stat: found["back"][stat] for stat in LOST} == LOST
        assert found["thief"]["fumbles_recovered_opp"] == 1
    assert ran["thief"]["fumbles_forced"] == 1


FREE_FUMBLES = [
    ("a returner", [PUNT, run("return", "back", 30, 41, team=S), fumble("back", S), recovery("cover", H)]),
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
def test_a_fumble_lost_costs_nothing_without_a_carry_catch_or_sack(word: str, bodies: list[ev.Body]) -> None:
    line = stats(*bodies)["back"]
    assert line["fumbles_lost"] == 1
    assert "fumbles_lost_scoring" not in line


def test_an_aborted_snap_fumbled_by_the_runner_himself_costs_points() -> None:
    found = stats(fumble("passer"), run("rush", "passer", 30, 30), recovery("thief", S))
    assert found["passer"]["fumbles_lost_scoring"] == 1


def test_a_fumble_kept_is_not_lost() -> None:
    found = stats(
        run("rush", "back", 30, 34), fumble("back"), recovery("mate", H), run("after_recovery", "mate", 34, 40)
    )
    assert found["back"] == {"carries": 1, "rushing_yards": 4, "fumbles": 1}
    assert found["mate"] == {"fumbles_recovered_own": 1}


def test_a_fumble_out_of_bounds_is_not_lost_unless_the_other_club_gets_the_ball() -> None:
    out = ev.Fumble(team=H, player="back", out_of_bounds=True)
    assert "fumbles_lost" not in stats(run("rush", "back", 30, 99), out)["back"]
    assert stats(run("rush", "back", 30, 99), out, recovery(None, S))["back"]["fumbles_lost_scoring"] == 1


def test_two_fumbles_on_a_play_are_each_lost_to_the_next_recovery() -> None:
    found = stats(
        run("rush", "back", 30, 34),
        fumble("back"),
        recovery("thief", S),
        run("after_recovery", "thief", 66, 70, team=S),
        fumble("thief", S),
        recovery("mate", H, touchdown=True),
    )
    assert found["back"]["fumbles_lost_scoring"] == 1
    assert found["thief"] == {"fumbles_recovered_opp": 1, "fumbles": 1, "fumbles_lost": 1}
    assert found["mate"] == {"fumbles_recovered_opp": 1, "fumble_recovery_tds": 1}


def test_a_recovery_carried_home_is_a_statistic_but_no_rushing_touchdown() -> None:
    own = stats(
        run("rush", "back", 30, 34),
        fumble("back"),
        recovery("mate", H),
        run("after_recovery", "mate", 34, 100, touchdown=True),
    )
    assert own["mate"] == {"fumbles_recovered_own": 1, "fumble_recovery_tds": 1, "own_fumble_recovery_tds": 1}
    theirs = stats(
        run("rush", "back", 30, 34),
        fumble("back"),
        recovery("thief", S),
        run("after_lateral", "second", 66, 100, team=S, touchdown=True),
    )
    assert theirs["thief"] == {"fumbles_recovered_opp": 1}
    assert theirs["second"] == {"fumble_recovery_tds": 1, "def_tds": 1}


def test_an_interception_brought_home_is_a_defensive_touchdown() -> None:
    thrown = ev.Pass(team=H, passer="passer", result="intercepted", throw_yard=30)
    found = stats(
        thrown,
        ev.Interception(team=S, player="thief", yard=40),
        run("return", "thief", 40, 100, team=S, touchdown=True),
    )
    assert found["thief"] == {"interceptions_made": 1, "def_tds": 1}
    in_end_zone = stats(thrown, ev.Interception(team=S, player="thief", yard=100, is_touchdown=True))
    assert in_end_zone["thief"] == {"interceptions_made": 1, "def_tds": 1}


SPECIAL = [
    ("a punt brought back", [PUNT, run("return", "back", 30, 100, team=S, touchdown=True)], "punt_returns"),
    ("a kickoff brought back", [KICKOFF, run("return", "back", 5, 100, team=S, touchdown=True)], "kickoff_returns"),
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
def test_a_touchdown_with_a_kick_is_one_of_special_teams(word: str, bodies: list[ev.Body], returns: str | None) -> None:
    assert stats(*bodies)["back"] == {"special_teams_tds": 1} | ({returns: 1} if returns else {})


def test_a_muff_carried_home_is_a_fumble_recovery_not_special_teams() -> None:
    found = stats(PUNT, fumble("back", S), recovery("cover", H, touchdown=True))
    assert found["cover"] == {"fumbles_recovered_opp": 1, "fumble_recovery_tds": 1}


def test_a_thrown_touchdown_after_a_real_kick_counts_for_both_as_special_teams_too() -> None:
    blocked = ev.Kick(team=H, kicker="passer", kind="punt", result="blocked", blocked_by_team=S)
    found = stats(blocked, recovery("passer", H), catch(100, touchdown=True))
    assert found["passer"]["special_teams_tds"] == found["passer"]["passing_tds"] == 1
    assert found["catcher"]["special_teams_tds"] == found["catcher"]["receiving_tds"] == 1


def test_a_kick_that_never_was_makes_no_special_teams_play() -> None:
    aborted = ev.Kick(team=H, kind="field_goal", result="aborted")
    assert stats(aborted, run("rush", "holder", 30, 100, touchdown=True))["holder"] == {
        "carries": 1,
        "rushing_yards": 70,
        "rushing_tds": 1,
    }
    assert not is_special([(1, aborted)])


def test_conversions_give_no_yards_and_count_only_when_good() -> None:
    passed = ev.Conversion(team=H, kind="pass", good=True, passer="passer", player="catcher")
    assert stats(passed) == {"passer": {"passing_2pt": 1}, "catcher": {"receiving_2pt": 1}}
    assert stats(ev.Conversion(team=H, kind="rush", good=True, player="runner")) == {"runner": {"rushing_2pt": 1}}
    assert stats(ev.Conversion(team=H, kind="rush", good=False, player="runner")) == {}
    brought_back = ev.Conversion(team=S, side="defence", kind="return", good=True, player="thief")
    assert stats(brought_back) == {"thief": {"def_2pt": 1}}


def test_tackles_are_counted_officially_and_as_wide_columns_do() -> None:
    tackles = [
        ev.Tackle(team=S, tackler=who, kind=kind)
        for who, kind in (("alone", "solo"), ("first", "primary"), ("second", "assist"), (None, "assist"))
    ]
    assert stats(*tackles) == {
        "alone": {"tackles_solo": 1},
        "first": {"tackles_with_assist": 1, "tackles_assist": 1},
        "second": {"tackle_assists": 1, "tackles_assist": 1},
    }


def test_kickers_are_credited_by_distance() -> None:
    def field_goal(result: str, distance: int | None) -> ev.Kick:
        return ev.Kick(team=H, kicker="kicker", kind="field_goal", result=result, distance=distance)  # type: ignore[arg-type]

    assert stats(field_goal("good", 60))["kicker"] == {"fg_att": 1, "fg_made": 1, "fg_made_60_plus": 1}
    assert stats(field_goal("good", 39))["kicker"] == {"fg_att": 1, "fg_made": 1, "fg_made_30_39": 1}
    assert stats(field_goal("missed", 39))["kicker"] == {"fg_att": 1, "fg_missed": 1}
    assert stats(field_goal("blocked", 39))["kicker"] == {"fg_att": 1, "fg_blocked": 1}
    extra = ev.Kick(team=H, kicker="kicker", kind="extra_point", result="missed")
    assert stats(extra)["kicker"] == {"pat_att": 1}


def test_a_credit_without_a_player_makes_no_line_but_keeps_the_others_right() -> None:
    found = stats(catch(40, receiver=None), run("after_lateral", None, 40, 50))
    assert found == {"passer": {"attempts": 1, "completions": 1, "passing_yards": 20}}


def test_every_credit_names_the_event_that_earned_it() -> None:
    bodies = [SNAP, catch(40), run("after_catch", "catcher", 40, 50), fumble("catcher"), recovery("thief", S)]
    earned = {
        (c.event_number, c.player_id, c.stat, c.amount) for c in credits([(n, 1, b) for n, b in enumerate(bodies, 1)])
    }
    assert {
        (2, "passer", "passing_yards", 10),
        (3, "passer", "passing_yards", 10),
        (3, "catcher", "receiving_yards", 10),
        (4, "catcher", "fumbles_lost_scoring", 1),
        (5, "thief", "fumbles_recovered_opp", 1),
    } <= earned


def test_events_count_in_order_of_number_whatever_their_order_of_arrival() -> None:
    bodies = [SNAP, catch(40), run("after_catch", "catcher", 40, 50), fumble("catcher"), recovery("thief", S)]
    numbered = [(n, 1, body) for n, body in enumerate(bodies, 1)]
    assert credits(reversed(numbered)) == credits(numbered)


def test_a_run_whose_pass_is_not_there_earns_nothing() -> None:
    assert stats(run("after_catch", "catcher", 40, 50)) == {}


def test_plays_do_not_run_into_each_other() -> None:
    numbered: list[tuple[int, int, ev.Body]] = [
        (1, 1, SNAP),
        (2, 1, run("rush", "back", 30, 33)),
        (3, 1, fumble("back")),
        (4, 2, SNAP),
        (5, 2, recovery("thief", S)),
    ]
    assert "fumbles_lost" not in stat_lines(credits(numbered))["back"].stats


def test_a_players_team_is_the_one_he_earned_for() -> None:
    lines = stat_lines(credits([(1, 1, SNAP), (2, 1, run("rush", "back", 30, 33))]))
    assert lines["back"].team == H


def test_all_statistics_have_a_place_in_the_list() -> None:
    bodies = [body for case in SPECIAL for body in case[1]] + [body for case in FREE_FUMBLES for body in case[1]]
    found = credits([(n, n, body) for n, body in enumerate(bodies, 1)])
    assert {credit.stat for credit in found} <= set(STATS)
    assert len(set(STATS)) == len(STATS)
    assert touchdown_of([(1, SNAP)]) is None
