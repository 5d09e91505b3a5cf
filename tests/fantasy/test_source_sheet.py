"""The source design's own team sheet, to places and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.fantasy.market.formats import FORMATS
from app.fantasy.sheets.source import SourceSheet, named, placed

FIVE, SOCCER, CLASSIC = FORMATS["soccer-five"], FORMATS["soccer"], FORMATS["nfl-classic"]
# seeds: the team sheet of Gamer#Tito12121.
TITO = SourceSheet(
    "JorgeSouza#7",
    "RichardRoe#1",
    ("KwesiManu#9", "PauloSantos#10", "ArnavDesai#20"),
    ("JohnStiles#6", "NikhilJayahankar#17"),
)
POSITIONS = {
    **{"RichardRoe#1": "GK", "JorgeSouza#7": "MID", "KwesiManu#9": "FWD", "PauloSantos#10": "MID"},
    **{"ArnavDesai#20": "DEF", "JohnStiles#6": "DEF", "NikhilJayahankar#17": "MID"},
}


def test_the_sources_own_sheet_has_its_places_and_comes_back_as_it_was() -> None:
    sheet = placed(FIVE, TITO, POSITIONS)
    assert sheet.picks[0] == "RichardRoe#1"
    assert set(sheet.picks[1:5]) == {"JorgeSouza#7", *TITO.players}
    assert sheet.picks[5:] == TITO.subs
    assert (sheet.picks[sheet.captain - 1], sheet.picks[sheet.vice_captain - 1]) == (
        "JorgeSouza#7",
        "KwesiManu#9",
    )
    back = named(FIVE, sheet.picks, sheet.captain, sheet.vice_captain)
    assert (back.captain, back.goalkeeper, back.subs) == (TITO.captain, TITO.goalkeeper, TITO.subs)
    assert back.players == TITO.players


def test_a_goalkeeper_may_be_captain_and_stands_once() -> None:
    sheet = SourceSheet("g", "g", ("d", "m", "f", "f2"), ())
    placed_sheet = placed(FIVE, sheet, {"g": "GK", "d": "DEF", "m": "MID", "f": "FWD", "f2": "FWD"})
    assert placed_sheet.picks == ("g", "d", "m", "f", "f2", "", "")
    assert (placed_sheet.captain, placed_sheet.vice_captain) == (1, 2)
    assert named(FIVE, placed_sheet.picks, 1, 2).players == ("d", "m", "f", "f2")


def test_whoever_can_stand_in_one_place_alone_gets_it_whatever_the_order() -> None:
    runners = ("r1", "r2", "r3")
    positions = {
        "q": "QB",
        **dict.fromkeys(runners, "RB"),
        "w1": "WR",
        "w2": "WR",
        "t": "TE",
        "k": "K",
        "l": "LB",
    }
    sheet = SourceSheet("r1", None, ("r2", "r3", "k", "l", "w1", "t", "w2", "q"), ("q2",))
    placed_sheet = placed(CLASSIC, sheet, positions | {"q2": "QB"})
    for slot, pick in zip(CLASSIC.places, placed_sheet.picks, strict=True):
        assert not pick or (positions | {"q2": "QB"})[pick] in slot.accepts
    assert placed_sheet.picks.count("") == 3  # substitutes' places
    assert (
        named(
            CLASSIC, placed_sheet.picks, placed_sheet.captain, placed_sheet.vice_captain
        ).goalkeeper
        is None
    )


def test_substitutes_keep_their_order_but_for_the_goalkeepers_own_place() -> None:
    subs = ("d", "m", "g2", "f")
    placed_sheet = placed(
        SOCCER, SourceSheet("x", None, (), subs), {"d": "DEF", "m": "MID", "g2": "GK", "f": "FWD"}
    )
    assert placed_sheet.picks[11:] == ("g2", "d", "m", "f")


@pytest.mark.parametrize(
    ("sheet", "picks"),
    [
        (SourceSheet("nobody", "g", (), ()), ("g", "nobody", "", "", "", "", "")),
        (SourceSheet("d", "f", (), ()), ("f", "d", "", "", "", "", "")),
        (SourceSheet("d", "g", ("f",) * 4, ()), ("g", "d", "f", "f", "f", "f", "", "")),
    ],
    ids=["unknown footballer", "no goalkeeper in goal", "too many"],
)
def test_what_does_not_fit_is_left_for_the_rules_to_refuse(
    sheet: SourceSheet, picks: tuple[str, ...]
) -> None:
    assert placed(FIVE, sheet, {"g": "GK", "d": "DEF", "f": "FWD"}).picks == picks


@given(
    st.lists(st.sampled_from(["GK", "DEF", "MID", "FWD", "?"]), min_size=1, max_size=14),
    st.integers(0, 14),
)
def test_nobody_is_lost_or_doubled(positions: list[str], cut: int) -> None:
    ids = [f"f{number}" for number in range(len(positions))]
    starters, subs = ids[: max(1, cut)], ids[max(1, cut) :]
    sheet = SourceSheet(starters[0], None, tuple(starters[1:]), tuple(subs))
    placed_sheet = placed(SOCCER, sheet, dict(zip(ids, positions, strict=True)))
    assert sorted(filter(None, placed_sheet.picks)) == sorted(ids)
    assert placed_sheet.picks[placed_sheet.captain - 1] == starters[0]
