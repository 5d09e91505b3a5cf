"""Costs of keepers, by example and against all ways to assign picks."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from app.draft_leagues.keepers.rules import Agreed, Owned, Terms, agreed, picks_left
from app.draft_leagues.settings import KeeperSettings

ROUNDS = 15
EVERY_ROUND = dict.fromkeys(range(1, ROUNDS + 1), 1)


def owned(name: str, drafted: int | None, seasons_kept: int = 0) -> Owned:
    return Owned(name.lower(), name, drafted, None, seasons_kept)


def terms(picks: dict[int, int] = EVERY_ROUND, **settings: int | bool) -> Terms:
    return Terms(KeeperSettings(**{"most": 3} | settings), ROUNDS, ROUNDS, picks)  # type: ignore[arg-type]


def rounds(result: Agreed) -> dict[str, int]:
    return {keeper.owned.name: keeper.round for keeper in result.kept}


def test_a_keeper_costs_a_round_before_and_the_last_one_if_undrafted() -> None:
    result = agreed([owned("Kelce", 4), owned("Purdy", None)], terms())
    assert rounds(result) == {"Kelce": 3, "Purdy": 15}
    result = agreed([owned("Purdy", None)], terms(undrafted_round=10, rounds_earlier=2))
    assert rounds(result) == {"Purdy": 10}


def test_two_keepers_of_one_round_cost_it_and_the_one_before() -> None:
    result = agreed([owned("Kelce", 5), owned("Hill", 5), owned("Kupp", 4)], terms())
    assert rounds(result) == {"Kelce": 4, "Kupp": 3, "Hill": 2}
    assert result.refusals == ()


def test_a_traded_pick_moves_the_cost_and_a_second_one_takes_both() -> None:
    picks = EVERY_ROUND | {4: 0, 3: 2}
    assert rounds(agreed([owned("Kelce", 5), owned("Hill", 5)], terms(picks))) == {
        "Kelce": 3,
        "Hill": 3,
    }


def test_nobody_is_kept_before_the_first_round() -> None:
    result = agreed([owned("Kelce", 1), owned("Hill", 2), owned("Kupp", 2)], terms())
    assert rounds(result) == {"Hill": 1}
    assert [refusal.code for refusal in result.refusals] == ["no_round", "no_pick"]
    assert result.refusals[1].text == (
        "There is no pick left for Kupp in round 1 or earlier. Keep fewer players or trade for a "
        "pick."
    )


def test_there_is_a_most_of_keepers_and_of_seasons() -> None:
    result = agreed([owned("Kelce", 9, 2), owned("Hill", 8), owned("Kupp", 7)], terms(most=1))
    assert rounds(result) == {"Kelce": 8}
    result = agreed([owned("Kelce", 9, 2), owned("Hill", 8)], terms(most_seasons=2))
    assert rounds(result) == {"Hill": 7}
    assert result.refusals[0].code == "most_seasons"


def test_a_dynasty_keeps_everybody_at_no_cost() -> None:
    roster = [owned(f"P{number}", 1, seasons_kept=5) for number in range(12)]
    sold_out = terms({1: 0, 2: 1}, keeps_all=True, most_seasons=2)
    result = agreed(roster, sold_out)
    assert len(result.kept) == 12
    assert result.refusals == ()
    assert picks_left(sold_out, result.kept) == {2: 1}


def test_an_auction_leaves_one_for_each_open_place() -> None:
    settings = KeeperSettings(most=3)
    limits = Terms(settings, ROUNDS, ROUNDS, {}, budget=200)
    dear = Owned("dear", "Dear", price=150)
    undrafted = Owned("free", "Free")
    other = Owned("other", "Other", price=40)
    result = agreed([dear, undrafted, other], limits)
    assert [(keeper.owned.name, keeper.price) for keeper in result.kept] == [
        ("Dear", 150),
        ("Free", 1),
    ]
    assert [refusal.code for refusal in result.refusals] == ["budget"]  # 191 + 12 > 200


@pytest.mark.parametrize("seed", range(60))
def test_picks_are_found_exactly_if_there_is_a_way(seed: int) -> None:
    """All ways to give four keepers different picks, none later than its round."""
    random = Random(seed)  # noqa: S311
    picks = {number: random.randrange(3) for number in range(1, 6)}
    chosen = [owned(f"P{number}", random.randrange(2, 7)) for number in range(4)]
    result = agreed(chosen, terms(picks, most=4))
    slots = [number for number, count in picks.items() for _ in range(count)]
    is_possible = any(
        all(slot <= (each.round or 0) - 1 for slot, each in zip(assignment, chosen, strict=True))
        for assignment in permutations(slots, 4)
    )
    assert (len(result.kept) == 4) == is_possible
    used = Counter(keeper.round for keeper in result.kept)
    assert all(count <= picks[number] for number, count in used.items())
    assert all(keeper.round <= (keeper.owned.round or 0) - 1 for keeper in result.kept)
