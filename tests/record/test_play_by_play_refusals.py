"""A file that is not play-by-play is refused; the error names file, line and column."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from app.core.csv_files import LONGEST_LINE, FileError
from app.fantasy.season_setup.rosters import read_roster
from app.record.play_by_play import read_games
from tests.worlds.play_by_play import GAME, WIDE, small_game, write


def refused(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        list(read_games([path]))
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "nowhere.csv, line 1: cannot be read (No such file or directory)" in refused(
        tmp_path / "nowhere.csv"
    )


def test_another_table_is_refused_with_the_column_it_lacks(tmp_path: Path) -> None:
    text = refused(
        write(tmp_path / "prices.csv", ["game_id", "price"], [{"game_id": 1, "price": 2}])
    )
    assert (
        "prices.csv, line 1, column play_id: the header has no such column, so this is not "
        "play-by-play" in text
    )


def test_an_empty_file_and_one_without_plays(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    assert "the file is empty" in refused(tmp_path / "empty.csv")
    assert "there are no plays" in refused(write(tmp_path / "header.csv", WIDE, []))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    assert "picture.csv, line 1: this is not play-by-play as text" in refused(
        tmp_path / "picture.csv"
    )


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
    (
        "extra_point_result",
        "perhaps",
        "column extra_point_result: must be good, failed, blocked or aborted",
    ),
]


@pytest.mark.parametrize(
    ("column", "value", "says"), BROKEN, ids=[f"{case[0]}={case[1]}" for case in BROKEN]
)
def test_a_broken_cell_is_named_by_line_and_column(
    tmp_path: Path, column: str, value: str, says: str
) -> None:
    rows = small_game()
    rows[1] |= {column: value}
    assert f"bad.csv, line 3, {says}" in refused(write(tmp_path / "bad.csv", WIDE, rows))


def test_a_season_that_is_no_year(tmp_path: Path) -> None:
    rows = [row | {"season": -5} for row in small_game()]
    assert "column season: must be a year from 1869 to 2200, not -5" in refused(
        write(tmp_path / "bad.csv", WIDE, rows)
    )


def test_a_date_that_is_none(tmp_path: Path) -> None:
    rows = [row | {"game_date": "soon"} for row in small_game()]
    assert "line 2, column game_date: must be a date" in refused(
        write(tmp_path / "bad.csv", WIDE, rows)
    )


def test_games_must_not_be_mixed(tmp_path: Path) -> None:
    mixed = [small_game()[0], small_game()[1] | {"game_id": "2031090701"}, small_game()[2]]
    assert f"line 4, column game_id: game {GAME} comes again" in refused(
        write(tmp_path / "mixed.csv", WIDE, mixed)
    )


def test_what_no_table_could_hold_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "odd.csv", WIDE, small_game())
    sound = path.read_text()
    path.write_text(sound.replace("SUM", "S\x00M", 1))
    assert "U+0000" in refused(path)
    path.write_text(sound + "x" * LONGEST_LINE)
    assert "a line is longer than" in refused(path)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"x" * 10 * LONGEST_LINE))
    assert "a line is longer than" in refused(tmp_path / "bomb.csv.gz")


def test_a_number_that_no_column_holds_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("gsis_id,team,position,week,season\n00-0000001,HRB,QB,1e300,2026\n")
    with pytest.raises(FileError, match="line 2, column week: must be a number up to"):
        read_roster(path, 2026)
