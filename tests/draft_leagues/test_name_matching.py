"""Which footballers the rows of a foreign file mean. The names are invented."""

from __future__ import annotations

import time

import pytest

from app.draft_leagues.name_matching import (
    MOST_SEARCHED,
    Known,
    Match,
    Matcher,
    Named,
    plain_name,
)
from app.fantasy.market.name_search import NameIndex, NameMatches

FOOTBALLERS = (
    Known("1", "Dante Farrow Jr.", "WR", "ARI"),
    Known("2", "Mitchell Oakes", "QB", "CHI"),
    Known("3", "José Marsh", "RB", "KC"),
    Known("4", "Cole Lund", "TE", "NE"),
    Known("5", "Cole Lund", "TE", "JAX"),
    Known("6", "Cole Lund", "CB", "NYJ"),
    Known("7", "D.J. Ross-Cole", "WR", "LV"),
    Known("LV-DST", "Raiders", "DST", "LV", "Las Vegas Raiders"),
)


@pytest.mark.parametrize(
    ("named", "footballer"),
    [
        (Named("", ids=("none", "3")), "3"),
        (Named("Pepe Marsh", "RB", "KC", ("3",)), "3"),  # a nickname, with an id
        (Named("José Marsh", "RB", "SEA", ("3",)), "3"),  # he has changed clubs
        (Named("dante farrow", "WR1", "AZ"), "1"),
        (Named("Jose Marsh", "RB7", "KCC"), "3"),
        (Named("DJ Ross Cole", "WR", "OAK"), "7"),
        (Named("Cole Lund", "TE", "JAC"), "5"),
        (Named("Cole Lund", "DB"), "6"),
        (Named("Mitch Oakes", "QB", "CHI"), "2"),
        (Named("Las Vegas Raiders", "DST12", "LVR"), "LV-DST"),
        (Named("Las Vegas", "DEF"), "LV-DST"),
        (Named("Raiders D/ST", "D/ST", "LV"), "LV-DST"),
    ],
)
def test_a_name_is_matched(named: Named, footballer: str) -> None:
    match = Matcher(FOOTBALLERS).match(named)
    assert match.footballer is not None
    assert match.footballer.id == footballer


@pytest.mark.parametrize(
    ("named", "suggestions"),
    [
        (Named("Cole Lund", "TE"), ["4", "5"]),  # two namesakes, and no club to tell them apart
        (Named("Cole Lund", "TE", "SEA"), ["4", "5"]),
        (Named("Cole Lund", "QB"), ["4", "5", "6"]),
        (Named("Mitch Oakes", "QB", "GB"), ["2"]),  # too little fits to be sure
        (Named("Hose Marsh", "RB", "KC"), ["3"]),
        (Named("Nobody Known", "RB", "KC"), []),
        (Named("", "RB", "KC"), []),
        # The id is somebody else's by name, by position or by club: both are suggested.
        (Named("José Marsh", "RB", "KC", ("2",)), ["3", "2"]),
        (Named("Mitchell Oakes", "RB", "KC", ("2",)), ["2"]),
        (Named("Cole Lund", "TE", "NE", ("5",)), ["4", "5"]),
    ],
)
def test_a_doubtful_name_is_left_to_people(named: Named, suggestions: list[str]) -> None:
    match = Matcher(FOOTBALLERS).match(named)
    assert match.footballer is None
    assert [known.id for known in match.suggestions] == suggestions


def test_a_file_of_strangers_is_compared_with_everybody_for_its_first_names_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A comparison with a real season's 3,000 footballers takes 30 ms: 5,000 took three minutes."""
    compared = []
    find = NameIndex.find

    def count(index: NameIndex, search: str) -> NameMatches:
        compared.append(search)
        return find(index, search)

    monkeypatch.setattr(NameIndex, "find", count)
    matcher = Matcher(FOOTBALLERS)
    for number in range(5_000):
        assert matcher.match(Named(f"Xyzzq{number} Unknownperson", "WR", "NE")) == Match(None)
    assert len(compared) == MOST_SEARCHED
    assert matcher.match(Named("dante farrow", "WR", "AZ")).footballer == FOOTBALLERS[0]
    assert matcher.match(Named("Mitch Oakes", "QB", "GB")).suggestions == (FOOTBALLERS[1],)


def test_odd_letters_cost_no_more_than_plain_ones() -> None:
    """Brackets that never close, and accents, took the square of their number."""

    def seconds(name: str) -> float:
        began = time.process_time()
        plain_name(name)
        return time.process_time() - began

    plain = seconds("a" * 100_000)
    assert seconds("(" * 100_000) < 30 * plain
    assert seconds("\u0301\u0316" * 50_000) < 30 * plain


def test_a_defence_that_nobody_names_is_not_matched() -> None:
    assert Matcher(FOOTBALLERS).match(Named("", "DST")) == Match(None)
