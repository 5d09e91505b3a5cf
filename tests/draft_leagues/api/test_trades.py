"""Trades and the trade block over the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.fantasy.rosters.queries import rosters_of, transactions_of
from tests.draft_leagues.api.conftest import Api, roster
from tests.worlds.draft_leagues import DraftWorld


@pytest.fixture
def swap(world: DraftWorld) -> dict[str, Any]:
    """Ann and Bob exchange quarterbacks, and Bob gives budget and a pick."""
    return {
        "token": "once",
        "footballers": [
            {"footballerId": roster(world, 1)[0], "fromFranchise": 1, "toFranchise": 2},
            {"footballerId": roster(world, 2)[0], "fromFranchise": 2, "toFranchise": 1},
        ],
        "picks": [
            {
                "season": 2027,
                "round": 1,
                "originalFranchise": 2,
                "fromFranchise": 2,
                "toFranchise": 1,
            }
        ],
        "budgets": [{"amount": 10, "fromFranchise": 2, "toFranchise": 1}],
    }


def test_an_offer_is_private_made_once_and_takes_effect_when_it_is_approved(
    ann: Api, api: Callable[[str], Api], world: DraftWorld, swap: dict[str, Any]
) -> None:
    bob, cat = api("bob"), api("cat")
    sent, received = (each["footballerId"] for each in swap["footballers"])
    for _ in range(2):
        offered = ann.post("/trades", swap, 201)
    assert (offered["status"], offered["waitingFor"]) == ("offered", [2])
    assert [each["trade"] for each in ann.get("/trades")["trades"]] == [offered["trade"]]
    path = f"/trades/{offered['trade']}"
    cat.get(path, 404)
    assert cat.get("/trades")["trades"] == []
    assert [effect["franchise"] for effect in bob.get(path)["effects"]] == [1, 2]
    assert ann.refused("POST", f"{path}/decline", {}) == ("", "offer")

    for _ in range(2):
        accepted = bob.post(f"{path}/accept", {})
    assert (accepted["status"], accepted["review"]) == ("in_review", "commissioner")
    assert cat.get(path)["status"] == "in_review"
    bob.post(f"{path}/ruling", {"ruling": "approve"}, 403)
    assert bob.refused("POST", f"{path}/vote", {"stops": True}) == ("", "vote")
    assert ann.refused("POST", f"{path}/ruling", {"ruling": "stop"}) == ("reason", "reason")
    ruled = ann.post(f"{path}/ruling", {"ruling": "approve"})
    assert ruled["status"] == "executed"
    places = rosters_of(world.league.id).places
    assert (places[sent].franchise, places[received].franchise) == (2, 1)
    assert transactions_of(world.league.id)[-1].number == ruled["transaction"]
    assert [team["budget"] for team in ann.get("/franchises")["franchises"]] == [110, 90, 100, 100]
    picks = ann.get("/rosters")["rosters"][0]["picks"]
    assert picks == [{"season": 2027, "round": 1, "originalFranchise": 2}]
    kinds = [each["kind"] for each in ruled["history"]]
    assert kinds == ["offered", "accepted", "agreed", "approved", "executed"]


def test_an_offer_is_answered_with_another_declined_or_withdrawn(
    ann: Api, bob: Api, swap: dict[str, Any]
) -> None:
    first = ann.post("/trades", swap, 201)["trade"]
    counter = swap | {"token": "back", "counterTo": first, "budgets": []}
    second = bob.post("/trades", counter, 201)
    assert second["counterTo"] == first
    assert ann.get(f"/trades/{first}")["status"] == "countered"
    assert ann.post(f"/trades/{second['trade']}/decline", {})["status"] == "declined"
    third = ann.post("/trades", swap | {"token": "third"}, 201)["trade"]
    for _ in range(2):
        assert ann.post(f"/trades/{third}/withdraw", {})["status"] == "withdrawn"
    page = ann.get("/trades?limit=2")
    assert [each["trade"] for each in page["trades"]] == [third, second["trade"]]
    second_page = ann.get(f"/trades?offset={page['nextOffset']}")
    assert ([each["trade"] for each in second_page["trades"]], second_page["nextOffset"]) == (
        [first],
        None,
    )


def test_an_offer_is_previewed_with_its_effect_on_both_line_ups(
    ann: Api, world: DraftWorld, swap: dict[str, Any]
) -> None:
    preview = ann.post("/trades/preview", swap)
    assert preview["refusals"] == []
    first, second = preview["effects"]
    assert (first["gained"], first["lost"]) == (second["lost"], second["gained"])
    for effect in (first, second):
        gain = effect["lineUpAfter"] - effect["lineUpBefore"]
        assert gain == pytest.approx(effect["gained"] - effect["lost"])  # both have one QB
    assert ann.get("/trades")["trades"] == []
    foreign = [swap["footballers"][0] | {"footballerId": roster(world, 3)[0]}]
    refused = ann.post("/trades/preview", swap | {"footballers": foreign})["refusals"]
    assert [(each["field"], each["code"]) for each in refused] == [("footballers", "moved")]
    far = [swap["footballers"][0] | {"toFranchise": 30}]
    assert ann.post("/trades/preview", swap | {"footballers": far})["effects"] == []


def test_a_commissioner_offers_for_another_team_with_a_reason(
    ann: Api, bob: Api, swap: dict[str, Any]
) -> None:
    for_bob = swap | {"franchise": 2}
    assert ann.refused("POST", "/trades", for_bob) == ("reason", "reason")
    trade = ann.post("/trades", for_bob | {"reason": "Bob is at sea."}, 201)
    assert (trade["offeredBy"], trade["waitingFor"]) == (2, [1])
    assert bob.refused("POST", "/trades", swap | {"franchise": 1, "reason": "Ha"}) == (
        "",
        "franchise",
    )


def test_an_impossible_offer_names_its_field(
    ann: Api, world: DraftWorld, swap: dict[str, Any]
) -> None:
    empty = ann.post("/trades", {"token": "empty"}, 409)
    assert [error["code"] for error in empty["errors"]] == ["nothing"]
    far = [swap["picks"][0] | {"season": 2040}]
    assert ann.refused("POST", "/trades", swap | {"picks": far}) == ("picks", "pick")
    foreign = [swap["footballers"][0] | {"footballerId": roster(world, 3)[0]}]
    assert ann.refused("POST", "/trades", swap | {"footballers": foreign}) == (
        "footballers",
        "moved",
    )
    assert ann.refused("POST", "/trades", swap | {"token": ""}, 400) == ("token", "invalid")


def test_the_trade_block_is_written_and_read(ann: Api, bob: Api, world: DraftWorld) -> None:
    footballer = roster(world, 1)[2]
    for note in ("For a runner", "For a tight end"):
        block = ann.put(f"/trade-block/{footballer}", {"note": note})
    [entry] = block["entries"]
    assert (entry["franchise"], entry["footballerId"], entry["note"]) == (1, footballer, note)
    assert bob.get("/trade-block") == block
    assert bob.refused("PUT", f"/trade-block/{footballer}", {}) == ("footballerId", "footballer")
    for _ in range(2):
        assert ann.call("DELETE", f"/trade-block/{footballer}") == {"entries": []}
