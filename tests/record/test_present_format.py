"""The publisher's present play-by-play format, in small files made by hand from its column list.

The values are those of the rule book and of the league's scorers' guide; each test says which. No
file of these seasons is at hand. Kickoffs since 2024 are in test_recent_seasons.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.record import events as ev
from app.record.play_by_play import read_games
from app.record.play_by_play.assemble import game_ids
from app.record.play_by_play.published import read_published_games
from app.record.script import GameScript
from tests.worlds.play_by_play import (
    CATCHER,
    PASSER,
    RUNNER,
    TACKLER,
    THIEF,
    WIDE,
    H,
    S,
    named,
    play,
    ppr,
    write,
)

COLUMNS = [
    *WIDE,
    "start_time",
    "desc",
    "order_sequence",
    "play_deleted",
    "play_type_nfl",
    "special_teams_play",
    "st_play_type",
    "end_yard_line",
    "rush_attempt",
    "pass_attempt",
    "quarter_end",
    *(f"half_sack_{number}_player_{what}" for number in (1, 2) for what in ("id", "name")),
]
Rows = Sequence[Mapping[str, Any]]
ADDED_SINCE_2019 = ("play_deleted", "play_type_nfl", "special_teams_play", "st_play_type")


def run_play(play_id: int, yards: int, posteam: str = H, **cells: object) -> dict[str, Any]:
    return play(
        play_id,
        "run",
        posteam,
        down=1,
        ydstogo=10,
        rushing_yards=yards,
        yards_gained=yards,
        **named("rusher", RUNNER, "R.Legs"),
    ) | dict(cells)


def catch_play(play_id: int, yards: int, **cells: object) -> dict[str, Any]:
    return play(
        play_id,
        "pass",
        H,
        down=1,
        ydstogo=10,
        complete_pass=1,
        passing_yards=yards,
        receiving_yards=yards,
        yards_gained=yards,
        air_yards=yards,
        **named("passer", PASSER, "P.Arm"),
        **named("receiver", CATCHER, "C.Hands"),
    ) | dict(cells)


def read(
    folder: Path, rows: Rows, missing: str = "", columns: Sequence[str] = COLUMNS
) -> GameScript:
    """Read the file as a feed does."""
    path = write(folder / "play_by_play.csv", columns, rows, missing)
    (published,) = read_published_games(path)
    return published.script(lambda name, _season: name)


def of_game(rows: Rows, **cells: object) -> list[dict[str, Any]]:
    """The rows as those of another game; with other clubs in every column that names one."""
    clubs = {H: cells.get("home_team", H), S: cells.get("away_team", S)}
    return [
        {column: clubs.get(str(cell), cell) for column, cell in row.items()} | cells for row in rows
    ]


def facts(script: GameScript) -> list[ev.Body]:
    return [event.body for event in script.events]


def test_a_game_goes_by_the_publishers_id_and_the_leagues(tmp_path: Path) -> None:
    """Dallas at Tampa Bay opened 2021 on a Thursday evening, at 20:20 in New York."""
    ids = {"game_id": "2021_01_DAL_TB", "old_game_id": "2021090900"}
    rows = of_game(
        [run_play(40, 4)],
        **ids,
        home_team="TB",
        away_team="DAL",
        season=2021,
        game_date="2021-09-09",
        start_time="9/9/21, 20:20:00",
    )
    script = read(tmp_path, rows)
    assert (script.game_id, script.season, script.week) == ("2021_01_DAL_TB", 2021, 1)
    assert script.kickoff == datetime(2021, 9, 10, 0, 20, tzinfo=UTC)
    (published,) = read_published_games(tmp_path / "play_by_play.csv")
    assert published.ids == ("2021_01_DAL_TB", "2021090900")
    assert game_ids(published.rows[0]) == published.ids


@pytest.mark.parametrize(
    ("season", "week", "kind", "expected"),
    [
        (2020, 17, "REG", "REG"),  # the last of seventeen weeks
        (2021, 18, "REG", "REG"),  # the regular season has had eighteen since 2021
        (2021, 19, "WC", "POST"),
        (2021, 22, "SB", "POST"),
        (2020, 18, "WC", "POST"),
    ],
)
def test_seasons_of_eighteen_weeks(
    tmp_path: Path, season: int, week: int, kind: str, expected: str
) -> None:
    rows = of_game([run_play(40, 4)], season=season, week=week, season_type=kind)
    script = read(tmp_path, rows)
    assert (script.season, script.week, script.season_type) == (season, week, expected)


@pytest.mark.parametrize(
    ("season", "home", "home_in_plays"),
    [
        (2019, "OAK", "LV"),  # Oakland moved to Las Vegas in 2020
        (2019, "LV", "OAK"),
        (2020, "LV", "OAK"),
        (2016, "SD", "LAC"),  # San Diego moved to Los Angeles in 2017
        (2015, "STL", "LA"),  # St. Louis moved to Los Angeles in 2016
        (2016, "LA", "STL"),
        (2020, "WAS", "WSH"),  # Washington was the Football Team in 2020 and 2021
        (2021, "WFT", "WAS"),
        (2024, "JAX", "JAC"),
        (2024, "ARI", "ARZ"),
    ],
)
def test_a_club_that_moved_or_was_renamed_is_one_club_within_a_game(
    tmp_path: Path, season: int, home: str, home_in_plays: str
) -> None:
    """Its columns may use either name: the runner's 30 yards are 3 points, and his club's."""
    rows = [
        row | {"posteam": home_in_plays, "td_team": home_in_plays, "penalty_team": ""}
        for row in of_game([run_play(40, 30)], home_team=home, away_team="KC", season=season)
    ]
    script = read(tmp_path, rows)
    assert script.home.id == home
    (snap,) = [body for body in facts(script) if isinstance(body, ev.Snap)]
    assert snap.possession == home
    (run,) = [body for body in facts(script) if isinstance(body, ev.Run)]
    assert run.team == home
    assert ppr(script)[RUNNER] == 3_000


def test_columns_added_since_2019_change_nothing_where_they_say_nothing(tmp_path: Path) -> None:
    rows = [catch_play(40, 12), run_play(50, 4)]
    older = read(tmp_path, rows, columns=[c for c in COLUMNS if c not in ADDED_SINCE_2019])
    newer = read(
        tmp_path,
        [
            row | {"special_teams_play": 0, "play_deleted": 0, "play_type_nfl": "RUSH"}
            for row in rows
        ],
    )
    assert facts(newer) == facts(older)


def test_a_play_that_the_league_deleted_is_none(tmp_path: Path) -> None:
    rows = [catch_play(40, 12), run_play(50, 4, play_deleted=1), run_play(60, 5)]
    assert ppr(read(tmp_path, rows)) == ppr(read(tmp_path, [rows[0], rows[2]]))


def sack(**cells: object) -> dict[str, Any]:
    return play(
        40,
        "pass",
        H,
        down=2,
        ydstogo=8,
        sack=1,
        yards_gained=-7,
        **named("passer", PASSER, "P.Arm"),
    ) | dict(cells)


def test_a_sack_has_its_player_in_columns_of_its_own(tmp_path: Path) -> None:
    """One sack for whoever brought the passer down alone; a sack is neither a pass nor a run."""
    alone = read(tmp_path, [sack(**named("sack", TACKLER, "T.Wall"))])
    (credited,) = [body for body in facts(alone) if isinstance(body, ev.Sack)]
    assert credited.by == (TACKLER,)
    assert ppr(alone).get(PASSER, 0) == 0


def test_a_shared_sack_is_half_a_sack_for_each(tmp_path: Path) -> None:
    shared = read(
        tmp_path,
        [sack(**named("half_sack_1", TACKLER, "T.Wall"), **named("half_sack_2", THIEF, "T.Quick"))],
    )
    (credited,) = [body for body in facts(shared) if isinstance(body, ev.Sack)]
    assert sorted(credited.by) == [THIEF, TACKLER]


def test_kneels_are_runs_and_spikes_are_incomplete_passes(tmp_path: Path) -> None:
    """The scorers' guide: a kneel is a rush for what it loses, a spike an attempt. -1 is -0.1."""
    kneel = run_play(40, -1, play_type="qb_kneel", qb_kneel=1)
    spike = play(
        50,
        "qb_spike",
        H,
        down=1,
        ydstogo=10,
        qb_spike=1,
        incomplete_pass=1,
        yards_gained=0,
        **named("passer", PASSER, "P.Arm"),
    )
    script = read(tmp_path, [kneel, spike])
    assert ppr(script) == {RUNNER: -100, PASSER: 0}
    assert sum(isinstance(body, ev.Snap) for body in facts(script)) == 2
    assert [body.result for body in facts(script) if isinstance(body, ev.Pass)] == ["spike"]


@pytest.mark.parametrize(
    "row",
    [
        {"play_type": "", "play_type_nfl": "GAME_START", "desc": "GAME"},
        {"play_type": "", "play_type_nfl": "COMMENT", "desc": "The game has been delayed."},
        {"play_type": "", "play_type_nfl": "END_QUARTER", "desc": "END QUARTER 1"},
        {"play_type": "note", "play_type_nfl": "", "desc": "Two-Minute Warning"},
    ],
    ids=lambda row: row["play_type_nfl"] or row["play_type"],
)
def test_rows_that_are_no_plays_are_none(tmp_path: Path, row: Mapping[str, str]) -> None:
    rows = [run_play(40, 4), play(45, "", "", defteam="") | row, run_play(50, 5)]
    script = read(tmp_path, rows)
    assert sum(isinstance(body, ev.Snap) for body in facts(script)) == 2
    assert ppr(script) == {RUNNER: 900}


def test_a_word_of_play_type_that_is_new_is_read_by_its_credits(tmp_path: Path) -> None:
    """A publisher may name a kind of play that there was none of before; the columns say what."""
    script = read(tmp_path, [run_play(40, 4, play_type="hook_and_ladder")])
    assert ppr(script) == {RUNNER: 400}


def test_rows_out_of_order_are_read_in_the_order_that_the_publisher_gives(tmp_path: Path) -> None:
    rows = [
        row | {"order_sequence": place}
        for place, row in enumerate([catch_play(40, 12), run_play(70, 4), run_play(60, 5)])
    ]
    in_order = read(tmp_path, rows)
    shuffled = read(tmp_path, [rows[2], rows[0], rows[1]])
    assert facts(shuffled) == facts(in_order)
    runs = [body for body in facts(in_order) if isinstance(body, ev.Run)]
    assert [run.end_yard - run.start_yard for run in runs if run.kind == "rush"][-2:] == [4, 5]


def test_na_says_as_little_as_an_empty_cell(tmp_path: Path) -> None:
    rows = [catch_play(40, 12), run_play(50, 4), sack(**named("sack", TACKLER, "T.Wall"))]
    empty = read(tmp_path, rows)
    assert facts(read(tmp_path, rows, missing="NA")) == facts(empty)
    assert empty.footballers == read(tmp_path, rows, missing="NA").footballers


def test_decimal_numbers_are_whole_ones(tmp_path: Path) -> None:
    """R and pandas write 4.0 where a column has gaps."""
    rows = [catch_play(40, 12), run_play(50, 4)]
    decimal = [
        {
            column: f"{cell}.0" if isinstance(cell, int) and column != "play_id" else cell
            for column, cell in row.items()
        }
        for row in rows
    ]
    assert facts(read(tmp_path, decimal)) == facts(read(tmp_path, rows))


def test_several_games_of_a_season_are_read_one_by_one(tmp_path: Path) -> None:
    first = of_game([run_play(40, 4)], game_id="2024_01_A_B", old_game_id="")
    second = of_game([run_play(40, 6)], game_id="2024_02_B_A", old_game_id="", week=2)
    path = write(tmp_path / "play_by_play_2024.csv", COLUMNS, [*first, *second])
    assert [(script.game_id, ppr(script)[RUNNER]) for script in read_games([path])] == [
        ("2024_01_A_B", 400),
        ("2024_02_B_A", 600),
    ]
