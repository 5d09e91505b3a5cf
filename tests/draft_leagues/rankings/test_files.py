"""Rankings as CSV files of other sites. The names are invented."""

from __future__ import annotations

import pytest

from app.core.refusals import Refusal
from app.draft_leagues.name_matching import Known
from app.draft_leagues.rankings.files import (
    Entry,
    ExportedRow,
    chosen_order,
    matched,
    ranking_csv,
    read_ranking,
)

KNOWN = (
    Known("1", "Dante Farrow", "WR", "ARI"),
    Known("2", "Cole Lund", "QB", "CHI"),
    Known("3", "Tariq Vance", "RB", "KC"),
    Known("KC-DST", "Chiefs", "DST", "KC", "Kansas City Chiefs"),
)
# The header of FantasyPros' export of expert consensus rankings.
FANTASYPROS = b"""\xef\xbb\xbf"RK",TIERS,"PLAYER NAME",TEAM,"POS","BYE WEEK","SOS SEASON"
"1",1,"Tariq Vance",KC,"RB1","10","3 out of 5 stars"
"2",1,"Dante Farrow Jr.",ARI,"WR1","8","-"
"3",2,"Kansas City Chiefs",KC,"DST1","10","-"
"""


def entries(data: bytes) -> list[Entry]:
    read = read_ranking(data, "file")
    assert isinstance(read, list), read
    return read


def test_a_file_of_fantasypros() -> None:
    matches = matched(entries(FANTASYPROS), KNOWN)
    assert [each.footballer and each.footballer.id for each in matches] == ["3", "1", "KC-DST"]
    assert [each.entry.rank for each in matches] == [1000, 2000, 3000]


@pytest.mark.parametrize(
    "text",
    [
        "Cole Lund,QB,CHI,2\nTariq Vance,RB,KC,1\n",  # without a header
        "Player;Position;Team;Rank\nTariq Vance;RB;KC;1\nCole Lund;QB;CHI;2\n",
        "name\tpos\tfpts\nCole Lund\tQB\t280.5\nTariq Vance\tRB\t300\n",
        "#,Player,Pos\n,Cole Lund,QB\n1,Tariq Vance,RB\n",  # whoever has no rank comes last
    ],
)
def test_other_usual_formats(text: str) -> None:
    matches = matched(entries(text.encode()), KNOWN)
    assert [each.footballer and each.footballer.id for each in matches] == ["3", "2"]


def test_projections_are_read_with_decimals_and_thousands() -> None:
    read = entries(b'Player,POS,FPTS\nCole Lund,QB,"1,280.55"\nTariq Vance,RB,\n')
    assert [entry.points for entry in read] == [1_280_550, None]


def test_a_row_that_repeats_somebody_is_left_out() -> None:
    read = entries(b"name,pos\nCole Lund,QB\nTariq Vance,RB\nCole Lund,QB\n")
    assert len(matched(read, KNOWN)) == 2


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "file"),
        (b"\x00\x01", "file"),
        (b"Team,Rank\n,1\n", "columns"),
        (b"Player,Rank\n", "rows"),
        (b"Player,FPTS\nCole Lund,many\n", "number"),
        (b"Player;FPTS\nCole Lund;1.280\n", "number"),  # 1280, or 1.28
        (b"Player\n" + b"Cole Lund\n" * 5_001, "rows"),
    ],
)
def test_a_file_that_is_no_ranking_is_refused(data: bytes, code: str) -> None:
    refusal = read_ranking(data, "file")
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.field) == (code, "file")


def test_an_exported_ranking_is_read_again() -> None:
    rows = [
        ExportedRow(1, "=Tariq Vance", "KC", "RB1", 10, 300_500, "3"),
        ExportedRow(2, "Dante Farrow", "ARI", "WR1", None, 200_000, "1"),
    ]
    text = ranking_csv(rows)
    assert text.splitlines()[1] == "1,1,'=Tariq Vance,KC,RB1,10,300.5,3"
    matches = matched(entries(text.encode()), KNOWN)
    assert [each.footballer and each.footballer.id for each in matches] == ["3", "1"]
    assert [each.entry.points for each in matches] == [300_500, 200_000]


def test_doubtful_rows_are_those_that_the_member_chose() -> None:
    order, points = chosen_order(
        [("3", 5_000), ("line-4", 4_000), ("line-5", None), ("x", 1)],
        {"line-4": "1", "line-5": "3"},
        frozenset(("1", "2", "3")),
    )
    assert order == ["3", "1"]
    assert points == {"3": 5_000, "1": 4_000}
