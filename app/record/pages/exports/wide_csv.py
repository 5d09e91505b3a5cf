"""A game as wide play-by-play, with the column names of nflverse and nflscrapR. Pure.

Each play is one row. This module has the file, its header and the situation of each row; the
columns of what happened are in wide_columns.py. app/record/play_by_play/wide_credits.py reads the
file back; docs/exports.md says what the columns cannot express.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from app.core.csv_writing import csv_text
from app.record import events as ev
from app.record.pages.exports.wide_columns import FLAGS, ROOM, PlayColumns
from app.record.play_sentence import play_sentences
from app.record.queries import GameRow
from app.record.rules.drives import Snapped, drive_of_plays, drives, snapped
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import OVER, scoring_plays
from app.record.words import GOAL_LINE, MIDFIELD, QUARTERS, clock_words, sentence

_EASTERN = ZoneInfo("America/New_York")
_PLAYER_COLUMNS = (
    "passer",
    "receiver",
    "rusher",
    "lateral_receiver",
    "lateral_rusher",
    "interception",
    "lateral_interception",
    "punt_returner",
    "lateral_punt_returner",
    "kickoff_returner",
    "lateral_kickoff_returner",
    "punter",
    "kicker",
    "own_kickoff_recovery",
    "blocked",
    "td",
    "sack",
    "half_sack_1",
    "half_sack_2",
    "safety",
    "penalty",
)
_WITHOUT_TEAM = ("tackle_for_loss", "qb_hit", "pass_defense")
COLUMNS = (
    "season",
    "season_type",
    "week",
    "play_id",
    "game_id",
    "home_team",
    "away_team",
    "posteam",
    "posteam_type",
    "defteam",
    "side_of_field",
    "yardline_100",
    "game_date",
    "start_time",
    "quarter_seconds_remaining",
    "half_seconds_remaining",
    "game_seconds_remaining",
    "game_half",
    "drive",
    "qtr",
    "down",
    "goal_to_go",
    "time",
    "yrdln",
    "ydstogo",
    "desc",
    "play_type",
    "yards_gained",
    "pass_length",
    "pass_location",
    "run_location",
    "run_gap",
    "air_yards",
    "yards_after_catch",
    "field_goal_result",
    "kick_distance",
    "extra_point_result",
    "two_point_conv_result",
    "timeout_team",
    "td_team",
    "home_score",
    "away_score",
    "total_home_score",
    "total_away_score",
    "return_team",
    "return_yards",
    "penalty_team",
    "penalty_yards",
    "penalty_type",
    "replay_or_challenge_result",
    "passing_yards",
    "receiving_yards",
    "rushing_yards",
    "lateral_receiving_yards",
    "lateral_rushing_yards",
    *FLAGS,
    *(f"{name}_player_{part}" for name in _PLAYER_COLUMNS for part in ("id", "name")),
    *(
        f"{name}_{n}_{part}"
        for name, room in ROOM.items()
        for n in range(1, room + 1)
        for part in (() if name in _WITHOUT_TEAM else ("team",)) + ("player_id", "player_name")
    ),
    "fumble_recovery_1_yards",
    "fumble_recovery_2_yards",
)


def wide_csv(game: GameRow, events: Sequence[Numbered], names: Mapping[str, str]) -> str:
    """A header and a row for every play and every club's time-out, in the order of the game.

    `events`: the valid ones. Unknown cells are empty, flags are 0 or 1, and `play_id` is the event
    number of the snap.
    """
    rows: list[Mapping[str, Any]] = []
    plays = snapped(events)
    drive_of = drive_of_plays(
        drives(plays, is_over=game.status in OVER), (play.number for play in plays)
    )
    ids = {play: number for number, play, body in events if isinstance(body, ev.Snap)}
    totals = _totals(game, events)
    common = _common_cells(game)
    clubs = (game.home.id, game.away.id)
    home = away = 0
    for play in plays:
        home, away = totals.get(play.number, (home, away))
        cells = (
            common
            | _situation(game, play, drive_of)
            | {"total_home_score": home, "total_away_score": away}
        )
        row = PlayColumns(play, names).cells() | {"sp": int(play.number in totals)}
        description = " ".join(play_sentences([play.snap, *play.bodies], names, clubs))
        rows.append(cells | row | {"play_id": ids[play.number], "desc": description})
        for number, body in play.events:
            if isinstance(body, ev.Timeout) and body.team is not None:
                keep = (
                    "qtr",
                    "time",
                    "quarter_seconds_remaining",
                    "total_home_score",
                    "total_away_score",
                )
                called = {
                    "play_id": number,
                    "play_type": "no_play",
                    "timeout": 1,
                    "timeout_team": body.team,
                }
                rows.append(
                    common
                    | {name: cells[name] for name in keep}
                    | called
                    | {"desc": sentence(body, names)}
                )
    return csv_text(COLUMNS, [[row.get(column, "") for column in COLUMNS] for row in rows])


def _common_cells(game: GameRow) -> dict[str, Any]:
    """The cells that are the same in every row; times are Eastern, as in the public files."""
    kickoff = game.kickoff.astimezone(_EASTERN)
    return {
        "season": game.season,
        "season_type": game.season_type,
        "week": game.week,
        "game_id": game.id,
        "home_team": game.home.id,
        "away_team": game.away.id,
        "home_score": game.home_score,
        "away_score": game.away_score,
        "game_date": f"{kickoff:%Y-%m-%d}",
        "start_time": f"{kickoff:%m/%d/%y, %H:%M:%S}",
    }


def _totals(game: GameRow, events: Sequence[Numbered]) -> dict[int, tuple[int, int]]:
    """The home and away score after each play that changed it."""
    totals: dict[int, tuple[int, int]] = {}
    home = away = 0
    for score in scoring_plays(events):
        home += score.points if score.team == game.home.id else 0
        away += score.points if score.team == game.away.id else 0
        totals[score.play_number] = (home, away)
    return totals


def _situation(game: GameRow, play: Snapped, drive_of: Mapping[int, int]) -> dict[str, Any]:
    """The situation before the snap; on a kickoff the receivers count as the club in possession."""
    snap = play.snap
    other = game.away.id if snap.possession == game.home.id else game.home.id
    kicked_off = snap.situation in ("kickoff", "free_kick")
    offence, defence = (other, snap.possession) if kicked_off else (snap.possession, other)
    side, line = (
        (snap.possession, snap.spot) if snap.spot <= MIDFIELD else (other, GOAL_LINE - snap.spot)
    )
    quarters_left = max(0, QUARTERS - snap.period)
    half = "Overtime"
    if snap.period <= QUARTERS:
        half = "Half1" if snap.period <= QUARTERS // 2 else "Half2"
    return {
        "posteam": offence,
        "posteam_type": "home" if offence == game.home.id else "away",
        "defteam": defence,
        "side_of_field": "MID" if line == MIDFIELD else side,
        "yardline_100": snap.spot if kicked_off else 100 - snap.spot,
        "quarter_seconds_remaining": snap.clock,
        "half_seconds_remaining": snap.clock + (900 if snap.period in (1, 3) else 0),
        "game_seconds_remaining": snap.clock + 900 * quarters_left,
        "game_half": half,
        "drive": drive_of.get(play.number, ""),
        "qtr": snap.period,
        "down": "" if snap.down is None else snap.down,
        "goal_to_go": int(snap.distance is not None and snap.spot + snap.distance >= GOAL_LINE),
        "time": f"{clock_words(snap.clock):0>5}",
        "yrdln": "MID 50" if line == MIDFIELD else f"{side} {line}",
        "ydstogo": 0 if snap.distance is None else snap.distance,
    }
