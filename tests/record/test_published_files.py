"""A file of a publisher is known by its columns, not by its name or encoding."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from app.core.csv_files import FileError, read_columns, read_rows
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import read_schedule
from app.record.play_by_play import read_games
from app.record.published_files import KINDS, recognise
from tests.conftest import REAL_GAMES
from tests.worlds.play_by_play import WIDE, read_one, small_game, write
from tests.worlds.season_files import ROSTER, SCHEDULE, written

INJURIES = (
    "season,game_type,team,week,gsis_id,position,full_name,report_primary_injury,report_status,"
    "practice_primary_injury,practice_status\n"
    "2026,REG,HRB,1,00-0000001,QB,Quinn Harbor,Knee,Out,Knee,Did Not Participate In Practice\n"
)


def table(path: Path, rows: str) -> Path:
    """A CSV text as a Parquet file of texts, with null for an empty cell."""
    read = list(csv.DictReader(io.StringIO(rows)))
    columns = {name: pa.array([row[name] or None for row in read], pa.string()) for name in read[0]}
    parquet.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("row_groups", [1, 1000])
def test_a_parquet_file_reads_like_the_same_table_as_csv(tmp_path: Path, row_groups: int) -> None:
    columns = {
        "id": pa.array([1, None, 3], pa.int32()),
        "yards": pa.array([4.0, -2.5, float("nan")]),
        "good": pa.array([True, False, None]),
        "name": pa.array(["Ann", "", None]).dictionary_encode(),
        "day": pa.array([19000, None, 0], pa.date32()),
    }
    path = tmp_path / "table.anything"
    parquet.write_table(pa.table(columns), path, row_group_size=row_groups)
    assert read_columns(path, "a table") == ("id", "yards", "good", "name", "day")
    first, second, third = read_rows(path, ("id",), "a table")
    assert (first.number("id"), first.number("yards"), first.flag("good")) == (1, 4, True)
    assert (first.text("name"), first.text("day")) == ("Ann", "2022-01-08")
    assert (second.text("id"), second.text("yards"), second.flag("good")) == (None, "-2.5", False)
    assert (second.text("name"), second.text("day")) == (None, None)
    assert (third.number("yards"), third.text("day"), third.line) == (None, "1970-01-01", 4)


def test_play_by_play_gives_the_same_game_as_csv_and_as_parquet(tmp_path: Path) -> None:
    file = write(tmp_path / "pbp.csv", WIDE, small_game())
    rows = file.read_text()
    file.unlink()
    (from_parquet,) = read_games([table(tmp_path / "pbp.parquet", rows)])
    (from_csv,) = read_games([written(tmp_path, "pbp.csv", rows)])
    assert from_parquet == from_csv == read_one(tmp_path / "pbp.csv")


def test_a_cut_parquet_file_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "roster.parquet", ROSTER)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FileError, match=r"not a roster as Parquet .*; download the file again"):
        read_roster(path, 2026)


def test_a_web_page_in_place_of_a_table_is_called_one(tmp_path: Path) -> None:
    path = written(tmp_path, "roster.csv", "<!DOCTYPE html>\n<html><body>Not here</body></html>\n")
    with pytest.raises(FileError, match="a web page or XML, not a roster; check the address"):
        read_roster(path, 2026)


def test_a_list_of_injuries_is_not_taken_for_a_roster(tmp_path: Path) -> None:
    """It was: 855 of 2,537 footballers left the market."""
    path = written(tmp_path, "roster.csv", INJURIES)
    with pytest.raises(FileError) as raised:
        read_roster(path, 2026)
    assert str(raised.value) == (
        f"{path}: this is a list of injury reports, not a roster; use `pressbox import injuries "
        "FILE --season YEAR`"
    )


@pytest.mark.parametrize("name", ["games.csv", "games.parquet"])
def test_a_schedule_and_a_roster_are_not_taken_for_each_other(tmp_path: Path, name: str) -> None:
    schedule = tmp_path / name
    if schedule.suffix == ".parquet":
        table(schedule, SCHEDULE)
    else:
        schedule.write_text(SCHEDULE)
    with pytest.raises(FileError, match="this is a schedule, not a roster; use `pressbox import s"):
        read_roster(schedule, 2026)
    with pytest.raises(FileError, match="this is a roster, not a schedule; use `pressbox import r"):
        read_schedule(written(tmp_path, "roster.csv", ROSTER))
    with pytest.raises(FileError, match="this is a schedule, not play-by-play"):
        list(read_games([schedule]))


def test_every_kind_has_the_columns_that_tell_it(tmp_path: Path) -> None:
    for kind in KINDS:
        columns = [names.partition("|")[0] for names in (*kind.telling, *kind.columns)]
        assert recognise(columns) is kind, kind.name
    assert recognise(["name", "team"]) is None


@pytest.mark.realgames
@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("nflverse/games.csv", "schedule"),
        ("nflverse/roster_2026.csv.gz", "rosters"),
        ("nflverse/roster_weekly_2025.csv.gz", "rosters"),
        ("nflverse/injuries_2021.csv.gz", "injuries"),
        ("nflverse/injuries_2025.csv.gz", "injuries"),
        ("nflverse/player_stats_2023.csv.gz", "player_weeks"),
        ("reg2019/pbp/2019090500.csv.gz", "play_by_play"),
        ("reg2019/play_stats/2019090500.csv.gz", "play_stats"),
        ("reg2019/games.csv", "schedule"),
        ("reg2019/players.csv", "rosters"),
    ],
)
def test_the_publishers_own_files_are_known(file: str, kind: str) -> None:
    recognised = recognise(read_columns(REAL_GAMES / file, "a table"))
    assert recognised is not None
    assert recognised.name == kind
