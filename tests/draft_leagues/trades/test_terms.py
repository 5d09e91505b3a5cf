"""What a trade moves, and what is wrong with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.draft_leagues.settings import TradeSettings
from app.draft_leagues.trades.terms import (
    AgreedTrade,
    Balance,
    BudgetGift,
    FootballerGift,
    PickRange,
    Terms,
    balances,
    deadline_refusal,
    room_refusals,
    terms_refusals,
    transaction_of,
)
from app.fantasy.rosters.rules import BudgetMove, Move, PickMove, Place, Rosters, applied

PICKS = PickRange({2027: 15, 2028: 15})
EVERYBODY = (1, 2, 3)
DEFAULTS = TradeSettings()
NAMES = {1: "Ann FC", 2: "Bob FC", 3: "Cat FC"}
# Ann gives kelce to Bob, Bob gives hill to Cat, Cat gives a pick to Ann, with 20 of her budget.
THREE_WAY = Terms(
    (FootballerGift("kelce", 1, 2), FootballerGift("hill", 2, 3)),
    (PickMove(2027, 1, 2, from_franchise=3, to_franchise=1),),
    (BudgetGift(20, 3, 1),),
)
ROSTERS = Rosters(
    {"kelce": Place(1, "reserve"), "hill": Place(2), "mahomes": Place(2), "kupp": Place(3)},
    {1: 100, 2: 100, 3: 60},
    {(2027, 1, 2): 3},
)


def codes(terms: Terms, settings: TradeSettings = DEFAULTS) -> list[str]:
    return [refusal.code for refusal in terms_refusals(terms, settings, EVERYBODY, PICKS)]


def test_a_trade_of_three_teams_is_one_entry_of_the_log() -> None:
    assert codes(THREE_WAY) == []
    act = transaction_of(AgreedTrade(7, THREE_WAY, {2: ("mahomes",)}, 5), ROSTERS.places)
    assert act.moves == (
        Move("kelce", 1, 2, from_spot="reserve"),
        Move("hill", 2, 3),
        Move("mahomes", 2, None),
    )
    assert act.budgets == (BudgetMove(1, 20), BudgetMove(3, -20))
    assert (act.kind, act.source, act.by_member_id) == ("traded", "trade:7", 5)
    after = applied(ROSTERS, act)
    assert after.places == {"kelce": Place(2), "hill": Place(3), "kupp": Place(3)}
    assert after.budgets == {1: 120, 2: 100, 3: 40}
    assert after.owner_of_pick((2027, 1, 2)) == 1


def test_terms_that_nobody_could_agree_on_are_refused() -> None:
    kelce = FootballerGift("kelce", 1, 2)
    assert codes(Terms()) == ["nothing"]
    assert codes(Terms((FootballerGift("kelce", 1, 9),))) == ["franchise"]
    assert codes(Terms((FootballerGift("kelce", 1, 1),))) == ["same"]
    assert codes(Terms((kelce, FootballerGift("kelce", 1, 3)))) == ["twice"]
    plain = TradeSettings(with_picks=False, with_budget=False)
    assert codes(THREE_WAY, plain) == ["picks", "budgets"]
    for season, round_number in ((2026, 1), (2029, 1), (2027, 16)):
        pick = PickMove(season, round_number, 1, from_franchise=1, to_franchise=2)
        [refused] = terms_refusals(Terms((), (pick,)), DEFAULTS, EVERYBODY, PICKS)
        assert refused.text == (
            "You can trade these picks: 2027, rounds 1 to 15; 2028, rounds 1 to 15."
        )


def test_whoever_gets_too_many_names_whom_they_drop() -> None:
    terms = Terms((FootballerGift("hill", 2, 3), FootballerGift("mahomes", 2, 3)))
    act = transaction_of(AgreedTrade(1, terms, {}, None), ROSTERS.places)
    refused = room_refusals(ROSTERS, act, 2, NAMES)
    assert {number: refusal.text for number, refusal in refused.items()} == {
        3: "Cat FC would have 3 active players, but the limit is 2. Choose 1 to drop."
    }
    act = transaction_of(AgreedTrade(1, terms, {3: ("kupp",)}, None), ROSTERS.places)
    assert room_refusals(ROSTERS, act, 2, NAMES) == {}
    # Bob had two where one is allowed by now: he may give one and get one.
    swap = Terms((FootballerGift("hill", 2, 3), FootballerGift("kupp", 3, 2)))
    act = transaction_of(AgreedTrade(1, swap, {}, None), ROSTERS.places)
    assert room_refusals(ROSTERS, act, 1, NAMES) == {}


def test_fairness_is_points_gained_and_lost_and_drops_are_lost() -> None:
    points = {"kelce": 90_000, "hill": 120_000, "mahomes": 200_000}
    assert balances(THREE_WAY, {2: ("mahomes",)}, points) == {
        1: Balance(0, 90_000),
        2: Balance(90_000, 320_000),
        3: Balance(120_000, 0),
    }
    assert Balance(90_000, 320_000).difference == -230_000


def test_a_trade_takes_effect_before_the_deadline() -> None:
    deadline = datetime(2026, 11, 26, 17, tzinfo=UTC)
    assert deadline_refusal(None, deadline) is None
    assert deadline_refusal(deadline, deadline - timedelta(microseconds=1)) is None
    late = deadline_refusal(deadline, deadline)
    assert late is not None
    assert late.code == "deadline"
