"""Whom the market lists for a draft.

Who fits the places that are free, and who may change places.
"""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from app.fantasy.market.formats import FORMATS
from app.fantasy.sheets.fitting import fitting
from tests.fantasy.sheets.test_sheet_views import HTMX, draft, listed, page
from tests.worlds.team_sheets import TEAM, World


def offers(answer: str) -> dict[str, str]:
    """What the market's page says beside each footballer, by name: Pick, Swap, On team ..."""
    rows = answer.split('<th scope="row">')[1:]
    words = [
        re.sub(r"<[^>]*>", " ", row.partition('<td class="act">')[2].partition("</tr>")[0])
        for row in rows
    ]
    return {
        name: next(
            words for words in ("Swap", "Pick", "Current", "On team", "Locked") if words in text
        )
        for name, text in zip(listed(answer), words, strict=True)
    }


def test_any_that_fits_lists_only_who_fits(world: World, ann: FlaskClient) -> None:
    """A keeper and four outfield places are filled.

    What is free are the two substitutes, who may be anybody.
    """
    starters = (*TEAM[:5], "", "")
    rows = offers(
        ann.get(f"{page(world)}/market", query_string=draft(world, starters), headers=HTMX).text
    )
    assert set(rows.values()) == {"Pick"}
    assert not {"Ayr 1", "Bur 6", "Crk 5", "Dov 3", "Ayr 4"} & set(rows)
    keeper_missing = ("", *TEAM[1:])
    rows = offers(
        ann.get(
            f"{page(world)}/market", query_string=draft(world, keeper_missing), headers=HTMX
        ).text
    )
    assert rows == dict.fromkeys(("Ayr 1", "Bur 1", "Crk 1", "Dov 1"), "Pick")


def test_with_a_full_team_and_no_place_chosen_the_list_is_of_anybody(
    world: World, ann: FlaskClient
) -> None:
    text = ann.get(page(world), query_string=draft(world)).text
    assert '<option value="">Any</option>' in text
    assert '<option value="">Any that fits</option>' not in text
    assert "24 players, page 1 of 2" in text


def test_a_full_team_swaps_in_whoever_can_replace_somebody(world: World, ann: FlaskClient) -> None:
    def at(**query: object) -> str:
        return ann.get(page(world), query_string=draft(world, **query), headers=HTMX).text

    beside = offers(at())
    assert beside["Dov 6"] == "Swap"
    assert set(beside.values()) == {"Swap", "On team"}
    keeper = re.findall(r'name="replace"\s+value="([^"]+)"', at(pick="DOV1"))
    assert keeper == ["1-DOV1", "6-DOV1", "7-DOV1"], "the goalkeeper's place and the substitutes'"
    swapped = at(replace="6-DOV1")
    assert "Dov 1 in for Bur 2." in swapped
    assert 'name="p" value="DOV1"' in swapped
    assert "Swap in" not in at(pick="nobody")


def test_nobody_of_the_team_is_swapped_with_an_empty_place_or_where_they_do_not_fit(
    world: World, ann: FlaskClient
) -> None:
    def found(picks: tuple[str, ...], **query: object) -> dict[str, str]:
        return offers(
            ann.get(
                f"{page(world)}/market", query_string=draft(world, picks, **query), headers=HTMX
            ).text
        )

    third_empty = (*TEAM[:2], "", *TEAM[3:])
    assert "Swap" not in found(third_empty, choose=3).values()
    assert found(third_empty, choose=3, position="FWD", club="BUR") == {"Bur 6": "On team"}
    # The keeper and a forward who starts do not fit each other's places; two outfield players do.
    assert found(TEAM, choose=1, q="Bur") == {"Bur 1": "Pick"}
    assert found(TEAM, choose=2, q="Bur")["Bur 2"] == "Swap"


def test_of_a_squad_of_fixed_sizes_a_complete_position_does_not_fit() -> None:
    soccer = FORMATS["soccer"]
    order = [
        "GK",
        "DEF",
        "DEF",
        "DEF",
        "MID",
        "MID",
        "FWD",
        "DEF",
        "DEF",
        "MID",
        "MID",
        "GK",
        "",
        "",
        "",
    ]
    picks = [
        f"{position}{place}" if position else "" for place, position in enumerate(order, start=1)
    ]
    positions = dict(zip(picks, order, strict=True))
    assert fitting(soccer, picks, positions, 13).positions == ("MID", "FWD")
