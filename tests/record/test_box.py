"""Returns, long gains, net punting, red zone and kinds of first downs.

By hand, and against what real files count.
"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import msgspec
import pytest

from app.record import events as ev
from app.record.pages.box_tables import TABLES
from app.record.rules.box_statistics import (
    Chances,
    by_club,
    goal_to_go,
    kicking_lines,
    punting,
    red_zone,
    returns_and_longs,
)
from app.record.rules.club_figures import club_figures
from app.record.rules.downs import Downs, FirstDowns, downs, first_downs
from app.record.rules.drives import Snapped, drives, snapped, time_of_possession
from app.record.rules.football.rulebook import rulebook
from tests.record.test_proof import numbered
from tests.worlds.real_games import each_game, real_game


def plays(*bodies: ev.Body) -> list[Snapped]:
    number, events = 0, []
    for event, body in enumerate(bodies, start=1):
        number += isinstance(body, ev.Snap)
        events.append((event, number, body))
    return snapped(events)


def snap(club: str, spot: int, down: int = 1, distance: int = 10) -> ev.Snap:
    return ev.Snap(possession=club, spot=spot, period=1, clock=600, down=down, distance=distance)


def test_an_interception_has_its_yards_and_the_pass_its_longest_gain() -> None:
    statistics = returns_and_longs(
        plays(
            snap("HRB", 30),
            ev.Pass(
                team="HRB",
                passer="H1",
                receiver="H2",
                result="complete",
                throw_yard=30,
                reception_yard=42,
            ),
            ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=42, end_yard=50),
            snap("HRB", 50),
            ev.Pass(
                team="HRB",
                passer="H1",
                receiver="H2",
                result="intercepted",
                throw_yard=50,
                reception_yard=70,
            ),
            ev.Interception(team="SUM", player="S9", yard=30),
            ev.Run(team="SUM", player="S9", kind="return", start_yard=30, end_yard=47),
        )
    )
    assert statistics == {
        ("H2", "HRB"): {"receiving_long": 20},
        ("H1", "HRB"): {"passing_long": 20},
        ("S9", "SUM"): {"interception_return_yards": 17, "interception_return_long": 17},
    }


def test_kickoffs_have_their_touchbacks_and_those_out_of_bounds() -> None:
    """A game book counts kickoffs by kicker with touchbacks and kicks out of bounds.

    A free kick is no kickoff.
    """
    tee = ev.Snap(possession="HRB", spot=35, period=1, clock=900, situation="kickoff")
    free = ev.Snap(possession="HRB", spot=20, period=1, clock=700, situation="free_kick")
    kicks = [
        (tee, ev.Kick(team="HRB", kicker="H9", kind="kickoff", result="touchback")),
        (tee, ev.Kick(team="HRB", kicker="H9", kind="kickoff", result="out_of_bounds")),
        (tee, ev.Kick(team="HRB", kicker="H9", kind="onside", result="recovered")),
        (free, ev.Kick(team="HRB", kicker="H9", kind="free_kick", result="fair_catch")),
    ]
    assert kicking_lines(plays(*(body for kick in kicks for body in kick))) == {
        ("H9", "HRB"): {"kickoffs": 3, "kickoff_touchbacks": 1, "kickoffs_out_of_bounds": 1}
    }


def test_blocks_return_touchdowns_and_all_tackles_have_their_place_in_the_tables() -> None:
    """By title of the table and column.

    A tackle with help is one for each of the two (NFL Guide for Statisticians).
    """
    stats = {
        "kicks_blocked": 1,
        "tackles_solo": 2,
        "tackles_assist": 3,
        "tackles_with_assist": 1,
        "tackle_assists": 2,
    }
    stats |= {"def_tds": 1, "special_teams_tds": 1, "fumble_recovery_tds": 1}
    cells = {
        (title, short): cell(stats)
        for title, triggers, columns, _ in TABLES
        if any(stats.get(trigger) for trigger in triggers)
        for short, _, cell in columns
    }
    defence = ("SOLO", "AST", "TOT", "BLK", "TD")
    assert [cells["Defense", column] for column in defence] == ["3", "2", "5", "1", "1"]
    assert (cells["Returns", "TD"], cells["Fumbles", "TD"]) == ("1", "1")


@pytest.mark.parametrize(
    "stat", ["def_tds", "special_teams_tds", "fumble_recovery_tds", "kicks_blocked"]
)
def test_whoever_has_nothing_but_a_score_or_a_block_has_a_row(stat: str) -> None:
    assert any(stat in triggers for _, triggers, _, _ in TABLES)


def possession(*snaps: ev.Snap, is_over: bool = True, overtime: int = 600) -> tuple[int, int]:
    times = time_of_possession(
        plays(*snaps), ("HRB", "SUM"), is_over=is_over, overtime_seconds=overtime
    )
    return times["HRB"], times["SUM"]


def at(club: str, period: int, clock: int, situation: str = "scrimmage") -> ev.Snap:
    return ev.Snap(possession=club, spot=40, period=period, clock=clock, situation=situation)  # type: ignore[arg-type]


def test_possession_adds_up_to_the_time_played_when_a_quarter_begins_in_mid_drive() -> None:
    """The four quarters have 60 minutes (NFL 4-1-1), whatever clock the first snap has."""
    snaps = (
        at("SUM", 1, 900, "kickoff"),
        at("HRB", 2, 840),
        at("HRB", 3, 900, "kickoff"),
        at("SUM", 4, 840),
        at("HRB", 4, 600),
    )
    assert possession(*snaps) == (900 + 900 + 600, 900 + 300)


def test_a_clock_that_was_set_back_is_not_played_twice() -> None:
    """Of a quarter of 15 minutes no more than those are held (nflverse-pbp issue 21)."""
    clocks = (600, 600, 660, 590)
    snaps = [at("HRB", 1, clock) for clock in clocks]
    assert possession(*snaps, at("SUM", 2, 900)) == (900, 900)


def test_a_blocked_punt_is_none_of_the_punters() -> None:
    """The league's own lists leave it out of the average (nflfastR issue 583)."""
    punted = ev.Kick(team="HRB", kicker="H9", kind="punt", result="downed", distance=45)
    blocked = ev.Kick(team="HRB", kicker="H9", kind="punt", result="blocked", distance=0)
    kicked = plays(snap("HRB", 30, 4, 8), punted, snap("HRB", 20, 4, 9), blocked)
    assert kicking_lines(kicked)["H9", "HRB"] == {"punts": 1, "punt_yards": 45}
    assert by_club(kicked)["HRB"]["punts"] == 2


def test_possession_of_overtime_runs_from_its_own_clock() -> None:
    """Ten minutes (NFL 16-1-3); from 10:00 to the last snap at 8:00 are two.

    A second one goes on in mid-drive.
    """
    fourth, overtime = at("HRB", 4, 0), at("SUM", 5, 600, "kickoff")
    assert sum(possession(fourth, overtime, at("HRB", 5, 480))) == 900 + 120
    assert (
        sum(possession(fourth, overtime, at("HRB", 5, 480), at("HRB", 6, 590), at("HRB", 6, 570)))
        == 900 + 600 + 30
    )
    assert sum(possession(fourth, at("SUM", 5, 900), at("SUM", 5, 900), overtime=0)) == 900, (
        "no clock runs in college"
    )


def punt(spot: int, result: str, distance: int | None, back: int = 0) -> list[ev.Body]:
    kick = ev.Kick(team="HRB", kicker="H9", kind="punt", result=result, distance=distance)  # type: ignore[arg-type]
    caught = 100 - spot - (distance or 0)
    if not back:
        return [snap("HRB", spot, 4), kick]
    run = ev.Run(team="SUM", player="S2", kind="return", start_yard=caught, end_yard=caught + back)
    return [snap("HRB", spot, 4), kick, run]


def test_net_punting_takes_off_returns_and_twenty_yards_a_touchback_and_counts_a_blocked_punt() -> (
    None
):
    kicked = plays(
        *punt(30, "returned", 45, back=12),
        *punt(40, "touchback", None),
        *punt(20, "blocked", 0),
        *punt(50, "downed", 44),
    )
    totals = punting(kicked, "HRB")
    assert (totals.punts, totals.gross, totals.returned, totals.touchbacks, totals.net) == (
        4,
        149,
        12,
        1,
        117,
    )
    longs = returns_and_longs(kicked)["H9", "HRB"]
    assert longs == {"punt_long": 60, "punt_touchbacks": 1, "punts_inside_20": 1}


def test_a_drive_is_in_the_red_zone_from_a_snap_at_the_twenty_on() -> None:
    near = plays(
        snap("HRB", 70),
        ev.Run(team="HRB", kind="rush", start_yard=70, end_yard=80),
        snap("HRB", 80),
        ev.Run(team="HRB", kind="rush", start_yard=80, end_yard=91),
        snap("HRB", 91, 1, 9),
        ev.Run(team="HRB", kind="rush", start_yard=91, end_yard=100, is_touchdown=True),
        snap("SUM", 79),
        ev.Kick(team="SUM", kind="field_goal", result="good", distance=39),
    )
    series = drives(near, is_over=True)
    assert red_zone(series, near, "HRB") == Chances(1, 1, 0)
    assert goal_to_go(series, near, "HRB") == Chances(1, 1, 0)
    assert red_zone(series, near, "SUM") == Chances(0, 0, 0)
    assert first_downs(near, "HRB") == FirstDowns(rush=3)


def test_a_third_down_is_made_by_its_play_alone_and_not_by_the_foul_on_top_of_a_short_gain() -> (
    None
):
    series = plays(
        snap("HRB", 30, 3, 9),
        ev.Run(team="HRB", kind="rush", start_yard=30, end_yard=33),
        ev.Penalty(team="SUM", foul="Roughing the Passer", yards=15, status="accepted"),
        snap("HRB", 48),
        ev.Run(team="HRB", kind="rush", start_yard=48, end_yard=49),
        snap("HRB", 49, 3, 9),
        ev.Penalty(team="SUM", foul="Defensive Pass Interference", yards=20, status="accepted"),
        snap("HRB", 69),
        ev.Run(team="HRB", kind="rush", start_yard=69, end_yard=70),
        snap("HRB", 70, 3, 9),
        ev.Run(team="HRB", kind="rush", start_yard=70, end_yard=82),
        snap("HRB", 82),
    )
    assert downs(series, "HRB") == Downs(first_downs=3, third_tried=2, third_made=1)
    assert first_downs(series, "HRB") == FirstDowns(rush=1, penalty=2)


def test_yards_with_a_blocked_kick_are_no_fumble_return() -> None:
    """They are miscellaneous yards (NFL: Guide for Statisticians)."""
    blocked = ev.Kick(team="HRB", kind="field_goal", result="blocked", distance=40)
    picked_up = (
        ev.Recovery(team="SUM", player="S9", yard=40),
        ev.Run(team="SUM", player="S9", kind="after_recovery", start_yard=40, end_yard=55),
    )
    kicked = snap("HRB", 60, 4, 9)
    assert ("S9", "SUM") not in returns_and_longs(plays(kicked, blocked, *picked_up))
    dropped = ev.Fumble(team="HRB", player="H1", yard=60)
    lost = plays(snap("HRB", 60, 1, 10), dropped, *picked_up)
    assert returns_and_longs(lost)["S9", "SUM"] == {"fumble_return_yards": 15}


def test_a_first_down_by_a_foul_counts_when_the_half_ends_with_it() -> None:
    """The award is the statistic, not the series after it (NFL: Guide for Statisticians)."""
    defence_foul = ev.Penalty(
        team="SUM", foul="Defensive Holding", yards=5, status="accepted", outcome="first_down"
    )
    last = plays(snap("HRB", 40, 2, 13), defence_foul)
    assert first_downs(last, "HRB") == FirstDowns(penalty=1)
    offside = plays(snap("HRB", 40, 2, 13), msgspec.structs.replace(defence_foul, outcome="replay"))
    assert first_downs(offside, "HRB") == FirstDowns()


@pytest.mark.realgames
@pytest.mark.parametrize("file", each_game())
def test_third_and_fourth_downs_and_red_zone_of_a_real_game_are_a_plain_count_of_its_rows(
    file: Path,
) -> None:
    script = real_game(file)
    played = snapped(numbered(script))
    series = drives(played, is_over=True)
    with gzip.open(file, "rt") as opened:
        rows = [row for row in csv.DictReader(opened) if row["down"]]
    for club in (script.home.id, script.away.id):
        mine = [row for row in rows if row["posteam"] == club]
        counted = downs(played, club)
        converted = [
            sum(row[f"{down}_down_converted"] == "1" for row in mine)
            for down in ("third", "fourth")
        ]
        failed = [
            sum(row[f"{down}_down_failed"] == "1" for row in mine) for down in ("third", "fourth")
        ]
        assert [counted.third_made, counted.fourth_made] == converted, club
        assert [
            counted.third_tried - counted.third_made,
            counted.fourth_tried - counted.fourth_made,
        ] == failed, club
        near = {row["drive"] for row in mine if float(row["yardline_100"]) <= 20}
        goals = {row["drive"] for row in mine if row["field_goal_result"] == "made"}
        scored = {
            row["drive"] for row in mine if row["touchdown"] == "1" and row["td_team"] == club
        }
        assert red_zone(series, played, club) == Chances(
            len(near), len(near & scored), len(near & goals)
        ), club


# A touchback's punt of which the file has no length: from the line of scrimmage to the goal line.
WITHOUT_LENGTH = {("2019010600", "LAC"): 45}


@pytest.mark.realgames
@pytest.mark.parametrize("file", each_game())
def test_first_downs_punts_and_returns_of_a_real_game_are_what_its_file_counts(file: Path) -> None:
    script = real_game(file)
    played = snapped(numbered(script))
    with gzip.open(file, "rt") as opened:
        rows = list(csv.DictReader(opened))

    def total(column: str, of: list[dict[str, str]]) -> int:
        return sum(int(float(row[column] or 0)) for row in of)

    longs = returns_and_longs(played)
    for club in (script.home.id, script.away.id):
        mine = [row for row in rows if row["posteam"] == club]
        counts = first_downs(played, club)
        kinds = ("first_down_rush", "first_down_pass", "first_down_penalty")
        assert (counts.rush, counts.passed, counts.penalty) == tuple(
            total(kind, mine) for kind in kinds
        )
        punted = [row for row in mine if row["punt_attempt"] == "1"]
        kicked = punting(played, club)
        unknown = WITHOUT_LENGTH.get((script.game_id, club), 0)
        assert (kicked.punts, kicked.gross - unknown, kicked.returned) == (
            len(punted),
            total("kick_distance", punted),
            total("return_yards", punted),
        )
        stats = [line for (_, of), line in longs.items() if of == club]
        assert sum(line.get("punts_inside_20", 0) for line in stats) == total(
            "punt_inside_twenty", punted
        )
        caught = [row for row in rows if row["interception"] == "1" and row["defteam"] == club]
        assert sum(line.get("interception_return_yards", 0) for line in stats) == total(
            "return_yards", caught
        )


def test_the_club_has_the_return_yards_of_a_returner_whom_nobody_named() -> None:
    """A game book's team totals are those of the plays.

    A returner may stay unknown (the wire schema allows it).
    """
    tee = ev.Snap(possession="HRB", spot=35, period=1, clock=900, situation="kickoff")
    bodies: list[ev.Body] = [
        tee,
        ev.Kick(team="HRB", kicker="H9", kind="kickoff", result="returned", distance=60),
        ev.Run(team="SUM", kind="return", start_yard=5, end_yard=30),
        snap("HRB", 30, down=4),
        ev.Kick(team="HRB", kicker="H9", kind="punt", result="returned", distance=40),
        ev.Run(team="SUM", player="S8", kind="return", start_yard=30, end_yard=37),
        ev.Run(team="SUM", kind="after_lateral", start_yard=37, end_yard=41),
        snap("HRB", 50),
        ev.Pass(team="HRB", result="intercepted", throw_yard=50, reception_yard=70),
        ev.Interception(team="SUM", yard=30),
        ev.Run(team="SUM", kind="return", start_yard=30, end_yard=47),
    ]
    events = [
        (event, play, body)
        for event, (play, body) in enumerate(
            zip((1,) * 3 + (2,) * 4 + (3,) * 4, bodies, strict=True), 1
        )
    ]
    of = club_figures(
        events, snapped(events), ("HRB", "SUM"), is_over=True, book=rulebook("nfl", 2019)
    )["SUM"]
    assert (of.kickoff_return_yards, of.punt_return_yards, of.interception_return_yards) == (
        25,
        11,
        17,
    )
    assert set(kicking_lines(snapped(events))) == {("H9", "HRB"), ("S8", "SUM")}, (
        "nobody has them as a player"
    )
