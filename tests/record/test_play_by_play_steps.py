"""The rows of a play-by-play file become the steps of a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.record import events as ev
from app.record.rules.state import game_state
from tests.worlds.play_by_play import (
    CATCHER,
    KICKER,
    PASSER,
    RUNNER,
    TACKLER,
    THIEF,
    WIDE,
    H,
    S,
    bodies,
    named,
    numbered,
    play,
    ppr,
    read_one,
    small_game,
    write,
)


def test_the_steps_of_a_game(wide: Path) -> None:
    script = read_one(wide)
    kinds = [type(body).__name__ for body in bodies(script)]
    assert kinds == [
        "GameStarted",
        "Period",
        "Snap",
        "Kick",
        "Snap",
        "Pass",
        "Run",
        "Snap",
        "Kick",
        "Snap",
        "Penalty",
        "Snap",
        "Run",
        "Fumble",
        "Recovery",
        "Run",
        "Tackle",
        "Challenge",
        "Challenge",
        "Timeout",
        "Period",
        "Period",
        "Snap",
        "Pass",
        "Period",
        "GameEnded",
        "Final",
    ]
    assert all(ev.check(body) == body for body in bodies(script))
    times = [event.at_ms for event in script.events]
    assert times == sorted(times)
    assert times[0] < 10_000


def test_snaps_carry_the_situation_from_the_side_that_has_the_ball(wide: Path) -> None:
    kickoff, touchdown, point, foul, run, spike = [
        body for body in bodies(read_one(wide)) if isinstance(body, ev.Snap)
    ]
    assert kickoff == ev.Snap(possession=H, spot=35, period=1, clock=890, situation="kickoff")
    assert touchdown == ev.Snap(possession=H, spot=40, period=1, clock=880, down=1, distance=10)
    assert (point.situation, point.spot, point.down) == ("try", 85, None)
    assert (foul.situation, foul.possession) == ("scrimmage", H)
    assert (run.spot, run.distance) == (30, 5)
    assert (spike.possession, spike.period) == (S, 2)


def test_a_kickoff_from_midfield_is_kicked_there(tmp_path: Path) -> None:
    """Midfield has no side (nflfastR issue 323)."""
    row = play(9, "kickoff", S, yardline_100="", yrdln="50", kick_distance=50, touchback=1)
    script = read_one(write(tmp_path / "one.csv", [*WIDE, "yrdln"], [row]))
    snap = next(body for body in bodies(script) if isinstance(body, ev.Snap))
    assert (snap.situation, snap.spot) == ("kickoff", 50)


def test_a_play_called_back_has_its_foul_and_no_movement(wide: Path) -> None:
    events = bodies(read_one(wide))
    foul = next(body for body in events if isinstance(body, ev.Penalty))
    assert foul == ev.Penalty(team=S, player=TACKLER, foul="Offside", yards=5, outcome="nullify")


def test_a_play_called_no_play_counts_when_players_are_credited(tmp_path: Path) -> None:
    row = play(
        20,
        "no_play",
        down=1,
        ydstogo=10,
        rushing_yards=9,
        penalty=1,
        penalty_team=S,
        penalty_yards=5,
        **named("rusher", RUNNER, "R.Legs"),
    )
    script = read_one(write(tmp_path / "one.csv", WIDE, [row]))
    assert ppr(script) == {RUNNER: 900}
    assert [body.outcome for body in bodies(script) if isinstance(body, ev.Penalty)] == [
        "downfield"
    ]


def test_a_kickoff_called_back_is_still_the_kickers(tmp_path: Path) -> None:
    back = play(9, "no_play", S, yardline_100=35, penalty=1, penalty_team=H, penalty_yards=5)
    script = read_one(write(tmp_path / "one.csv", WIDE, [back, *small_game()]))
    assert next(body for body in bodies(script) if isinstance(body, ev.Snap)) == ev.Snap(
        possession=H, spot=35, period=1, clock=891, situation="kickoff"
    )


def test_reviews_timeouts_and_periods(wide: Path) -> None:
    events = bodies(read_one(wide))
    assert [body.ruling for body in events if isinstance(body, ev.Challenge)] == [
        "pending",
        "upheld",
    ]
    assert ev.Timeout(team=H) in events
    assert [(body.period, body.phase) for body in events if isinstance(body, ev.Period)] == [
        (1, "start"),
        (1, "end"),
        (2, "start"),
        (2, "end"),
    ]


def test_the_two_minute_warning_is_the_officials(tmp_path: Path) -> None:
    rows = [*small_game(), play(90, "", qtr=2, quarter_seconds_remaining=120, posteam="")]
    script = read_one(write(tmp_path / "one.csv", WIDE, rows))
    assert ev.Timeout(reason="two-minute warning") in bodies(script)


def test_a_free_kick_follows_a_safety(tmp_path: Path) -> None:
    rows = [
        play(
            20,
            "pass",
            down=2,
            ydstogo=9,
            yardline_100=97,
            sack=1,
            yards_gained=-3,
            safety=1,
            total_home_score=0,
            total_away_score=2,
            **named("passer", PASSER, "P.Arm"),
            **named("sack", TACKLER, "T.Wall"),
            **named("safety", TACKLER, "T.Wall"),
        ),
        play(
            30,
            "kickoff",
            S,
            yardline_100=20,
            kickoff_attempt=1,
            kick_distance=55,
            return_yards=11,
            return_team=S,
            **named("kicker", KICKER, "K.Foot"),
            **named("kickoff_returner", THIEF, "T.Quick"),
        ),
        play(40, "kickoff", S, yardline_100=35, kickoff_attempt=1, touchback=1, kick_distance=65),
    ]
    script = read_one(write(tmp_path / "one.csv", WIDE, rows))
    assert ev.Safety(team=S, player=TACKLER) in bodies(script)
    snaps = [body.situation for body in bodies(script) if isinstance(body, ev.Snap)]
    assert snaps == ["scrimmage", "free_kick", "kickoff"]
    assert game_state(numbered(bodies(script))).away_score == 2


def test_the_score_shows_the_sides_of_a_safety(tmp_path: Path) -> None:
    """A returner tackled in their own end zone gives two to the punting side."""
    row = play(
        20,
        "punt",
        down=4,
        ydstogo=9,
        punt_attempt=1,
        kick_distance=69,
        safety=1,
        total_home_score=2,
        total_away_score=0,
        **named("punter", KICKER, "K.Foot"),
    )
    script = read_one(write(tmp_path / "one.csv", WIDE, [row]))
    assert ev.Safety(team=H) in bodies(script)


def test_older_files_without_yards_by_player(tmp_path: Path) -> None:
    rows = [
        play(
            20,
            "pass",
            down=1,
            ydstogo=10,
            complete_pass=1,
            yards_gained=9,
            air_yards=4,
            **named("passer", PASSER, "P.Arm"),
            **named("receiver", CATCHER, "C.Hands"),
        ),
        play(
            30,
            "run",
            down=1,
            ydstogo=1,
            yards_gained=3,
            rush_touchdown=1,
            touchdown=1,
            td_team=H,
            **named("rusher", RUNNER, "R.Legs"),
        ),
    ]
    removed = (
        "passing_yards",
        "receiving_yards",
        "rushing_yards",
        "td_player_id",
        "td_player_name",
        "season",
        "week",
    )
    columns = [column for column in WIDE if column not in (*removed, "season_type")]
    path = write(
        tmp_path / "old.csv",
        columns,
        [{k: v for k, v in row.items() if k in columns} for row in rows],
        missing="NA",
    )
    script = read_one(path)
    assert ppr(script) == {PASSER: 360, CATCHER: 1_900, RUNNER: 6_300}
    assert (script.season, script.season_type, script.week) == (2031, "REG", 1)


def test_a_lateral_in_wide_columns(tmp_path: Path) -> None:
    row = play(
        20,
        "pass",
        down=1,
        ydstogo=10,
        complete_pass=1,
        yards_gained=30,
        passing_yards=30,
        receiving_yards=10,
        lateral_reception=1,
        lateral_receiving_yards=20,
        touchdown=1,
        pass_touchdown=1,
        td_team=H,
        **named("passer", PASSER, "P.Arm"),
        **named("receiver", CATCHER, "C.Hands"),
        **named("lateral_receiver", RUNNER, "R.Legs"),
        **named("td", RUNNER, "R.Legs"),
    )
    script = read_one(write(tmp_path / "one.csv", WIDE, [row]))
    assert ppr(script) == {PASSER: 5_200, CATCHER: 2_000, RUNNER: 8_000}


STRIP_SACK = {
    "down": 2,
    "ydstogo": 8,
    "yardline_100": 60,
    "sack": 1,
    "fumble_forced": 1,
    "fumbled_1_team": H,
    "fumble_recovery_1_team": H,
    **named("passer", PASSER, "P.Arm"),
    **named("sack", TACKLER, "T.Wall"),
    **named("fumbled_1", PASSER, "P.Arm"),
    **named("fumble_recovery_1", PASSER, "P.Arm"),
}


@pytest.mark.parametrize(
    ("cells", "lost", "end"),
    [
        ({"yards_gained": -19, "fumble_recovery_1_yards": -10}, 9, 21),
        ({"yards_gained": -9, "fumble_recovery_1_yards": 0}, 9, 31),
        ({"yards_gained": -4, "fumble_recovery_1_yards": 5}, 9, 36),
        # As the field's description has it: yards_gained without recoveries. A sack of +1 would be
        # none.
        ({"yards_gained": -9, "fumble_recovery_1_yards": -10}, 9, 21),
        (
            {
                "yards_gained": -9,
                "fumble_recovery_1_yards": 5,
                "desc": "P.Arm sacked at HRB 31 for -9 yards.",
            },
            9,
            36,
        ),
        (
            {
                "yards_gained": -19,
                "fumble_recovery_1_yards": -10,
                "desc": "P.Arm is sacked by T. Wall for a loss of 9.",
            },
            9,
            21,
        ),
        (
            {
                "yards_gained": -19,
                "fumble_recovery_1_yards": -10,
                "desc": "P.Arm sacked at the HRB 31 for -9 (T. Wall), fumble.",
            },
            9,
            21,
        ),
        (
            {
                "yards_gained": -7,
                "fumble_recovery_1_yards": 0,
                "desc": (
                    "P.Arm sacked at HRB 38 for -2 yards. REVERSED. P.Arm sacked at HRB 33 for -7 "
                    "yards."
                ),
            },
            7,
            33,
        ),
        (
            {
                "yards_gained": -9,
                "fumble_recovery_1_team": S,
                "fumble_lost": 1,
                "fumble_recovery_1_yards": 10,
            },
            9,
            31,
        ),
        # No field is as long, and Python reads no number of more than 4,300 digits.
        (
            {
                "yards_gained": -9,
                "fumble_recovery_1_yards": 0,
                "desc": f"sacked for a loss of {'9' * 5_000}.",
            },
            9,
            31,
        ),
    ],
)
def test_a_sack_is_without_the_yards_of_the_recovery(
    cells: dict[str, object], lost: int, end: int, tmp_path: Path
) -> None:
    """nflverse/nflfastR, issue 525.

    `yards_gained` of a strip sack has the recovery's yards in it, which official totals of sacks do
    not count. From the own 40.
    """
    columns = [*WIDE, "desc"]
    script = read_one(
        write(tmp_path / "one.csv", columns, [play(20, "pass", **STRIP_SACK | cells)])
    )
    (sack,) = [body for body in bodies(script) if isinstance(body, ev.Sack)]
    assert sack.start_yard - sack.end_yard == lost
    runs = [body for body in bodies(script) if isinstance(body, ev.Run) and body.team == H]
    assert (runs[-1].end_yard if runs else sack.end_yard) == end


def test_a_run_without_its_own_column_is_without_the_yards_of_the_recovery(tmp_path: Path) -> None:
    cells = {
        "down": 1,
        "ydstogo": 10,
        "yards_gained": 12,
        "fumbled_1_team": H,
        "fumble_recovery_1_team": H,
    }
    players = named("rusher", RUNNER, "R.Legs") | named("fumbled_1", RUNNER, "R.Legs")
    row = play(
        20,
        "run",
        **cells,
        fumble_recovery_1_yards=5,
        **players,
        **named("fumble_recovery_1", CATCHER, "C.H"),
    )
    script = read_one(write(tmp_path / "one.csv", WIDE, [row]))
    assert [
        (body.player, body.end_yard - body.start_yard)
        for body in bodies(script)
        if isinstance(body, ev.Run)
    ] == [
        (RUNNER, 7),
        (CATCHER, 5),
    ]
