"""Play-by-play files of made-up games of Harbor (HRB) and Summit (SUM), and their points."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from app.fantasy.scoring.rules import PPR, points
from app.record import events as ev
from app.record.play_by_play import read_games
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.script import GameScript

H, S = "HRB", "SUM"
GAME = "2031090700"


def numbered(bodies: Iterable[ev.Body]) -> list[tuple[int, int, ev.Body]]:
    parsed, play = [], 0
    for number, body in enumerate(bodies, 1):
        play += isinstance(body, ev.Snap)
        parsed.append((number, play, body))
    return parsed


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
    """A kickoff, a touchdown pass with the point, a foul, a fumble, a time-out, and the end."""
    return [*_touchdown_drive(), *_lost_fumble()]


def _touchdown_drive() -> list[dict[str, object]]:
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
    ]


def _lost_fumble() -> list[dict[str, object]]:
    return [
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
    with (
        gzip.open(path, "wt", newline="")
        if path.suffix == ".gz"
        else path.open("w", newline="") as file
    ):
        writer = csv.DictWriter(file, columns, restval=missing)
        writer.writeheader()
        writer.writerows(
            {k: missing if v in ("", None) else v for k, v in row.items()} for row in rows
        )
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
    lines = stat_lines(game_credits(numbered(bodies(script))))
    return {player: points(line.stats, PPR) for player, line in lines.items()}


EXPECTED = {PASSER: 6_400, CATCHER: 13_000, RUNNER: -1_600, KICKER: 0, TACKLER: 0, THIEF: 0}
