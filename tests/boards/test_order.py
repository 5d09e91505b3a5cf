"""Keys against plain comparison.

The better record has the greater key, equal ones have equal keys.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from app.boards.catalogue.rules import NewMode, mode_faults
from app.boards.catalogue.services import create_mode
from app.boards.order import LARGEST_KEY, Best, Order, Subscore, order_of, row_of
from app.boards.rules import OutOfRangeError
from app.core.db import db
from tests.worlds.boards import NOW
from tests.worlds.score_games import make_score_game

BESTS = st.sampled_from(list(Best))


@st.composite
def orders(draw: st.DrawFn) -> Order:
    low = draw(st.integers(-1000, 1000))
    subscore = Subscore(low, low + draw(st.integers(0, 1000)), draw(BESTS))
    return Order(draw(BESTS), draw(st.sampled_from([None, subscore])))


@st.composite
def records(draw: st.DrawFn) -> tuple[Order, list[tuple[int, int | None]]]:
    order = draw(orders())
    second = order.subscore
    subscores = st.none() if second is None else st.integers(second.low, second.high)
    return order, draw(
        st.lists(st.tuples(st.integers(-50, 50), subscores), min_size=2, max_size=20)
    )


def turned(best: Best, number: int) -> int:
    return number if best is Best.HIGHEST else -number


def plainly(order: Order, score: int, subscore: int | None) -> tuple[int, int]:
    """The greater tuple is the better record."""
    if order.subscore is None or subscore is None:
        return turned(order.best, score), 0
    return turned(order.best, score), turned(order.subscore.best, subscore)


@given(records())
def test_keys_sort_as_records_do_and_say_what_they_were_made_of(
    given_records: tuple[Order, list[tuple[int, int | None]]],
) -> None:
    order, record_list = given_records
    keys = {record: order.key(*record) for record in record_list}
    in_order = sorted(record_list, key=lambda record: plainly(order, *record))
    for first, two in pairwise(in_order):
        assert (keys[first] < keys[two]) == (plainly(order, *first) < plainly(order, *two))
    for record, key in keys.items():
        assert (order.score_of(key), order.subscore_of(key)) == record
    low, high = sorted(score for score, _ in record_list[:2])
    worst, best = order.keys_of(low, high)
    assert {record for record in record_list if low <= record[0] <= high} == {
        record for record in record_list if worst <= keys[record] <= best
    }
    assert order_of(**row_of(order)) == order


def test_postgresql_makes_the_same_keys(app: Flask) -> None:
    second = Subscore(-3, 4, Best.LOWEST)
    for order in (
        Order(),
        Order(Best.LOWEST),
        Order(Best.LOWEST, second),
        Order(subscore=Subscore(-3, 4)),
    ):
        statement = f"""SELECT score, subscore, {order.sql()} AS key FROM generate_series(-5,
          5) AS score,
            generate_series(-3, 4) AS subscore"""
        rows = db.session.execute(text(statement)).all()
        assert len(rows) == 88
        for row in rows:
            assert row.key == order.key(
                row.score, None if order.subscore is None else row.subscore
            ), (order, row)


def test_a_subscore_that_the_mode_cannot_have_has_no_key() -> None:
    order = Order(subscore=Subscore(0, 10))
    for subscore in (None, -1, 11):
        with pytest.raises(OutOfRangeError):
            order.key(5, subscore)


def subscore(
    low: int, high: int, order: str = "highest", title: str = "Accuracy"
) -> dict[str, object]:
    return {"min": low, "max": high, "order": order, "title": title}


def test_what_fits_into_a_board_exactly_is_taken_and_one_more_is_refused_with_the_bits_it_needs(
    app: Flask,
) -> None:
    game = make_score_game()
    many = 2**33 - 1  # 33 bits of subscores leave 20 for scores
    most = LARGEST_KEY // 2**33

    def made(slug: str, lowest: int, highest: int) -> object:
        new = NewMode(slug, "M", "highest", "shared", lowest, highest, subscore=subscore(0, many))
        return create_mode(game, new, NOW)

    assert most == 2**20 - 1
    assert not isinstance(made("all", -most, most), list)
    refusals = made("more", -most, most + 1)
    assert isinstance(refusals, list)
    (refused,) = refusals
    assert (refused.code, refused.field) == ("wrong", "subscore")
    assert "need 54 bits, but a board has 53" in refused.text


def test_a_board_whose_lowest_score_leads_is_measured_by_its_own_keys(app: Flask) -> None:
    """Its keys are the scores turned around: a bit more than with the highest first."""
    new = NewMode(
        "golf",
        "M",
        "highest",
        "shared",
        -9_007_199_254_740,
        0,
        order="lowest",
        subscore=subscore(0, 999),
    )
    refusals = create_mode(make_score_game(), new, NOW)
    assert isinstance(refusals, list)
    assert "need 54 bits, but a board has 53" in refusals[0].text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"aggregation": "sum"}, "A sum can't have a subscore"),
        ({"subscore": subscore(5, 4)}, "max: 4 is below min (5)"),
        (
            {"subscore": subscore(0, 4, order="worst")},
            "order: 'worst' is not one of highest, lowest",
        ),
        ({"subscore": subscore(0, 4, title=" ")}, "title: use 1 to 40 characters"),
        ({"subscore": subscore(0, 4, title="x" * 41)}, "title: use 1 to 40 characters"),
    ],
)
def test_a_subscore_that_makes_no_sense_is_refused(
    app: Flask, changes: dict[str, object], text: str
) -> None:
    values = {
        "slug": "m",
        "title": "M",
        "aggregation": "highest",
        "ties": "shared",
        "min_score": 0,
        "max_score": 9,
    }
    new = NewMode(**{**values, "subscore": subscore(0, 4), **changes})  # type: ignore[arg-type]
    (refused,) = mode_faults(new)
    assert refused.field == "subscore"
    assert text in refused.text


def test_an_unknown_order_is_refused(app: Flask) -> None:
    (refused,) = mode_faults(NewMode("m", "M", "highest", "shared", 0, 9, order="best"))
    assert (refused.field, refused.text) == ("order", "'best' is not one of highest, lowest.")
