"""Statistics from movements.

Passes, runs, sacks, conversions, kicks and tackles, with the traps of real games.
"""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.rules.stat_lines import game_credits, stat_lines, touchdown_of
from app.record.rules.statistics import STATS
from tests.record.test_stat_lines_of_fumbles_and_returns import FREE_FUMBLES, SPECIAL
from tests.worlds.plays import SNAP, H, S, catch, fumble, recovery, run, stats


def test_passing_yards_run_from_the_line_of_scrimmage_to_the_end_of_the_play() -> None:
    lines = stats(catch(40), run("after_catch", "catcher", 40, 52))
    assert lines["passer"] == {"attempts": 1, "completions": 1, "passing_yards": 22}
    assert lines["catcher"] == {"targets": 1, "receptions": 1, "receiving_yards": 22}


def test_yards_after_a_lateral_belong_to_the_one_who_gained_them_without_a_catch() -> None:
    lines = stats(
        catch(40),
        run("after_catch", "catcher", 40, 45),
        run("after_lateral", "second", 45, 70),
        run("after_lateral", "third", 70, 100, touchdown=True),
    )
    assert lines["passer"] == {
        "attempts": 1,
        "completions": 1,
        "passing_yards": 70,
        "passing_tds": 1,
    }
    assert lines["catcher"] == {"targets": 1, "receptions": 1, "receiving_yards": 15}
    assert lines["second"] == {"receiving_yards": 25}
    assert lines["third"] == {"receiving_yards": 30, "receiving_tds": 1}


def test_a_lateral_on_a_rush_gives_yards_without_a_carry() -> None:
    lines = stats(
        run("rush", "runner", 30, 35), run("after_lateral", "second", 35, 100, touchdown=True)
    )
    assert lines["runner"] == {"carries": 1, "rushing_yards": 5}
    assert lines["second"] == {"rushing_yards": 65, "rushing_tds": 1}


def test_a_lateral_may_lose_yards_to_everybody() -> None:
    lines = stats(catch(38), run("after_lateral", "second", 38, 26))
    assert lines["passer"]["passing_yards"] == -4
    assert lines["second"] == {"receiving_yards": -12}


@pytest.mark.parametrize("flags", [(True, False), (False, True), (True, True)])
def test_a_touchdown_is_counted_once_wherever_it_is_flagged(flags: tuple[bool, bool]) -> None:
    lines = stats(
        catch(60, touchdown=flags[0]), run("after_catch", "catcher", 60, 100, touchdown=flags[1])
    )
    assert lines["passer"]["passing_tds"] == lines["catcher"]["receiving_tds"] == 1


def test_a_passer_may_catch_their_own_pass() -> None:
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
    lines = stats(batted, catch(50, passer="second"))
    assert lines["first"] == {"attempts": 1}
    assert lines["second"]["passing_yards"] == 20


@pytest.mark.parametrize(
    ("result", "passer", "receiver"),
    [
        ("incomplete", {"attempts": 1}, {"targets": 1}),
        ("spike", {"attempts": 1}, None),
        ("intercepted", {"attempts": 1, "passing_interceptions": 1}, {"targets": 1}),
    ],
)
def test_a_throw_that_no_teammate_caught_is_an_attempt(
    result: str, passer: dict[str, int], receiver: dict[str, int] | None
) -> None:
    body = ev.Pass(team=H, passer="passer", receiver="catcher", result=result, throw_yard=30)  # type: ignore[arg-type]
    lines = stats(body)
    assert lines["passer"] == passer
    assert lines.get("catcher") == receiver


def test_a_sack_is_no_attempt_and_may_be_shared() -> None:
    sack = ev.Sack(
        team=H, player="passer", start_yard=30, end_yard=23, by_team=S, by=("one", "two")
    )
    lines = stats(sack)
    assert lines["passer"] == {"sacks_suffered": 1, "sack_yards_lost": 7}
    assert lines["one"] == lines["two"] == {"half_sacks": 1}
    alone = ev.Sack(team=H, player="passer", start_yard=30, end_yard=23, by_team=S, by=("one",))
    assert stats(alone)["one"] == {"half_sacks": 2}


def test_half_a_sack_may_be_the_teams() -> None:
    sack = ev.Sack(team=H, player="passer", start_yard=30, end_yard=23, by_team=S, by=("one", None))
    assert stats(sack)["one"] == {"half_sacks": 1}


@pytest.mark.parametrize("kind", ["rush", "scramble", "kneel"])
def test_scrambles_and_kneels_are_carries(kind: str) -> None:
    assert stats(run(kind, "runner", 30, 29))["runner"] == {"carries": 1, "rushing_yards": -1}


def test_conversions_give_no_yards_and_count_only_when_good() -> None:
    passed = ev.Conversion(team=H, kind="pass", good=True, passer="passer", player="catcher")
    assert stats(passed) == {"passer": {"passing_2pt": 1}, "catcher": {"receiving_2pt": 1}}
    assert stats(ev.Conversion(team=H, kind="rush", good=True, player="runner")) == {
        "runner": {"rushing_2pt": 1}
    }
    assert stats(ev.Conversion(team=H, kind="rush", good=False, player="runner")) == {}
    brought_back = ev.Conversion(team=S, side="defence", kind="return", good=True, player="thief")
    assert stats(brought_back) == {"thief": {"def_2pt": 1}}


def test_tackles_are_counted_officially_and_as_wide_columns_do() -> None:
    tackles = [
        ev.Tackle(team=S, tackler=who, kind=kind)
        for who, kind in (
            ("alone", "solo"),
            ("first", "primary"),
            ("second", "assist"),
            (None, "assist"),
        )
    ]
    assert stats(*tackles) == {
        "alone": {"tackles_solo": 1},
        "first": {"tackles_with_assist": 1, "tackles_assist": 1},
        "second": {"tackle_assists": 1, "tackles_assist": 1},
    }


def test_kickers_are_credited_by_distance() -> None:
    def field_goal(result: str, distance: int | None) -> ev.Kick:
        return ev.Kick(team=H, kicker="kicker", kind="field_goal", result=result, distance=distance)  # type: ignore[arg-type]

    assert stats(field_goal("good", 60))["kicker"] == {
        "fg_att": 1,
        "fg_made": 1,
        "fg_made_60_plus": 1,
    }
    assert stats(field_goal("good", 39))["kicker"] == {
        "fg_att": 1,
        "fg_made": 1,
        "fg_made_30_39": 1,
    }
    assert stats(field_goal("missed", 39))["kicker"] == {"fg_att": 1, "fg_missed": 1}
    assert stats(field_goal("blocked", 39))["kicker"] == {"fg_att": 1, "fg_blocked": 1}
    extra = ev.Kick(team=H, kicker="kicker", kind="extra_point", result="missed")
    assert stats(extra)["kicker"] == {"pat_att": 1}


def test_a_credit_without_a_player_makes_no_line_but_keeps_the_others_right() -> None:
    lines = stats(catch(40, receiver=None), run("after_lateral", None, 40, 50))
    assert lines == {"passer": {"attempts": 1, "completions": 1, "passing_yards": 20}}


def test_every_credit_names_the_event_that_earned_it() -> None:
    bodies = [
        SNAP,
        catch(40),
        run("after_catch", "catcher", 40, 50),
        fumble("catcher"),
        recovery("thief", S),
    ]
    earned = {
        (c.event_number, c.player_id, c.stat, c.amount)
        for c in game_credits([(n, 1, b) for n, b in enumerate(bodies, 1)])
    }
    assert {
        (2, "passer", "passing_yards", 10),
        (3, "passer", "passing_yards", 10),
        (3, "catcher", "receiving_yards", 10),
        (4, "catcher", "fumbles_lost_scoring", 1),
        (5, "thief", "fumbles_recovered_opp", 1),
    } <= earned


def test_events_count_in_order_of_number_whatever_their_order_of_arrival() -> None:
    bodies = [
        SNAP,
        catch(40),
        run("after_catch", "catcher", 40, 50),
        fumble("catcher"),
        recovery("thief", S),
    ]
    numbered = [(n, 1, body) for n, body in enumerate(bodies, 1)]
    assert game_credits(reversed(numbered)) == game_credits(numbered)


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
    assert "fumbles_lost" not in stat_lines(game_credits(numbered))["back"].stats


def test_a_players_team_is_the_one_they_earned_for() -> None:
    lines = stat_lines(game_credits([(1, 1, SNAP), (2, 1, run("rush", "back", 30, 33))]))
    assert lines["back"].team == H


def test_all_statistics_have_a_place_in_the_list() -> None:
    bodies = [body for case in SPECIAL for body in case[1]] + [
        body for case in FREE_FUMBLES for body in case[1]
    ]
    earned = game_credits([(n, n, body) for n, body in enumerate(bodies, 1)])
    assert {credit.stat for credit in earned} <= set(STATS)
    assert len(set(STATS)) == len(STATS)
    assert touchdown_of([(1, SNAP)]) is None
