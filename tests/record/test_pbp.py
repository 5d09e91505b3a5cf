"""Public play-by-play becomes a script: made-up games of Harbor (HRB) at home against Summit (SUM), in every format."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.core.csv_files import FileError
from app.fantasy.scoring.rules import PPR, STANDARD, points
from app.record import events as ev
from app.record.play_by_play import chain, read_games
from app.record.play_by_play.field import span
from app.record.play_by_play.playstats import StatRow
from app.record.play_by_play.stat_ids import Play
from app.record.rules.clubs import player_id
from app.record.rules.stat_lines import credits, stat_lines
from app.record.rules.state import game_state
from app.record.script import Footballer, GameScript

H, S = "HRB", "SUM"
GAME = "2031090700"


def numbered(bodies: Iterable[ev.Body]) -> list[tuple[int, int, ev.Body]]:
    found, play = [], 0
    for number, body in enumerate(bodies, 1):
        play += isinstance(body, ev.Snap)
        found.append((number, play, body))
    return found


# --- a play from its official credits

Credits = Sequence[tuple[int, int, str, str | None]]


def told(rows: Credits, spot: int = 30, **more: object) -> list[ev.Body]:
    """The bodies of a play of Harbor from (stat id, yards, team, player) rows, each checked like one from outside."""
    stats = tuple(StatRow(stat, yards, team, player, player) for stat, yards, team, player in rows)
    found = chain.bodies(Play(possession=H, other=S, spot=spot, rows=stats, **more))  # type: ignore[arg-type]
    return [ev.check(body) for body in found]


def lines(bodies: Iterable[ev.Body]) -> dict[str, dict[str, int]]:
    snap = ev.Snap(possession=H, spot=30, period=1, clock=0)
    return {player: line.stats for player, line in stat_lines(credits(numbered([snap, *bodies]))).items()}


CATCH: Credits = [
    (15, 12, H, "passer"),
    (111, 8, H, "passer"),
    (21, 12, H, "catcher"),
    (115, 0, H, "catcher"),
]

# word, the play's credits, and what each player must have of the statistics named
PLAYS: list[tuple[str, Credits, dict[str, dict[str, int]]]] = [
    (
        "a catch and run",
        CATCH,
        {
            "passer": {"passing_yards": 12, "completions": 1, "attempts": 1},
            "catcher": {"receiving_yards": 12, "receptions": 1, "targets": 1},
        },
    ),
    (
        "two laterals and a touchdown",
        [
            (16, 70, H, "passer"),
            (111, 8, H, "passer"),
            (21, 12, H, "catcher"),
            (115, 0, H, "catcher"),
            (23, 20, H, "second"),
            (24, 38, H, "third"),
        ],
        {
            "passer": {"passing_yards": 70, "passing_tds": 1},
            "catcher": {"receiving_yards": 12, "receiving_tds": 0},
            "second": {"receiving_yards": 20, "receptions": 0},
            "third": {"receiving_yards": 38, "receiving_tds": 1, "receptions": 0},
        },
    ),
    (
        "a lateral nobody knows the runner of",
        [(16, 70, H, "passer"), (22, 30, H, "catcher"), (115, 0, H, "catcher")],
        {"passer": {"passing_yards": 70, "passing_tds": 1}, "catcher": {"receiving_yards": 30, "receiving_tds": 1}},
    ),
    (
        "a passing touchdown that no receiver is credited with",
        [(16, 30, H, "passer"), (21, 30, H, "catcher"), (115, 0, H, "catcher")],
        {"passer": {"passing_yards": 30, "passing_tds": 1}, "catcher": {"receiving_yards": 30, "receiving_tds": 0}},
    ),
    (
        "a passer who catches their own pass",
        [(15, -4, H, "passer"), (21, -4, H, "passer"), (115, 0, H, "passer")],
        {"passer": {"passing_yards": -4, "receiving_yards": -4, "receptions": 1, "completions": 1}},
    ),
    (
        "two passers",
        [(14, 0, H, "first"), (15, 9, H, "second"), (21, 9, H, "catcher"), (115, 0, H, "catcher")],
        {"first": {"attempts": 1, "completions": 0}, "second": {"attempts": 1, "passing_yards": 9}},
    ),
    (
        "a lateral on a rush",
        [(10, 4, H, "runner"), (13, 66, H, "second")],
        {"runner": {"carries": 1, "rushing_yards": 4}, "second": {"carries": 0, "rushing_yards": 66, "rushing_tds": 1}},
    ),
    (
        "a sack shared",
        [(20, -7, H, "passer"), (84, -7, S, "one"), (84, -7, S, "two")],
        {"passer": {"sacks_suffered": 1, "sack_yards_lost": 7, "attempts": 0}, "one": {"half_sacks": 1}},
    ),
    (
        "half a sack, the other the team's",
        [(20, -7, H, "passer"), (84, -7, S, "one")],
        {"one": {"half_sacks": 1}},
    ),
    (
        "two whole sacks on a play",
        [(20, -7, H, "passer"), (83, -7, S, "one"), (83, 0, S, "two")],
        {"passer": {"sacks_suffered": 1}, "one": {"half_sacks": 2}, "two": {"half_sacks": 2}},
    ),
    (
        "a strip-sack carried home",
        [
            (20, -7, H, "passer"),
            (83, -7, S, "one"),
            (52, 0, H, "passer"),
            (106, 0, H, "passer"),
            (91, 0, S, "one"),
            (60, 23, S, "two"),
        ],
        {
            "passer": {"fumbles": 1, "fumbles_lost_scoring": 1},
            "one": {"fumbles_forced": 1},
            "two": {"fumbles_recovered_opp": 1, "fumble_recovery_tds": 1, "def_tds": 1, "special_teams_tds": 0},
        },
    ),
    (
        "an interception fumbled back",
        [
            (19, 0, H, "passer"),
            (112, 20, H, "passer"),
            (115, 0, H, "catcher"),
            (25, 10, S, "thief"),
            (52, 0, S, "thief"),
            (106, 0, S, "thief"),
            (59, 3, H, "passer"),
        ],
        {
            "passer": {"passing_interceptions": 1, "attempts": 1, "fumbles_recovered_opp": 1},
            "catcher": {"targets": 1, "receptions": 0},
            "thief": {"interceptions_made": 1, "fumbles_lost": 1, "fumbles_lost_scoring": 0},
        },
    ),
    (
        "an interception brought home after a lateral",
        [(19, 0, H, "passer"), (25, 10, S, "thief"), (28, 40, S, "mate")],
        {"thief": {"interceptions_made": 1, "def_tds": 0}, "mate": {"def_tds": 1, "interceptions_made": 0}},
    ),
    (
        "two fumbles on a play, both lost",
        [
            (10, 5, H, "runner"),
            (52, 0, H, "runner"),
            (106, 0, H, "runner"),
            (59, 6, S, "thief"),
            (53, 0, S, "thief"),
            (106, 0, S, "thief"),
            (60, 20, H, "mate"),
        ],
        {
            "runner": {"fumbles_lost_scoring": 1},
            "thief": {"fumbles_lost": 1, "fumbles_lost_scoring": 0, "fumbles_recovered_opp": 1},
            "mate": {"fumble_recovery_tds": 1, "fumbles_recovered_opp": 1},
        },
    ),
    (
        "two fumbles listed before both recoveries",
        [
            (10, 5, H, "runner"),
            (53, 0, S, "thief"),
            (106, 0, S, "thief"),
            (52, 0, H, "runner"),
            (106, 0, H, "runner"),
            (59, 6, S, "thief"),
            (59, 2, H, "mate"),
        ],
        {"runner": {"fumbles_lost": 1, "fumbles_lost_scoring": 1}, "thief": {"fumbles_lost": 1}},
    ),
    (
        "a lost fumble that nobody is credited with recovering",
        [(10, 60, H, "runner"), (53, 0, H, "runner"), (54, 0, H, "runner"), (106, 0, H, "runner")],
        {"runner": {"fumbles": 1, "fumbles_lost": 1, "fumbles_lost_scoring": 1}},
    ),
    (
        "a fumble the other club recovered, officially not lost",
        [(10, 6, H, "runner"), (53, 0, H, "runner"), (59, 0, S, "thief")],
        {"runner": {"fumbles": 1, "fumbles_lost": 0}, "thief": {"fumbles_recovered_opp": 1}},
    ),
    (
        "a forced fumble out of bounds is one fumble",
        [(10, 6, H, "runner"), (52, 0, H, "runner"), (54, 0, H, "runner"), (91, 0, S, "one")],
        {"runner": {"fumbles": 1, "fumbles_lost": 0}, "one": {"fumbles_forced": 1}},
    ),
    (
        "a recovery without a fumble",
        [(10, 6, H, "runner"), (60, 30, S, "thief")],
        {"runner": {"fumbles_lost": 0}, "thief": {"fumbles_recovered_opp": 1, "fumble_recovery_tds": 1}},
    ),
    (
        "an aborted snap kept, then a rush of nothing",
        [(53, 0, H, "passer"), (55, 0, H, "passer"), (10, 0, H, "passer"), (57, -3, H, "passer")],
        {"passer": {"fumbles": 1, "fumbles_recovered_own": 1, "carries": 1, "rushing_yards": 0, "fumbles_lost": 0}},
    ),
    (
        "an aborted snap kept, then a completed pass",
        [(53, 0, H, "centre"), (55, 0, H, "passer"), *CATCH],
        {"centre": {"fumbles": 1, "fumbles_lost": 0}, "passer": {"passing_yards": 12, "fumbles_recovered_own": 1}},
    ),
    (
        "a centre's bad snap lost",
        [(10, 0, H, "passer"), (57, -5, H, "centre"), (53, 0, H, "centre"), (106, 0, H, "centre"), (59, 4, S, "thief")],
        {"centre": {"fumbles_lost": 1, "fumbles_lost_scoring": 0}, "passer": {"carries": 1, "fumbles_lost": 0}},
    ),
    (
        "a lateral after a recovery",
        [(10, 5, H, "runner"), (53, 0, H, "runner"), (55, 2, H, "mate"), (58, 63, H, "other")],
        {"mate": {"fumbles_recovered_own": 1, "fumble_recovery_tds": 0}, "other": {"own_fumble_recovery_tds": 1}},
    ),
    (
        "a receiver of a lateral who loses the ball",
        [
            *CATCH[:2],
            (21, 7, H, "catcher"),
            (115, 0, H, "catcher"),
            (23, 5, H, "second"),
            (53, 0, H, "second"),
            (106, 0, H, "second"),
            (59, 0, S, "thief"),
        ],
        {"second": {"fumbles_lost": 1, "fumbles_lost_scoring": 0, "receiving_yards": 5}},
    ),
    (
        "a punt brought back",
        [(29, 45, H, "punter"), (34, 75, S, "returner")],
        {"returner": {"punt_returns": 1, "special_teams_tds": 1, "def_tds": 0}},
    ),
    (
        "a muff that the kickers carry home",
        [
            (29, 45, H, "punter"),
            (53, 0, S, "returner"),
            (106, 0, S, "returner"),
            (33, 0, S, "returner"),
            (60, 12, H, "cover"),
        ],
        {
            "returner": {"fumbles_lost": 1, "fumbles_lost_scoring": 0, "punt_returns": 1},
            "cover": {"fumble_recovery_tds": 1, "special_teams_tds": 0},
        },
    ),
    (
        "a blocked punt picked up",
        [(2, 0, H, "punter"), (86, 0, S, "tall"), (64, 20, S, "back")],
        {"back": {"special_teams_tds": 1, "fumbles_recovered_opp": 0}, "tall": {"kicks_blocked": 1}},
    ),
    (
        "a blocked field goal fumbled on the way back",
        [
            (88, 0, S, "tall"),
            (71, 40, H, "kicker"),
            (63, 20, S, "back"),
            (52, 0, S, "back"),
            (106, 0, S, "back"),
            (59, 0, H, "holder"),
        ],
        {"kicker": {"fg_att": 1, "fg_blocked": 1}, "back": {"fumbles_lost": 1, "fumbles_lost_scoring": 0}},
    ),
    (
        "a missed field goal brought back",
        [(69, 58, H, "kicker"), (64, 100, S, "back")],
        {"kicker": {"fg_missed": 1}, "back": {"special_teams_tds": 1, "kickoff_returns": 0, "punt_returns": 0}},
    ),
    (
        "yards of their own sort on a punt are no return",
        [(29, 40, H, "punter"), (64, 60, S, "back")],
        {"back": {"special_teams_tds": 1, "punt_returns": 0}},
    ),
    (
        "a kickoff brought back after a lateral",
        [(41, 60, H, "kicker"), (45, 10, S, "returner"), (48, 85, S, "mate")],
        {"returner": {"kickoff_returns": 1, "special_teams_tds": 0}, "mate": {"special_teams_tds": 1}},
    ),
    (
        "their own kickoff recovered in the end zone",
        [(41, 65, H, "kicker"), (108, 0, H, "cover")],
        {"cover": {"special_teams_tds": 1, "fumble_recovery_tds": 0}},
    ),
    (
        "a throw after a blocked punt",
        [
            (2, 0, H, "punter"),
            (86, 0, S, "tall"),
            (16, 70, H, "punter"),
            (22, 70, H, "catcher"),
            (115, 0, H, "catcher"),
        ],
        {
            "punter": {"passing_tds": 1, "special_teams_tds": 1},
            "catcher": {"receiving_tds": 1, "special_teams_tds": 1},
        },
    ),
    (
        "a fake punt is no special-teams play",
        [(16, 70, H, "punter"), (22, 70, H, "catcher"), (115, 0, H, "catcher")],
        {"punter": {"passing_tds": 1, "special_teams_tds": 0}},
    ),
    (
        "a conversion brought back by the defence",
        [(78, 0, H, "passer"), (105, 0, H, "catcher"), (404, 0, S, "thief")],
        {"thief": {"def_2pt": 1}},
    ),
    (
        "a good conversion",
        [(77, 0, H, "passer"), (104, 0, H, "catcher")],
        {"passer": {"passing_2pt": 1, "attempts": 0}, "catcher": {"receiving_2pt": 1, "targets": 0}},
    ),
    (
        "a sack without a sacker",
        [(20, -18, H, "passer"), (53, 0, H, "passer"), (106, 0, H, "passer"), (59, 0, S, "thief")],
        {"passer": {"sacks_suffered": 1, "fumbles_lost_scoring": 1}},
    ),
    (
        "six tackle credits",
        [
            *CATCH,
            *[(79, 0, S, f"solo{n}") for n in range(2)],
            (80, 0, S, "first"),
            *[(82, 0, S, f"help{n}") for n in range(2)],
            (79, 0, S, None),
        ],
        {"solo1": {"tackles_solo": 1}, "first": {"tackles_with_assist": 1}, "help1": {"tackle_assists": 1}},
    ),
]


@pytest.mark.parametrize(("word", "rows", "expected"), PLAYS, ids=[play[0] for play in PLAYS])
def test_official_credits_come_back_out_of_the_movements(
    word: str, rows: Credits, expected: dict[str, dict[str, int]]
) -> None:
    found = lines(told(rows))
    for player, stats in expected.items():
        assert {stat: found.get(player, {}).get(stat, 0) for stat in stats} == stats, player


@pytest.mark.parametrize("spot", [1, 30, 99])
@pytest.mark.parametrize(("word", "rows", "expected"), PLAYS, ids=[play[0] for play in PLAYS])
def test_official_yards_win_wherever_the_ball_lay(
    word: str, rows: Credits, expected: dict[str, dict[str, int]], spot: int
) -> None:
    assert lines(told(rows, spot)) == lines(told(rows, 50))


def test_movements_join_at_real_spots() -> None:
    thrown, ran, tackle = told([*CATCH, (79, 0, S, "tackler")])
    assert thrown == ev.Pass(
        team=H, passer="passer", receiver="catcher", result="complete", throw_yard=30, reception_yard=38
    )
    assert ran == ev.Run(team=H, player="catcher", kind="after_catch", start_yard=38, end_yard=42)
    assert tackle == ev.Tackle(team=S, tackler="tackler", tackled="catcher", kind="solo", yard=42)


def test_a_touchdown_ends_in_the_end_zone() -> None:
    (ran,) = told([(11, 5, H, "runner")], spot=90)
    assert ran == ev.Run(team=H, player="runner", kind="rush", start_yard=95, end_yard=100, is_touchdown=True)


def test_an_interception_lies_where_the_throw_was_aimed() -> None:
    thrown, taken, back = told([(19, 0, H, "passer"), (112, 20, H, "passer"), (25, 15, S, "thief")])
    assert isinstance(thrown, ev.Pass)
    assert (thrown.result, thrown.reception_yard) == ("intercepted", 50)
    assert taken == ev.Interception(team=S, player="thief", yard=50)
    assert back == ev.Run(team=S, player="thief", kind="return", start_yard=50, end_yard=65)


def test_movements_never_leave_the_field() -> None:
    assert span(97, 5) == (95, 100)
    assert span(3, -8) == (8, 0)
    assert span(0, 108, scored=True) == (0, 100)


def test_kinds_of_runs_and_throws() -> None:
    assert [body.kind for body in told([(10, 5, H, "r")], is_scramble=True) if isinstance(body, ev.Run)] == ["scramble"]
    assert [body.kind for body in told([(10, -1, H, "r")], is_kneel=True) if isinstance(body, ev.Run)] == ["kneel"]
    (spike,) = told([(14, 0, H, "passer")], is_spike=True)
    assert isinstance(spike, ev.Pass)
    assert spike.result == "spike"


KICKS = [
    ("touchback", [(41, 65, H, "k"), (44, 0, H, "k")], "kickoff", "touchback"),
    ("brought back", [(41, 60, H, "k"), (45, 20, S, "r")], "kickoff", "returned"),
    ("out of bounds", [(41, 50, H, "k"), (49, 0, S, None)], "kickoff", "out_of_bounds"),
    ("short and recovered", [(41, 11, H, "k"), (107, 0, H, "c")], "onside", "recovered"),
    ("fair catch", [(29, 40, H, "p"), (39, 0, S, "r")], "punt", "fair_catch"),
    ("downed", [(29, 40, H, "p"), (38, 0, S, None)], "punt", "downed"),
    ("missed", [(69, 51, H, "k")], "field_goal", "missed"),
    ("good", [(72, 0, H, "k")], "extra_point", "good"),
    ("aborted", [(301, 0, H, "k")], "extra_point", "aborted"),
    ("blocked", [(74, 0, H, "k"), (87, 0, S, "b")], "extra_point", "blocked"),
]


@pytest.mark.parametrize(("word", "rows", "kind", "result"), KICKS, ids=[f"{kick[2]} {kick[0]}" for kick in KICKS])
def test_kicks_end_as_they_did(word: str, rows: Credits, kind: str, result: str) -> None:
    kick = told(rows)[0]
    assert isinstance(kick, ev.Kick)
    assert (kick.kind, kick.result) == (kind, result)


# --- whole games

WIDE = [
    "play_id",
    "game_id",
    "old_game_id",
    "home_team",
    "away_team",
    "posteam",
    "defteam",
    "game_date",
    "season",
    "season_type",
    "week",
    "yardline_100",
    "quarter_seconds_remaining",
    "qtr",
    "down",
    "ydstogo",
    "play_type",
    "yards_gained",
    "return_yards",
    "kick_distance",
    "return_team",
    "timeout",
    "timeout_team",
    "penalty",
    "penalty_team",
    "penalty_player_id",
    "penalty_player_name",
    "penalty_yards",
    "penalty_type",
    "replay_or_challenge",
    "replay_or_challenge_result",
    "touchdown",
    "pass_touchdown",
    "rush_touchdown",
    "return_touchdown",
    "complete_pass",
    "incomplete_pass",
    "interception",
    "sack",
    "fumble_forced",
    "fumble_not_forced",
    "fumble_lost",
    "safety",
    "kickoff_attempt",
    "punt_attempt",
    "touchback",
    "two_point_attempt",
    "two_point_conv_result",
    "field_goal_result",
    "extra_point_result",
    "qb_spike",
    "qb_kneel",
    "qb_scramble",
    "air_yards",
    "passing_yards",
    "receiving_yards",
    "rushing_yards",
    "lateral_reception",
    "lateral_receiving_yards",
    "td_team",
    "total_home_score",
    "total_away_score",
    *(
        f"{who}_player_{what}"
        for who in (
            "passer",
            "receiver",
            "rusher",
            "lateral_receiver",
            "interception",
            "kickoff_returner",
            "punt_returner",
            "kicker",
            "punter",
            "td",
            "sack",
            "safety",
            "solo_tackle_1",
            "assist_tackle_1",
            "assist_tackle_2",
            "fumbled_1",
            "fumble_recovery_1",
            "forced_fumble_player_1",
        )
        for what in ("id", "name")
    ),
    "solo_tackle_1_team",
    "assist_tackle_1_team",
    "assist_tackle_2_team",
    "fumbled_1_team",
    "fumble_recovery_1_team",
    "fumble_recovery_1_yards",
    "forced_fumble_player_1_team",
]
STATS = [
    "season",
    "week",
    "game_id",
    "play_id",
    "sequence",
    "stat_id",
    "yards",
    "team_abbr",
    "player_name",
    "gsis_player_id",
]
Cells = Mapping[str, object]

PASSER, CATCHER, RUNNER, KICKER = "00-0000001", "00-0000002", "00-0000003", "00-0000004"
TACKLER, THIEF = "00-0000009", "00-0000008"


def named(who: str, player: str, name: str) -> dict[str, object]:
    return {f"{who}_player_id": player, f"{who}_player_name": name}


def play(play_id: int, play_type: str, posteam: str = H, **cells: object) -> dict[str, object]:
    base = {
        "play_id": play_id,
        "game_id": GAME,
        "home_team": H,
        "away_team": S,
        "posteam": posteam,
        "defteam": S if posteam == H else H,
        "game_date": "2031-09-07",
        "season": 2031,
        "season_type": "REG",
        "week": 1,
        "yardline_100": 70,
        "quarter_seconds_remaining": 900 - play_id,
        "qtr": 1,
        "play_type": play_type,
    }
    return base | cells


def small_game() -> list[dict[str, object]]:
    """A kickoff, a touchdown pass with the point, a foul, a run lost by fumble, a time-out, and the end."""
    return [
        play(
            10,
            "kickoff",
            S,
            yardline_100=35,
            kickoff_attempt=1,
            touchback=1,
            kick_distance=65,
            **named("kicker", KICKER, "K.Foot"),
        ),
        play(
            20,
            "pass",
            down=1,
            ydstogo=10,
            yardline_100=60,
            complete_pass=1,
            touchdown=1,
            pass_touchdown=1,
            td_team=H,
            yards_gained=60,
            passing_yards=60,
            receiving_yards=60,
            air_yards=20,
            **named("passer", PASSER, "P.Arm"),
            **named("receiver", CATCHER, "C.Hands"),
            **named("td", CATCHER, "C.Hands"),
        ),
        play(
            30,
            "extra_point",
            yardline_100=15,
            extra_point_result="good",
            kick_distance=33,
            **named("kicker", KICKER, "K.Foot"),
            total_home_score=7,
            total_away_score=0,
        ),
        play(
            40,
            "no_play",
            down=1,
            ydstogo=10,
            penalty=1,
            penalty_team=S,
            penalty_yards=5,
            penalty_type="Offside",
            **named("penalty", TACKLER, "T.Wall"),
        ),
        play(
            50,
            "run",
            down=1,
            ydstogo=5,
            rushing_yards=4,
            yards_gained=4,
            fumble_forced=1,
            fumble_lost=1,
            fumbled_1_team=H,
            fumble_recovery_1_team=S,
            fumble_recovery_1_yards=7,
            forced_fumble_player_1_team=S,
            solo_tackle_1_team=S,
            replay_or_challenge=1,
            replay_or_challenge_result="upheld",
            **named("rusher", RUNNER, "R.Legs"),
            **named("fumbled_1", RUNNER, "R.Legs"),
            **named("fumble_recovery_1", THIEF, "T.Quick"),
            **named("forced_fumble_player_1", TACKLER, "T.Wall"),
            **named("solo_tackle_1", TACKLER, "T.Wall"),
        ),
        play(60, "no_play", timeout=1, timeout_team=H),
        play(70, "", qtr=2, quarter_seconds_remaining=120, posteam=""),
        play(
            80,
            "pass",
            S,
            qtr=2,
            down=1,
            ydstogo=10,
            incomplete_pass=1,
            qb_spike=1,
            **named("passer", THIEF, "T.Quick"),
            total_home_score=7,
            total_away_score=0,
        ),
    ]


SMALL_STATS = [
    (10, 41, 65, H, KICKER),
    (10, 44, 0, H, KICKER),
    (20, 16, 60, H, PASSER),
    (20, 111, 20, H, PASSER),
    (20, 22, 60, H, CATCHER),
    (20, 115, 0, H, CATCHER),
    (30, 72, 0, H, KICKER),
    (40, 93, 5, S, TACKLER),
    (50, 10, 4, H, RUNNER),
    (50, 79, 0, S, TACKLER),
    (50, 52, 0, H, RUNNER),
    (50, 106, 0, H, RUNNER),
    (50, 91, 0, S, TACKLER),
    (50, 59, 7, S, THIEF),
    (60, 68, 0, H, None),
    (80, 14, 0, S, THIEF),
]


def write(path: Path, columns: Sequence[str], rows: Iterable[Cells], missing: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", newline="") if path.suffix == ".gz" else path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval=missing)
        writer.writeheader()
        writer.writerows({k: missing if v in ("", None) else v for k, v in row.items()} for row in rows)
    return path


def stat_rows(game: str = GAME) -> list[dict[str, object]]:
    return [
        {
            "game_id": game,
            "play_id": play_id,
            "sequence": n,
            "stat_id": stat,
            "yards": yards,
            "team_abbr": team,
            "gsis_player_id": player,
            "player_name": player,
        }
        for n, (play_id, stat, yards, team, player) in enumerate(SMALL_STATS)
    ]


def read_one(path: Path, play_stats: Path | None = None) -> GameScript:
    (script,) = read_games([path], play_stats)
    return script


def bodies(script: GameScript) -> list[ev.Body]:
    return [event.body for event in script.events]


def ppr(script: GameScript) -> dict[str, int]:
    found = stat_lines(credits(numbered(bodies(script))))
    return {player: points(line.stats, PPR) for player, line in found.items()}


EXPECTED = {PASSER: 6_400, CATCHER: 13_000, RUNNER: -1_600, KICKER: 0, TACKLER: 0, THIEF: 0}


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    return write(tmp_path / "pbp" / f"{GAME}.csv.gz", WIDE, small_game())


def test_wide_columns_alone_give_the_points(wide: Path) -> None:
    assert ppr(read_one(wide)) == EXPECTED


def test_play_stats_are_found_in_the_sibling_folder(wide: Path, tmp_path: Path) -> None:
    alone = read_one(wide)
    rows = [row | {"yards": 61} if row["stat_id"] in (16, 22) else row for row in stat_rows()]
    write(tmp_path / "play_stats" / f"{GAME}.csv.gz", STATS, rows)
    assert ppr(read_one(wide))[CATCHER] == ppr(alone)[CATCHER] + 100


def test_play_stats_may_be_named_as_a_file_or_a_folder(wide: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "credits" / f"{GAME}.csv", STATS, stat_rows())
    assert ppr(read_one(wide, file)) == ppr(read_one(wide, file.parent)) == EXPECTED


def test_play_stats_of_another_game_are_refused(wide: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "credits.csv", STATS, stat_rows("2031090701"))
    with pytest.raises(FileError, match=r"credits\.csv, column game_id: no rows for game 2031090700"):
        read_one(wide, file)


def hashed(player: str) -> str:
    digits = "3201" + player.encode().hex() + "00c0ffee"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def test_hashed_player_ids_are_decoded() -> None:
    assert player_id(hashed(PASSER)) == PASSER
    assert player_id(PASSER) == PASSER
    assert player_id("0") is player_id(None) is None
    assert player_id("ffffffff-ffff-ffff-ffff-ffffffffffff") == "ffffffff-ffff-ffff-ffff-ffffffffffff"


def season(tmp_path: Path) -> Path:
    """Two games in one file the nflverse way: its game ids, hashed player ids, NA, 1.0 and TRUE."""
    rows = []
    for week in (1, 2):
        for row in small_game():
            cells = {
                key: hashed(value) if key.endswith("player_id") and isinstance(value, str) else value
                for key, value in row.items()
            }
            cells = {
                key: {1: "TRUE", 0: "0.0"}.get(value, value) if key in _FLAGS else value for key, value in cells.items()
            }  # type: ignore[call-overload]
            cells |= {"week": week, "game_id": f"2031_0{week}_SUM_HRB", "old_game_id": f"203109{week}700"}
            rows.append({key: f"{value}.0" if isinstance(value, int) else value for key, value in cells.items()})
    return write(tmp_path / "play_by_play_2031.csv", WIDE, rows, missing="NA")


_FLAGS = {"kickoff_attempt", "touchback", "complete_pass", "touchdown", "pass_touchdown", "penalty", "timeout"}


def test_a_season_file_yields_a_script_a_game(tmp_path: Path) -> None:
    first, second = read_games([season(tmp_path)])
    assert (first.game_id, second.game_id) == ("2031_01_SUM_HRB", "2031_02_SUM_HRB")
    assert (second.season, second.season_type, second.week) == (2031, "REG", 2)
    assert ppr(first) == ppr(second) == EXPECTED


def test_a_season_of_play_stats_goes_by_either_game_id_in_any_order(tmp_path: Path) -> None:
    rows = [*stat_rows("2031092700"), *stat_rows("2031_01_SUM_HRB")]
    assert [ppr(script) for script in read_games([season(tmp_path)], write(tmp_path / "all.csv.gz", STATS, rows))] == [
        EXPECTED,
        EXPECTED,
    ]


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
    kickoff, touchdown, point, foul, run, spike = [body for body in bodies(read_one(wide)) if isinstance(body, ev.Snap)]
    assert kickoff == ev.Snap(possession=H, spot=35, period=1, clock=890, situation="kickoff")
    assert touchdown == ev.Snap(possession=H, spot=40, period=1, clock=880, down=1, distance=10)
    assert (point.situation, point.spot, point.down) == ("try", 85, None)
    assert (foul.situation, foul.possession) == ("scrimmage", H)
    assert (run.spot, run.distance) == (30, 5)
    assert (spike.possession, spike.period) == (S, 2)


def test_a_play_called_back_has_its_foul_and_no_movement(wide: Path) -> None:
    found = bodies(read_one(wide))
    foul = next(body for body in found if isinstance(body, ev.Penalty))
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
    assert [body.outcome for body in bodies(script) if isinstance(body, ev.Penalty)] == ["downfield"]


def test_a_kickoff_called_back_is_still_the_kickers(tmp_path: Path) -> None:
    back = play(9, "no_play", S, yardline_100=35, penalty=1, penalty_team=H, penalty_yards=5)
    script = read_one(write(tmp_path / "one.csv", WIDE, [back, *small_game()]))
    assert next(body for body in bodies(script) if isinstance(body, ev.Snap)) == ev.Snap(
        possession=H, spot=35, period=1, clock=891, situation="kickoff"
    )


def test_reviews_timeouts_and_periods(wide: Path) -> None:
    found = bodies(read_one(wide))
    assert [body.ruling for body in found if isinstance(body, ev.Challenge)] == ["pending", "upheld"]
    assert ev.Timeout(team=H) in found
    assert [(body.period, body.phase) for body in found if isinstance(body, ev.Period)] == [
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


def test_the_sides_of_a_safety_are_told_by_the_score(tmp_path: Path) -> None:
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
    gone = ("passing_yards", "receiving_yards", "rushing_yards", "td_player_id", "td_player_name", "season", "week")
    columns = [column for column in WIDE if column not in (*gone, "season_type")]
    path = write(
        tmp_path / "old.csv", columns, [{k: v for k, v in row.items() if k in columns} for row in rows], missing="NA"
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


def test_a_play_that_only_play_stats_know_is_not_lost(wide: Path, tmp_path: Path) -> None:
    unlisted = {"game_id": GAME, "play_id": 55, "stat_id": 10, "yards": 12, "team_abbr": S, "gsis_player_id": THIEF}
    file = write(tmp_path / "more.csv", STATS, [*stat_rows(), unlisted])
    assert ppr(read_one(wide, file)) == EXPECTED | {THIEF: 1_200}


def test_a_play_that_play_stats_lack_is_read_from_its_columns(wide: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "fewer.csv", STATS, [row for row in stat_rows() if row["play_id"] != 20])
    assert ppr(read_one(wide, file)) == EXPECTED


def test_a_club_may_go_by_an_older_name_in_play_stats(tmp_path: Path) -> None:
    row = play(20, "run", "LV", down=1, ydstogo=10, home_team="LV", away_team=S, defteam=S)
    path = write(tmp_path / "pbp.csv", WIDE, [row])
    stat = {"game_id": GAME, "play_id": 20, "stat_id": 10, "yards": 7, "team_abbr": "OAK", "gsis_player_id": RUNNER}
    script = read_one(path, write(tmp_path / "stats.csv", STATS, [stat]))
    assert [body.team for body in bodies(script) if isinstance(body, ev.Run)] == ["LV"]


def test_the_final_score_is_the_files_own_where_nothing_lies_beside(wide: Path) -> None:
    assert bodies(read_one(wide))[-1] == ev.Final(home_score=7, away_score=0)


def test_games_players_and_clubs_lie_beside(tmp_path: Path) -> None:
    path = write(tmp_path / "season" / "pbp" / f"{GAME}.csv", WIDE, small_game())
    folder = tmp_path / "season"
    write(
        folder / "games.csv",
        ["game_id", "kickoff_et", "home_score", "away_score"],
        [{"game_id": GAME, "kickoff_et": "20:20", "home_score": 8, "away_score": 0}],
    )
    write(
        folder / "players.csv",
        ["player_id", "full_name", "position"],
        [{"player_id": PASSER, "full_name": "Percy Arm", "position": "QB"}],
    )
    write(
        folder / "teams.csv", ["team", "nickname", "name"], [{"team": H, "nickname": "Herons", "name": "Harbor Herons"}]
    )
    script = read_one(path)
    assert script.kickoff == datetime(2031, 9, 8, 0, 20, tzinfo=UTC)
    assert bodies(script)[-1] == ev.Final(home_score=8, away_score=0)
    assert Footballer(PASSER, "Percy Arm", H, "QB") in script.footballers
    assert Footballer(RUNNER, "R.Legs", H) in script.footballers
    assert (script.home.name, script.home.nickname, script.away.name) == ("Harbor Herons", "Herons", S)


def test_points_known_to_be_missing_are_put_in(tmp_path: Path) -> None:
    path = write(tmp_path / "pbp" / f"{GAME}.csv", WIDE, [row for row in small_game() if row["play_id"] != 30])
    write(
        tmp_path / "known_gaps.csv",
        ["game_id", "what", "after_play_id", "team", "points", "kicker_player_id"],
        [{"game_id": GAME, "after_play_id": 20, "team": H, "points": 1, "kicker_player_id": KICKER}],
    )
    assert game_state(numbered(bodies(read_one(path)))).home_score == 7


def test_a_file_beside_that_only_shares_the_name_is_left_alone(wide: Path, tmp_path: Path) -> None:
    write(tmp_path / "games.csv", ["title", "stars"], [{"title": "chess", "stars": 5}])
    assert read_one(wide).game_id == GAME


# --- files that are not play-by-play


def refused(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        list(read_games([path]))
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "nowhere.csv, line 1: cannot be read (No such file or directory)" in refused(tmp_path / "nowhere.csv")


def test_another_table_is_refused_with_the_column_it_lacks(tmp_path: Path) -> None:
    text = refused(write(tmp_path / "prices.csv", ["game_id", "price"], [{"game_id": 1, "price": 2}]))
    assert "prices.csv, line 1, column play_id: the header has no such column, so this is not play-by-play" in text


def test_an_empty_file_and_one_without_plays(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    assert "the file is empty" in refused(tmp_path / "empty.csv")
    assert "there are no plays" in refused(write(tmp_path / "header.csv", WIDE, []))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    assert "picture.csv, line 1: this is not play-by-play as text" in refused(tmp_path / "picture.csv")


def test_a_gzip_file_that_was_cut(tmp_path: Path, wide: Path) -> None:
    (tmp_path / "cut.csv.gz").write_bytes(wide.read_bytes()[:200])
    assert "cut.csv.gz, line " in refused(tmp_path / "cut.csv.gz")


def test_a_line_that_was_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "cut.csv", WIDE, small_game())
    path.write_text(path.read_text()[:-60])
    assert "cut.csv, line 9, column " in refused(path)


BROKEN = [
    ("qtr", "eleven", "column qtr: must be a number, not 'eleven'"),
    ("qtr", "0", "column qtr: must be 1 to 4"),
    ("touchdown", "maybe", "column touchdown: must be 0 or 1, not 'maybe'"),
    ("play_id", "", "column play_id: is empty"),
    ("yardline_100", "x", "column yardline_100: must be a number"),
    ("extra_point_result", "perhaps", "column extra_point_result: must be good, failed, blocked or aborted"),
]


@pytest.mark.parametrize(("column", "value", "says"), BROKEN, ids=[f"{case[0]}={case[1]}" for case in BROKEN])
def test_a_broken_cell_is_named_by_line_and_column(tmp_path: Path, column: str, value: str, says: str) -> None:
    rows = small_game()
    rows[1] |= {column: value}
    assert f"bad.csv, line 3, {says}" in refused(write(tmp_path / "bad.csv", WIDE, rows))


def test_a_date_that_is_none(tmp_path: Path) -> None:
    rows = [row | {"game_date": "soon"} for row in small_game()]
    assert "line 2, column game_date: must be a date" in refused(write(tmp_path / "bad.csv", WIDE, rows))


def test_games_must_not_be_mixed(tmp_path: Path) -> None:
    mixed = [small_game()[0], small_game()[1] | {"game_id": "2031090701"}, small_game()[2]]
    assert f"line 4, column game_id: game {GAME} comes again" in refused(write(tmp_path / "mixed.csv", WIDE, mixed))


def test_standard_points_leave_out_the_catch(wide: Path) -> None:
    found = stat_lines(credits(numbered(bodies(read_one(wide)))))
    assert points(found[CATCHER].stats, STANDARD) == EXPECTED[CATCHER] - 1_000
