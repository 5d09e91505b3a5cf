"""What a team sheet must keep: each rule, and the sentence that says what to change."""

from __future__ import annotations

import doctest
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.refusals import Refusal
from app.fantasy import amounts
from app.fantasy.market.formats import FORMATS
from app.fantasy.sheets import rules as sheet_rules
from app.fantasy.sheets import transfers
from app.fantasy.sheets.rules import (
    closed_words,
    kickoff_refusals,
    merged,
    without_late_moves,
)
from app.fantasy.sheets.transfers import (
    Candidate,
    Costs,
    CurrentSheet,
    Draft,
    Limits,
    PreviousSheet,
    SheetContext,
    costs_of,
    free_transfers,
)

# The source's sheet: a captain, a goalkeeper, three players, two substitutes; here with clubs A to
# D.
FIVE = FORMATS["soccer-five"]
MARKET = {
    candidate.id: candidate
    for candidate in (
        Candidate("keeper", "Keeper", "GK", "A", "Ayr", 50),
        Candidate("manu", "Manu", "FWD", "A", "Ayr", 120),
        Candidate("santos", "Santos", "MID", "B", "Bury", 95),
        Candidate("desai", "Desai", "DEF", "B", "Bury", 60),
        Candidate("souza", "Souza", "MID", "C", "Cork", 100),
        Candidate("stiles", "Stiles", "DEF", "C", "Cork", 45),
        Candidate("nikhil", "Nikhil", "MID", "D", "Dover", 55),
        Candidate("second", "Second", "GK", "D", "Dover", 40),
        Candidate("third", "Third", "FWD", "A", "Ayr", 60),
        Candidate("fourth", "Fourth", "MID", "A", "Ayr", 50),
        Candidate("gone", "Gone", "MID", "D", "Dover", None),
        Candidate("away", "Away", "MID", "D", "Dover", 50, status="left"),
    )
}
TEAM = ("keeper", "manu", "santos", "desai", "souza", "stiles", "nikhil")  # 52.5 million
LIMITS = Limits(budget=600, club_limit=3, free_transfers=1, bank_limit=5, transfer_cost=4000)
OPEN = SheetContext(FIVE, LIMITS, MARKET, previous=None, current=None)
KEPT = PreviousSheet(TEAM, (50, 120, 95, 60, 100, 45, 55), bank=75, free_transfers=1, transfers=0)


def wanted(
    *picks: str, captain: int = 5, vice_captain: int = 2, version: int | None = None
) -> Draft:
    return Draft(picks or TEAM, captain, vice_captain, version)


def refusals(sheet: Draft, context: SheetContext) -> list[Refusal]:
    return sheet_rules.refusals(sheet, context, costs_of(sheet.picks, context))


def codes(sheet: Draft, context: SheetContext = OPEN) -> list[str]:
    return [refusal.code for refusal in refusals(sheet, context)]


def with_price(**prices: int) -> dict[str, Candidate]:
    return MARKET | {name: replace(MARKET[name], price=price) for name, price in prices.items()}


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(sheet_rules).failed == 0
    assert doctest.testmod(transfers).failed == 0
    assert doctest.testmod(amounts).failed == 0


BASE = wanted(version=1)


def changed(sheet: Draft, slot: int, player: str) -> Draft:
    """The sheet with this player in the slot."""
    return replace(sheet, picks=(*sheet.picks[: slot - 1], player, *sheet.picks[slot:]))


@pytest.mark.parametrize(
    ("edited", "saved", "result"),
    [
        (BASE, changed(BASE, 7, "fourth"), changed(BASE, 7, "fourth")),
        (changed(BASE, 1, "second"), BASE, changed(BASE, 1, "second")),
        (
            changed(BASE, 1, "second"),
            changed(BASE, 7, "fourth"),
            changed(changed(BASE, 1, "second"), 7, "fourth"),
        ),
        (changed(BASE, 7, "fourth"), changed(BASE, 7, "fourth"), changed(BASE, 7, "fourth")),
        (wanted(captain=3), wanted(vice_captain=4), wanted(captain=3, vice_captain=4)),
        (
            wanted(captain=3),
            changed(BASE, 7, "fourth"),
            changed(wanted(captain=3), 7, "fourth"),
        ),
    ],
    ids=["theirs", "mine", "two slots", "the same", "two captaincies", "a slot and a captain"],
)
def test_changes_of_different_slots_are_merged(edited: Draft, saved: Draft, result: Draft) -> None:
    draft, conflicts = merged(BASE, edited, replace(saved, version=4))
    assert draft == replace(result, version=4, base=replace(saved, version=4))
    assert conflicts == []


@pytest.mark.parametrize(
    ("edited", "saved", "sentence"),
    [
        (
            changed(BASE, 7, "fourth"),
            changed(BASE, 7, "third"),
            "SUB (slot 7): you chose Fourth, but another tab or device saved Third. Save again to "
            "use Fourth, or choose someone else.",
        ),
        (
            changed(BASE, 7, ""),
            changed(BASE, 7, "third"),
            "SUB (slot 7): you chose nobody, but another tab or device saved Third. Save again to "
            "use nobody, or choose someone else.",
        ),
        (
            wanted(captain=3),
            wanted(captain=4),
            "Captain: you chose Santos, but another tab or device saved Desai. Save again to use "
            "Santos, or choose someone else.",
        ),
        (
            wanted(vice_captain=3),
            changed(BASE, 3, "nikhil"),
            "Vice-captain: you chose Santos, but another tab or device saved Manu. Save again to "
            "use Santos, or choose someone else.",
        ),
    ],
    ids=["a slot", "an empty slot", "captain", "a new vice-captain who was replaced"],
)
def test_a_conflict_names_both_players_and_keeps_the_members_choice(
    edited: Draft, saved: Draft, sentence: str
) -> None:
    draft, conflicts = merged(BASE, edited, saved)
    [refusal] = sheet_rules.conflict_refusals(conflicts, OPEN)
    assert refusal.text == sentence
    again, conflicts = merged(saved, draft, saved)
    assert (again, conflicts) == (draft, []), "the next save uses the member's choice"


sheets = st.builds(
    Draft,
    st.tuples(*[st.sampled_from(["", *MARKET])] * len(TEAM)),
    st.integers(0, len(TEAM)),
    st.integers(0, len(TEAM)),
)


@given(sheets, sheets)
def test_without_another_save_a_merge_is_what_the_member_wants(base: Draft, edited: Draft) -> None:
    assert merged(base, edited, base) == (replace(edited, base=base), [])
    assert merged(base, base, edited) == (replace(edited, base=edited), [])


def test_a_good_sheet_is_not_refused() -> None:
    assert refusals(wanted(), OPEN) == []
    assert costs_of(TEAM, OPEN) == Costs((50, 120, 95, 60, 100, 45, 55), 75, None, 0, 0)


def test_every_refusal_comes_at_once_with_its_place_and_remedy() -> None:
    sheet = Draft(("manu", "", "nobody", "third", "gone", "third", "fourth"), 0, 7)
    refused = refusals(sheet, OPEN)
    assert [(refusal.code, refusal.field, refusal.place) for refusal in refused] == [
        ("position", "picks", 1),
        ("empty", "picks", 2),
        ("unknown", "picks", 3),
        ("market", "picks", 5),
        ("twice", "picks", 6),
        ("captain_missing", "captain", None),
        ("vice_captain_not_starter", "vice_captain", 7),
    ]
    assert refused[0].text == "Manu plays FWD. GK (slot 1) takes GK."
    assert refused[1].text == "OUT (slot 2) is empty. Choose DEF, MID or FWD."
    assert refused[4].text == "Third is in slots 4 and 6. Choose another player for one of them."
    assert refused[6].text == "Your vice-captain must start. Choose one of slots 1 to 5."


def test_a_sheet_of_the_wrong_size_is_refused() -> None:
    assert refusals(wanted("keeper", "manu"), OPEN)[0].text == (
        "The lineup has 2 slots, but Soccer, five a side has 7."
    )


def test_a_fourth_of_a_club_is_refused_by_name() -> None:
    refused = refusals(
        wanted("keeper", "manu", "third", "fourth", "souza", "stiles", "nikhil"), OPEN
    )
    assert [refusal.text for refusal in refused] == [
        "4 players from Ayr (Keeper, Manu, Third, Fourth). The limit is 3 per club: replace 1."
    ]
    assert refused[0].is_overridable


def test_too_dear_a_team_says_by_how_much() -> None:
    refused = refusals(wanted(), replace(OPEN, limits=replace(LIMITS, budget=520)))
    assert [refusal.text for refusal in refused] == [
        "The team is 0.5m over budget. Choose a cheaper player."
    ]


def test_a_footballer_who_left_may_stay_but_not_come() -> None:
    assert codes(wanted(*TEAM[:6], "away")) == ["market"]
    previous = replace(KEPT, picks=(*TEAM[:6], "away"))
    assert codes(wanted(*TEAM[:6], "away"), replace(OPEN, previous=previous)) == []


@pytest.mark.parametrize(
    ("captain", "vice_captain", "code"),
    [
        (0, 2, "captain_missing"),
        (2, 0, "vice_captain_missing"),
        (2, 2, "same_captain"),
        (6, 2, "captain_not_starter"),
        (2, -1, "vice_captain_not_starter"),
        (99, 2, "captain_not_starter"),
    ],
)
def test_captains_are_two_starters(captain: int, vice_captain: int, code: str) -> None:
    assert codes(wanted(captain=captain, vice_captain=vice_captain)) == [code]


def test_the_soccer_squad_is_counted_by_position() -> None:
    roster_format = FORMATS["soccer"]
    positions = [
        "GK",
        "DEF",
        "DEF",
        "DEF",
        "MID",
        "MID",
        "FWD",
        "MID",
        "MID",
        "MID",
        "MID",
        "GK",
        "DEF",
        "DEF",
        "FWD",
    ]
    market = {
        str(n): Candidate(str(n), f"P{n}", p, str(n), f"Club {n}", 50)
        for n, p in enumerate(positions)
    }
    refused = refusals(
        Draft(tuple(market), 1, 2),
        SheetContext(roster_format, LIMITS_OF_FIFTEEN, market, None, None),
    )
    assert [refusal.text for refusal in refused] == [
        "The team has 6 MID and needs 5. Pick 1 fewer.",
        "The team has 2 FWD and needs 3. Pick 1 more.",
    ]


LIMITS_OF_FIFTEEN = replace(LIMITS, budget=1000)


def test_whoever_goes_brings_half_of_their_gain_and_all_of_their_loss() -> None:
    context = replace(OPEN, previous=KEPT, market=with_price(manu=125, nikhil=52, third=110))
    sums = costs_of(("keeper", "third", "santos", "desai", "souza", "stiles", "second"), context)
    assert sums.bank == 75 + 122 + 52 - 110 - 40
    assert sums.purchase_prices == (50, 110, 95, 60, 100, 45, 40)
    assert (sums.transfers, sums.free_transfers, sums.transfer_cost) == (2, 2, 0)


def test_whoever_stays_keeps_what_he_cost() -> None:
    context = replace(OPEN, previous=KEPT, market=with_price(manu=140, souza=60))
    assert costs_of(TEAM, context) == Costs(KEPT.purchase_prices, 75, 2, 0, 0)


def test_transfers_beyond_the_free_ones_cost_points() -> None:
    none_left = replace(KEPT, free_transfers=1, transfers=1)
    sums = costs_of(
        ("keeper", "third", "santos", "desai", "fourth", "stiles", "second"),
        replace(OPEN, previous=none_left),
    )
    assert (sums.transfers, sums.free_transfers, sums.transfer_cost) == (3, 1, 8000)


def test_changing_places_is_no_transfer() -> None:
    moved = ("keeper", "stiles", "santos", "desai", "souza", "manu", "nikhil")
    assert costs_of(moved, replace(OPEN, previous=KEPT)).transfers == 0


def test_the_same_footballers_change_no_money_even_after_prices_moved() -> None:
    current = CurrentSheet(TEAM, (50, 120, 95, 60, 100, 45, 55), 5, 2, bank=75, version=3)
    dearer = replace(OPEN, current=current, market=with_price(manu=300))
    moved = ("keeper", "stiles", "santos", "desai", "souza", "manu", "nikhil")
    assert codes(wanted(*moved), dearer) == []
    assert costs_of(moved, dearer) == Costs((50, 45, 95, 60, 100, 120, 55), 75, None, 0, 0)


@pytest.mark.parametrize(
    ("had", "used", "gameweeks", "free"),
    [
        (None, 0, 1, 1),  # the first sheet came free; after it just the new one
        (1, 0, 1, 2),
        (1, 3, 1, 1),  # bought beyond the free ones: nothing is owed
        (5, 0, 1, 5),  # the bank limit
        (1, 1, 3, 3),  # two gameweeks carried over in between
        (None, 0, 9, 5),
    ],
)
def test_free_transfers_are_saved_up(had: int | None, used: int, gameweeks: int, free: int) -> None:
    before = replace(KEPT, free_transfers=had, transfers=used, gameweeks_ago=gameweeks)
    assert free_transfers(before, LIMITS) == free


def test_without_a_limit_transfers_are_counted_and_cost_nothing() -> None:
    endless = replace(OPEN, previous=KEPT, limits=replace(LIMITS, free_transfers=None))
    sums = costs_of((*TEAM[:6], "second"), endless)
    assert (sums.transfers, sums.free_transfers, sums.transfer_cost) == (1, None, 0)


def test_a_stale_version_is_refused() -> None:
    current = CurrentSheet(TEAM, KEPT.purchase_prices, 5, 2, 75, version=3)
    assert codes(wanted(version=2), replace(OPEN, current=current)) == ["version"]
    assert codes(wanted(version=3), replace(OPEN, current=current)) == []
    assert codes(wanted(version=None), replace(OPEN, current=current)) == []
    assert codes(wanted(version=1), OPEN) == ["version"]


def playing(*begun: str) -> SheetContext:
    market = MARKET | {name: replace(MARKET[name], has_begun=True) for name in begun}
    current = CurrentSheet(TEAM, KEPT.purchase_prices, 5, 2, 75, version=1)
    return SheetContext(FIVE, LIMITS, market, None, current, locks_each=True)


def test_whoever_plays_already_stays_in_their_place() -> None:
    refused = refusals(
        wanted("keeper", "manu", "stiles", "desai", "souza", "santos", "nikhil"), playing("santos")
    )
    assert [(refusal.code, refusal.place, refusal.text) for refusal in refused] == [
        ("begun", 3, "Santos's game has started, so they can no longer leave slot 3.")
    ]
    assert (
        codes(
            wanted("keeper", "manu", "desai", "santos", "souza", "nikhil", "stiles"),
            playing("manu"),
        )
        == []
    )


def test_whoever_plays_already_cannot_come() -> None:
    assert codes(wanted(*TEAM[:6], "second"), playing("second")) == ["begun"]


def test_the_captain_cannot_change_from_or_to_one_who_plays() -> None:
    assert codes(wanted(captain=3), playing("souza")) == ["captain_begun"]
    assert codes(wanted(captain=3), playing("santos")) == ["captain_begun"]
    assert codes(wanted(captain=3), playing("manu")) == []
    assert codes(wanted(vice_captain=3), playing("manu")) == ["vice_captain_begun"]


def test_a_draft_from_before_a_kickoff_keeps_the_moves_of_everybody_else() -> None:
    swapped_and_new = ("keeper", "manu", "stiles", "second", "souza", "nikhil", "santos")
    put_back = without_late_moves(wanted(*swapped_and_new, captain=3), playing("santos", "souza"))
    assert put_back.picks == ("keeper", "manu", "santos", "second", "souza", "nikhil", "stiles")
    assert put_back.captain == 5, "Souza's game has started, so he stays the captain"


@given(
    picks=st.permutations(["keeper", "manu", "santos", "souza", "stiles", "second", "nikhil", ""]),
    begun=st.sets(st.sampled_from([*TEAM, "second"])),
    captain=st.integers(0, 7),
    vice_captain=st.integers(0, 7),
)
def test_nothing_that_comes_too_late_is_left_of_any_draft(
    picks: list[str], begun: set[str], captain: int, vice_captain: int
) -> None:
    context = playing(*begun)
    draft = wanted(*picks[:7], captain=captain, vice_captain=vice_captain)
    put_back = without_late_moves(draft, context)
    assert [*kickoff_refusals(put_back, context)] == []
    if not [*kickoff_refusals(draft, context)]:
        assert put_back == draft


@pytest.mark.fault(20)
def test_the_deadline_is_to_the_second() -> None:
    deadline = datetime(2026, 9, 10, 22, tzinfo=UTC)
    assert closed_words(deadline - timedelta(microseconds=1), deadline, "Thu", "", "") == ""
    late = closed_words(deadline, deadline, "Thu", "", "")
    assert late == "Locked at Thu. Only a lineup saved before then counts."
    before = deadline - timedelta(days=9)
    assert "Week 1 is still open" in closed_words(before, deadline, "Thu", "Week 1", "")
    assert "You already saved your Week 3 lineup" in closed_words(
        before, deadline, "Thu", "", "Week 3"
    )
    assert codes(wanted(), replace(OPEN, closed="It is too late.")) == ["deadline"]
