"""Rosters and schedules as values.

The public formats, and errors that name the place and the remedy.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.core.csv_files import FileError
from app.fantasy.season_setup.rosters import RosterEntry, read_roster
from app.fantasy.season_setup.schedule import read_schedule
from tests.conftest import REAL_GAMES
from tests.worlds.season_files import ROSTER, SCHEDULE, written


def entries(folder: Path, text: str = ROSTER) -> dict[str, RosterEntry]:
    return {
        entry.id: entry
        for entry in read_roster(written(folder, "roster_2026.csv", text), 2026).entries
    }


def test_a_roster_says_who_plays_where_and_whether_they_are_fit(tmp_path: Path) -> None:
    by_id = entries(tmp_path)
    assert by_id["00-0000001"] == RosterEntry(
        "00-0000001", "Quinn Harbor", "HRB", "QB", "QB", 9, "available", ""
    )
    assert (by_id["00-0000004"].status, by_id["00-0000004"].news) == ("injured", "Injured reserve")
    assert by_id["00-0000005"].status == "suspended"


def test_who_has_no_place_on_a_team_sheet_is_no_part_of_the_market(tmp_path: Path) -> None:
    assert entries(tmp_path)["00-0000003"].market is None
    assert entries(tmp_path)["00-0000002"].market == "RB"


def test_the_row_of_the_latest_week_counts(tmp_path: Path) -> None:
    assert entries(tmp_path)["00-0000006"].club == "SUM"


def test_rows_without_an_id_are_left_out_and_counted(tmp_path: Path) -> None:
    assert read_roster(written(tmp_path, "r.csv", ROSTER), 2026).nameless == 1


def test_a_list_of_all_players_gives_those_who_still_play(tmp_path: Path) -> None:
    text = (
        "gsis_id,display_name,position,latest_team,status,last_season,jersey_number\n"
        "00-0000001,Old Man,QB,HRB,RET,2001,1\n00-0000002,Young Man,FB,SUM,ACT,2026,33\n"
    )
    by_id = entries(tmp_path, text)
    assert list(by_id) == ["00-0000002"]
    assert by_id["00-0000002"].market == "RB"


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (
            ROSTER.replace("2026,SUM,K", "2025,SUM,K"),
            ["line 6", "column season", "2025", "--season"],
        ),
        (ROSTER.replace(",9,ACT", ",nine,ACT"), ["line 2", "column jersey_number", "nine"]),
        (ROSTER.replace("gsis_id", "shirt"), ["line 1", "column gsis_id", "nflverse"]),
        ("season,team,position,gsis_id\n", ["no players for season 2026"]),
        (ROSTER.replace(",1\n", "\n", 1), ["line 2", "8 cells"]),
    ],
    ids=["season", "number", "header", "empty", "cut"],
)
def test_a_broken_roster_is_refused_with_its_place(
    tmp_path: Path, broken: str, says: list[str]
) -> None:
    with pytest.raises(FileError) as raised:
        entries(tmp_path, broken)
    for words in [*says, "roster_2026.csv"]:
        assert words in str(raised.value)


def test_a_schedule_has_seasons_weeks_and_games_in_order(tmp_path: Path) -> None:
    regular, post = read_schedule(written(tmp_path, "games.csv", SCHEDULE)).seasons
    assert (regular.season_type, [week.number for week in regular.weeks]) == ("REG", [1, 9])
    assert (post.season_type, post.weeks[0].number) == ("POST", 19)
    assert [game.id for game in regular.weeks[1].fixtures] == ["2026_09_ASH_SUM", "2026_09_HRB_QRY"]
    assert regular.weeks[0].fixtures[0].other_id == "2026091000"


def test_kickoffs_are_right_on_both_sides_of_the_change_of_clocks(tmp_path: Path) -> None:
    weeks = read_schedule(written(tmp_path, "games.csv", SCHEDULE)).seasons[0].weeks
    kickoffs = [game.kickoff for week in weeks for game in week.fixtures]
    assert kickoffs == [
        datetime(2026, 9, 11, 0, 20, tzinfo=UTC),
        datetime(2026, 9, 13, 17, 0, tzinfo=UTC),
        datetime(2026, 10, 31, 17, 0, tzinfo=UTC),  # 13:00 in summer time
        datetime(2026, 11, 1, 18, 0, tzinfo=UTC),  # 13:00 the day after
    ]


def test_a_game_without_a_time_begins_at_the_usual_one(tmp_path: Path) -> None:
    post = read_schedule(written(tmp_path, "games.csv", SCHEDULE)).seasons[1]
    assert post.weeks[0].fixtures[0].kickoff == datetime(2027, 1, 9, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (SCHEDULE.replace("20:20", "8 pm"), ["line 2", "column gametime", "8 pm", "20:20"]),
        (
            SCHEDULE.replace(",2026,", ",0,", 1),
            ["line 2", "column season", "must be a year from 1869 to 2200, not 0"],
        ),
        (SCHEDULE.replace("2026-09-13", "13.9.2026"), ["line 3", "column gameday", "13.9.2026"]),
        (SCHEDULE.replace("REG,9", "XXX,9", 1), ["line 4", "column game_type", "XXX", "REG"]),
        (
            SCHEDULE.replace("13:00,HRB,,QRY", "13:00,QRY,,QRY"),
            ["line 4", "column away_team", "two clubs"],
        ),
        (
            SCHEDULE.replace("13:00,ASH,,SUM", "13:00,ASH,,QRY"),
            ["line 5", "column week", "QRY or ASH is listed twice in one week"],
        ),
        (
            SCHEDULE.replace("2026_01_ASH_QRY", "2026_01_SUM_HRB"),
            ["line 3", "column game_id", "listed twice"],
        ),
        (SCHEDULE.replace("gametime", "at"), ["line 1", "column gametime"]),
        ("", ["line 1", "empty"]),
    ],
    ids=[
        "time",
        "season",
        "day",
        "type",
        "one club",
        "club twice",
        "game twice",
        "header",
        "empty",
    ],
)
def test_a_broken_schedule_is_refused_with_its_place(
    tmp_path: Path, broken: str, says: list[str]
) -> None:
    with pytest.raises(FileError) as raised:
        read_schedule(written(tmp_path, "games.csv", broken))
    for words in [*says, "games.csv"]:
        assert words in str(raised.value)


def test_one_season_of_many_may_be_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "games.csv", SCHEDULE)
    with pytest.raises(FileError, match="no games for 2025"):
        read_schedule(path, [2025])


@pytest.mark.realgames
def test_a_real_season_has_its_256_games_in_17_weeks() -> None:
    (season,) = read_schedule(REAL_GAMES / "schedule_2019_reg.csv").seasons
    assert (len(season.weeks), sum(len(week.fixtures) for week in season.weeks)) == (17, 256)
    assert season.weeks[0].fixtures[0].kickoff == datetime(2019, 9, 6, 0, 20, tzinfo=UTC)


@pytest.mark.realgames
def test_a_real_list_of_players_fills_every_position() -> None:
    roster = read_roster(REAL_GAMES / "reg2019" / "players.csv", 2019)
    by_id = {entry.id: entry for entry in roster.entries}
    assert by_id["00-0022161"].club == "KC"  # ARI, then KC
    assert {"QB", "RB", "WR", "TE", "K", "LB", "CB"} <= {entry.market for entry in roster.entries}
    assert next(club.name for club in roster.clubs if club.id == "GB") == "Green Bay Packers"
