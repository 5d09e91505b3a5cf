"""The team that a newcomer starts from.

Legal in every format, within the money, and not a bench of kickers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.sheets.rules import refusals
from app.fantasy.sheets.sensible import Option, sensible_team
from app.fantasy.sheets.transfers import Candidate, Draft, Limits, SheetContext, costs_of


def market(roster_format: Format, clubs: int = 8) -> list[Option]:
    """Four of each position and club; expensive ones are better, and one is far better."""
    options = []
    for index, position in enumerate(roster_format.positions):
        for club in range(clubs):
            for number in range(4):
                price = 40 + 15 * number + (club + index) % 5
                rating = 100 * price + (9_000 if (number, club) == (0, index % clubs) else 0)
                options.append(
                    Option(f"{position}{club}-{number}", position, f"C{club}", price, rating)
                )
    return options


def context(roster_format: Format, options: list[Option]) -> SheetContext:
    candidates = {
        option.id: Candidate(
            option.id, option.id, option.position, option.club_id, option.club_id, option.price
        )
        for option in options
    }
    return SheetContext(
        roster_format,
        Limits(roster_format.budget, roster_format.club_limit, None, 0, 0),
        candidates,
        None,
        None,
    )


@pytest.mark.parametrize("name", FORMATS)
def test_the_team_is_legal_and_the_money_is_used(name: str) -> None:
    roster_format, options = FORMATS[name], market(FORMATS[name])
    team = sensible_team(roster_format, roster_format.budget, roster_format.club_limit, options)
    assert team is not None
    filled_places, judged = (
        Draft(team.picks, team.captain, team.vice_captain),
        context(roster_format, options),
    )
    costs = costs_of(team.picks, judged)
    assert refusals(filled_places, judged, costs) == []
    chosen = {option.id: option for option in options if option.id in team.picks}
    clubs = Counter(option.club_id for option in chosen.values())
    for option in (chosen[pick] for pick in team.picks[: len(roster_format.starters)]):
        better = [
            other
            for other in options
            if other.position == option.position
            and other.rating > option.rating
            and other.id not in chosen
            if other.price - option.price <= costs.bank
            and clubs[other.club_id] < roster_format.club_limit
        ]
        assert better == [], "money that could have bought somebody better"
    assert (
        sensible_team(roster_format, roster_format.budget, roster_format.club_limit, options[::-1])
        == team
    ), "never by lot"


def test_the_bench_has_no_position_twice_and_no_kicker() -> None:
    roster_format = FORMATS["nfl-classic"]
    options = market(roster_format)
    team = sensible_team(roster_format, roster_format.budget, roster_format.club_limit, options)
    assert team is not None
    positions = {option.id: option.position for option in options}
    bench = Counter(positions[pick] for pick in team.picks[len(roster_format.starters) :])
    assert bench == {"QB": 1, "RB": 1, "WR": 1, "TE": 1}


def test_the_captain_is_the_best_starter() -> None:
    roster_format, options = FORMATS["soccer-five"], market(FORMATS["soccer-five"])
    team = sensible_team(roster_format, roster_format.budget, roster_format.club_limit, options)
    assert team is not None
    ratings = {option.id: option.rating for option in options}
    starters = sorted(
        (ratings[pick] for pick in team.picks[: len(roster_format.starters)]), reverse=True
    )
    assert [
        ratings[team.picks[place - 1]] for place in (team.captain, team.vice_captain)
    ] == starters[:2]


def test_who_is_picked_already_stays() -> None:
    roster_format, options = FORMATS["soccer-five"], market(FORMATS["soccer-five"])
    picks = ("", "MID3-3", "", "", "", "", "")
    team = sensible_team(
        roster_format, roster_format.budget, roster_format.club_limit, options, picks
    )
    assert team is not None
    assert team.picks[1] == "MID3-3"
    assert len(set(team.picks)) == len(roster_format.places)


def test_a_market_that_fills_no_team_gives_none() -> None:
    roster_format, options = FORMATS["soccer-five"], market(FORMATS["soccer-five"])
    assert sensible_team(roster_format, 100, roster_format.club_limit, options) is None
    assert (
        sensible_team(
            roster_format,
            roster_format.budget,
            roster_format.club_limit,
            [option for option in options if option.position != "GK"],
        )
        is None
    )
    one_club = [replace(option, club_id="C0") for option in options]
    assert sensible_team(roster_format, roster_format.budget, 3, one_club) is None
    assert sensible_team(roster_format, roster_format.budget, 3, options, ("who is this",)) is None
