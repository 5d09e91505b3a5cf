"""A member's own order on top of a ranking."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.draft_leagues.rankings.lists import in_order, moved

RANKING = list("abcdefgh")


def test_a_list_comes_before_the_ranking() -> None:
    assert in_order(RANKING, ["h", "gone"], ["b", "h"])[:4] == ["h", "b", "a", "c"]


def test_the_list_is_as_short_as_the_changes() -> None:
    assert moved(RANKING, [], "f", 1) == ["f"]
    assert moved(RANKING, ["f"], "a", 8) == ["f", *"bcdegh", "a"]


def test_a_place_beyond_the_end_is_the_last() -> None:
    assert moved(["a", "b"], [], "a", 99) == ["b", "a"]


@settings(max_examples=80, deadline=None, database=None)
@given(moves=st.lists(st.tuples(st.sampled_from(RANKING), st.integers(1, 8)), max_size=12))
def test_moves_do_to_the_order_what_they_do_to_a_plain_list(moves: list[tuple[str, int]]) -> None:
    plain, own_list = list(RANKING), list[str]()
    for footballer, place in moves:
        plain.remove(footballer)
        plain.insert(place - 1, footballer)
        own_list = moved(RANKING, own_list, footballer, place)
        assert in_order(RANKING, own_list) == plain
