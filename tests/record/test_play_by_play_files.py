"""A game is read together with the files beside it.

Play statistics, games, players, clubs and known gaps.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import select

from app.cli import games as commands
from app.core.csv_files import FileError
from app.core.db import db
from app.fantasy.scoring.rules import STANDARD, points
from app.record import events as ev
from app.record import models
from app.record.play_by_play import read_games
from app.record.rules.clubs import player_id
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.rules.state import game_state
from app.record.script import Footballer
from tests.commands import use_here
from tests.worlds.play_by_play import (
    CATCHER,
    EXPECTED,
    GAME,
    KICKER,
    PASSER,
    RUNNER,
    STATS,
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
    stat_rows,
    write,
)


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
    with pytest.raises(
        FileError, match=r"credits\.csv, column game_id: no rows for game 2031090700"
    ):
        read_one(wide, file)


def hashed(player: str) -> str:
    digits = "3201" + player.encode().hex() + "00c0ffee"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def test_hashed_player_ids_are_decoded() -> None:
    assert player_id(hashed(PASSER)) == PASSER
    assert player_id(PASSER) == PASSER
    assert player_id("0") is player_id(None) is None
    assert (
        player_id("ffffffff-ffff-ffff-ffff-ffffffffffff") == "ffffffff-ffff-ffff-ffff-ffffffffffff"
    )


def season(tmp_path: Path) -> Path:
    """Two games in one file the nflverse way: its game ids, hashed player ids, NA, 1.0 and TRUE."""
    rows = []
    for week in (1, 2):
        for row in small_game():
            cells = {
                key: hashed(value)
                if key.endswith("player_id") and isinstance(value, str)
                else value
                for key, value in row.items()
            }
            cells = {
                key: {1: "TRUE", 0: "0.0"}.get(value, value) if key in _FLAGS else value
                for key, value in cells.items()
            }  # type: ignore[call-overload]
            cells |= {
                "week": week,
                "game_id": f"2031_0{week}_SUM_HRB",
                "old_game_id": f"203109{week}700",
            }
            rows.append(
                {
                    key: f"{value}.0" if isinstance(value, int) else value
                    for key, value in cells.items()
                }
            )
    return write(tmp_path / "play_by_play_2031.csv", WIDE, rows, missing="NA")


_FLAGS = {
    "kickoff_attempt",
    "touchback",
    "complete_pass",
    "touchdown",
    "pass_touchdown",
    "penalty",
    "timeout",
}


def test_a_season_file_yields_a_script_a_game(tmp_path: Path) -> None:
    first, second = read_games([season(tmp_path)])
    assert (first.game_id, second.game_id) == ("2031_01_SUM_HRB", "2031_02_SUM_HRB")
    assert (second.season, second.season_type, second.week) == (2031, "REG", 2)
    assert ppr(first) == ppr(second) == EXPECTED


def test_a_season_of_play_stats_goes_by_either_game_id_in_any_order(tmp_path: Path) -> None:
    rows = [*stat_rows("2031092700"), *stat_rows("2031_01_SUM_HRB")]
    assert [
        ppr(script)
        for script in read_games([season(tmp_path)], write(tmp_path / "all.csv.gz", STATS, rows))
    ] == [
        EXPECTED,
        EXPECTED,
    ]


def test_a_play_that_only_play_stats_know_is_not_lost(wide: Path, tmp_path: Path) -> None:
    unlisted = {
        "game_id": GAME,
        "play_id": 55,
        "stat_id": 10,
        "yards": 12,
        "team_abbr": S,
        "gsis_player_id": THIEF,
    }
    file = write(tmp_path / "more.csv", STATS, [*stat_rows(), unlisted])
    assert ppr(read_one(wide, file)) == EXPECTED | {THIEF: 1_200}


def test_a_play_that_play_stats_lack_is_read_from_its_columns(wide: Path, tmp_path: Path) -> None:
    file = write(
        tmp_path / "fewer.csv", STATS, [row for row in stat_rows() if row["play_id"] != 20]
    )
    assert ppr(read_one(wide, file)) == EXPECTED


def test_a_club_may_go_by_an_older_name_in_play_stats(tmp_path: Path) -> None:
    row = play(20, "run", "LV", down=1, ydstogo=10, home_team="LV", away_team=S, defteam=S)
    path = write(tmp_path / "pbp.csv", WIDE, [row])
    stat = {
        "game_id": GAME,
        "play_id": 20,
        "stat_id": 10,
        "yards": 7,
        "team_abbr": "OAK",
        "gsis_player_id": RUNNER,
    }
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
        folder / "teams.csv",
        ["team", "nickname", "name"],
        [{"team": H, "nickname": "Herons", "name": "Harbor Herons"}],
    )
    script = read_one(path)
    assert script.kickoff == datetime(2031, 9, 8, 0, 20, tzinfo=UTC)
    assert bodies(script)[-1] == ev.Final(home_score=8, away_score=0)
    assert Footballer(PASSER, "Percy Arm", H, "QB") in script.footballers
    assert Footballer(RUNNER, "R.Legs", H) in script.footballers
    assert (script.home.name, script.home.nickname, script.away.name) == (
        "Harbor Herons",
        "Herons",
        S,
    )


def test_points_known_to_be_missing_are_put_in(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pbp" / f"{GAME}.csv",
        WIDE,
        [row for row in small_game() if row["play_id"] != 30],
    )
    write(
        tmp_path / "known_gaps.csv",
        ["game_id", "what", "after_play_id", "team", "points", "kicker_player_id"],
        [
            {
                "game_id": GAME,
                "after_play_id": 20,
                "team": H,
                "points": 1,
                "kicker_player_id": KICKER,
            }
        ],
    )
    assert game_state(numbered(bodies(read_one(path)))).home_score == 7


def test_a_file_beside_that_only_shares_the_name_is_left_alone(wide: Path, tmp_path: Path) -> None:
    write(tmp_path / "games.csv", ["title", "stars"], [{"title": "chess", "stars": 5}])
    assert read_one(wide).game_id == GAME


def test_standard_points_leave_out_the_catch(wide: Path) -> None:
    computed = stat_lines(game_credits(numbered(bodies(read_one(wide)))))
    assert points(computed[CATCHER].stats, STANDARD) == EXPECTED[CATCHER] - 1_000


def test_a_game_is_of_the_club_that_is_stored_whatever_the_file_calls_it(
    app: Flask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The Raiders moved from Oakland to Las Vegas in 2020.

    A file of 2019 says OAK, and no second club comes of it.
    """
    use_here(monkeypatch, commands, app)
    db.session.add(
        models.Club(id="LV", name="Las Vegas Raiders", nickname="Raiders", colour="#000000")
    )
    db.session.commit()
    row = play(
        20,
        "run",
        "OAK",
        down=1,
        ydstogo=10,
        yards_gained=7,
        home_team="OAK",
        away_team=S,
        defteam=S,
        season=2019,
    )
    row |= {"rushing_yards": 7, **named("rusher", RUNNER, "R.Legs")}
    done = CliRunner().invoke(
        commands.import_group, ["pbp", str(write(tmp_path / "pbp.csv", WIDE, [row]))]
    )
    assert done.exit_code == 0, done.output
    db.session.expire_all()
    assert db.session.get_one(models.Game, GAME).home_id == "LV"
    assert db.session.get_one(models.Footballer, RUNNER).club_id == "LV"
    assert db.session.scalars(select(models.Club.name).order_by(models.Club.id)).all() == [
        "Las Vegas Raiders",
        S,
    ]
