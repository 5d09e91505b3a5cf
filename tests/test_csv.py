"""CSV in both directions.

Nothing that we write becomes a formula, nothing that we read is guessed.
"""

from __future__ import annotations

import ast
import csv
import io
import re
import zipfile
from collections.abc import Callable
from datetime import time
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from hypothesis import assume, given
from hypothesis import strategies as st

from app.core.csv_files import FileError, Row, read_rows
from app.core.csv_writing import BYTE_ORDER_MARK, csv_text, guarded
from tests.worlds.games import make_game

FORMULAS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@given(value=st.text(st.sampled_from("=+-@;,\t\r\n\"' a1＝"), max_size=8))
def test_no_reader_of_any_country_sees_a_cell_that_begins_like_a_formula(
    separator: str, value: str
) -> None:
    """OWASP, CSV Injection.

    Also after the separators that a spreadsheet uses elsewhere, and after line breaks.
    """
    assume(re.fullmatch(r"[+-]?[0-9]+([.,][0-9]+)?", value) is None)  # a number, and stays one
    text = csv_text(("name", "other"), [("Ann", value), (value, "Ann")])
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        for cell in row:
            assert not cell.lstrip(' "').startswith(FORMULAS), row


@pytest.mark.parametrize(
    "value", ["-12.5", "+3", "-7", -7, None, 2.5, "Ann-Marie", "a@b.example", "3:1", "x;y"]
)
def test_what_is_no_formula_stays_as_it_is(value: object) -> None:
    assert guarded(value) == value


def test_every_csv_is_written_by_the_one_writer() -> None:
    """It existed five times, three of them without a guard."""
    root = Path(__file__).parent.parent
    writers = set()
    for path in (
        *root.glob("app/**/*.py"),
        *root.glob("workers/**/*.py"),
        *root.glob("scorer_console/**/*.py"),
    ):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in (
                "csv.writer",
                "csv.DictWriter",
            ):
                writers.add(str(path.relative_to(root)))
    assert writers == {"app/core/csv_writing.py"}


def test_files_for_excel_begin_with_a_byte_order_mark(client: FlaskClient) -> None:
    """Excel reads UTF-8 without one in the encoding of the machine."""
    make_game("g1")
    plain, marked = (client.get(f"/games/g1/export.csv{query}").text for query in ("", "?excel=1"))
    assert marked == BYTE_ORDER_MARK + plain
    box = zipfile.ZipFile(io.BytesIO(client.get("/games/g1/export.zip?excel=1").data))
    assert {box.read(name).decode()[0] for name in box.namelist()} == {BYTE_ORDER_MARK}


def test_own_data_and_the_audit_can_be_had_for_excel_too(
    sign_in: Callable[..., FlaskClient],
) -> None:
    data = sign_in(username="ann").post("/account/data/csv", data={"excel": "1"}).data
    tables = zipfile.ZipFile(io.BytesIO(data))
    assert {tables.read(name).decode()[0] for name in tables.namelist()} == {BYTE_ORDER_MARK}
    assert (
        sign_in("moderator")
        .get("/moderation/audit.csv?excel=1")
        .text.startswith(f"{BYTE_ORDER_MARK}id,at,")
    )


def written(folder: Path, text: str) -> Path:
    path = folder / "games.csv"
    path.write_text(text)
    return path


def test_a_week_that_is_no_whole_number_is_refused(tmp_path: Path) -> None:
    """`12.0` is what data frames write for 12; of `12.7` nobody knows what was meant."""
    whole, broken = read_rows(written(tmp_path, "week\n12.0\n12.7\n"), ["week"], "a schedule")
    assert whole.number("week") == 12
    with pytest.raises(
        FileError, match=r"line 3, column week: must be a whole number, not '12\.7'"
    ):
        broken.number("week")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("game_id;week\n1;2\n", "semicolons"),
        ("game_id\tweek\n1\t2\n", "tabs"),
        ("\ufeffgame_id;week\n1;2,5\n", "semi"),
    ],
)
def test_a_file_with_other_separators_says_so(tmp_path: Path, text: str, separator: str) -> None:
    """The reader sees `game_id` in the file, so "no such column game_id" would lead nowhere."""
    with pytest.raises(
        FileError, match=rf"line 1: the columns are separated by {separator}.*comma"
    ):
        list(read_rows(written(tmp_path, text), ["game_id"], "a schedule"))


@pytest.mark.parametrize(
    ("cell", "at"),
    [
        ("20:20", time(20, 20)),
        ("9:30", time(9, 30)),
        ("8:20 PM", time(20, 20)),
        ("12:05 a.m.", time(0, 5)),
        ("9/28/09, 20:39:41", time(20, 39)),
        ("TBD", None),
        ("", None),
    ],
)
def test_a_time_of_day_is_read_as_it_is_printed(cell: str, at: time | None, tmp_path: Path) -> None:
    assert Row({"start_time": cell}, tmp_path / "games.csv", 2).time_of_day("start_time") == at


@pytest.mark.parametrize("cell", ["9/28/09, 24:13:02", "12:75", "20:20 PM", "soon"])
def test_what_is_no_time_of_day_is_refused_by_its_cell(cell: str, tmp_path: Path) -> None:
    """Real files have 24:13 (nflverse-data issue 85): no hour is guessed from it."""
    with pytest.raises(FileError, match=r"line 2, column start_time: .* a time like 20:20"):
        Row({"start_time": cell}, tmp_path / "games.csv", 2).time_of_day("start_time")
