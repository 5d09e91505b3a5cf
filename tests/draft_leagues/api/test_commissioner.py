"""Commissioners' acts over the API: with preview, reason and reversal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.rosters.queries import rosters_of, transactions_of
from tests.draft_leagues.api.conftest import Api, roster
from tests.worlds.draft_leagues import FIRST, DraftWorld


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
def test_moves_are_previewed_made_once_and_reversed(ann: Api, bob: Api, world: DraftWorld) -> None:
    before, footballer = rosters_of(world.league.id), roster(world, 2)[0]
    moves = {"moves": [{"footballerId": footballer, "toFranchise": 3}], "reason": "A bet"}
    bob.post("/commissioner/moves", moves, 403)
    preview = ann.post("/commissioner/moves/preview", moves)
    assert len(preview["words"]) == 1
    assert "Cat FC" in preview["words"][0]
    assert rosters_of(world.league.id) == before

    no_reason = moves | {"reason": " "}
    assert ann.refused("POST", "/commissioner/moves", no_reason) == ("reason", "reason")
    for _ in range(2):
        entry = ann.post("/commissioner/moves", moves | {"token": "bet"}, 201)
    assert (entry["kind"], entry["reason"]) == ("commissioner", "A bet")
    assert rosters_of(world.league.id).places[footballer].franchise == 3

    path = f"/transactions/{entry['number']}/reversal"
    assert "Bob FC" in ann.get(path)["words"][0]
    bob.get(path, 403)
    for _ in range(2):
        reversal = ann.post(path, {"reason": "The bet was void."}, 201)
    assert (reversal["kind"], reversal["dependsOn"]) == ("reversed", entry["number"])
    assert rosters_of(world.league.id).places == before.places
    assert [each.transaction.kind for each in transactions_of(world.league.id)][-2:] == [
        "commissioner",
        "reversed",
    ]
    back = f"/transactions/{reversal['number']}/reversal"
    assert "Bob FC" in ann.get(back)["words"][0]
    assert ann.post(back, {"reason": "It was not void."}, 201)["dependsOn"] == reversal["number"]
    assert rosters_of(world.league.id).places[footballer].franchise == 3
    ann.post("/transactions/999/reversal", {"reason": "?"}, 404)


def test_impossible_moves_name_their_field(ann: Api, world: DraftWorld) -> None:
    unknown = {"moves": [{"footballerId": "nobody"}], "reason": "x"}
    assert ann.refused("POST", "/commissioner/moves", unknown) == ("moves", "footballer")
    far = {"moves": [{"footballerId": roster(world, 1)[0], "toFranchise": 9}], "reason": "x"}
    assert ann.refused("POST", "/commissioner/moves", far) == ("toFranchise", "franchise")
    assert ann.refused("POST", "/commissioner/moves", {"moves": []}, 400) == ("moves", "invalid")


def test_a_team_is_locked_and_opened_again(ann: Api, bob: Api, world: DraftWorld) -> None:
    bob.put("/franchises/2/lock", {"isLocked": True, "reason": "Idle."}, 403)
    for _ in range(2):
        teams = ann.put("/franchises/2/lock", {"isLocked": True, "reason": "Idle."})["franchises"]
    assert [team["isLocked"] for team in teams] == [False, True, False, False]
    drop = {"footballerId": roster(world, 2)[0]}
    assert bob.refused("POST", "/roster/drops", drop) == ("", "locked")
    ann.put("/franchises/2/lock", {"isLocked": False, "reason": "Back."})
    bob.post("/roster/drops", drop)
    assert (
        ann.refused("PUT", "/franchises/9/lock", {"isLocked": True, "reason": "Idle."})[1]
        == "franchise"
    )


def test_an_owner_is_replaced_and_others_run_the_league_too(
    ann: Api, api: Callable[[str], Api], world: DraftWorld
) -> None:
    bob, cat = api("bob"), api("cat")
    cat.put("/co-commissioners", {"gamerIds": [world.members[2]], "reason": "Away."}, 403)
    assert ann.refused("PUT", "/co-commissioners", {"gamerIds": [9_999], "reason": "Away."}) == (
        "gamerIds",
        "member",
    )
    ids = [world.members[2]]
    assert ann.put("/co-commissioners", {"gamerIds": ids, "reason": "Away."}) == {"gamerIds": ids}
    cat.put("/co-commissioners", {"gamerIds": []}, 403)
    for _ in range(2):
        teams = cat.call("POST", "/franchises/2/open", {"reason": "He left us."})["franchises"]
    assert teams[1]["gamerId"] not in world.members
    bob.get("", 404)
    assert cat.refused("POST", "/franchises/1/open", {"reason": "No."}) == ("", "commissioner")


def test_a_past_line_up_is_corrected_once_with_a_preview(
    api: Callable[[str], Api], world: DraftWorld, at: Callable[[datetime], None]
) -> None:
    gameweek = world.gameweek(1)
    lock_gameweek(gameweek.id, gameweek.deadline)
    at(FIRST + timedelta(days=3))
    ann, path = api("ann"), "/franchises/2/line-ups/GW1"
    before = ann.get(path)
    starters = [place["footballerId"] for place in before["places"] if place["isStarter"]]
    changed = [starters[0], None, *starters[2:]]
    api("bob").post(f"{path}/correction/preview", {"starters": changed}, 403)
    preview = ann.post(f"{path}/correction/preview", {"starters": changed})
    assert preview["words"]
    assert ann.get(path) == before

    correction = {"starters": changed, "version": before["version"], "reason": "He was hurt."}
    assert ann.refused("PUT", f"{path}/correction", correction | {"reason": ""}) == (
        "reason",
        "reason",
    )
    after = ann.put(f"{path}/correction", correction)
    assert after["places"][1]["footballerId"] is None
    assert ann.refused("PUT", f"{path}/correction", correction) == ("", "seen")
    late = ann.refused("POST", "/franchises/2/line-ups/GW3/correction/preview", {"starters": []})
    assert late == ("", "gameweek")
