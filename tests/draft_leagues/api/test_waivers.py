"""Waiver claims and runs over the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from app.draft_leagues import league_clock
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.waivers.times import first_run_from
from app.fantasy.rosters.queries import rosters_of
from tests.draft_leagues.api.conftest import Api, roster
from tests.worlds.draft_leagues import DRAFTED, DraftWorld


def dropped(world: DraftWorld) -> str:
    """A footballer whom franchise 4 has just dropped, who is on waivers therefore."""
    footballer = roster(world, 4)[-1]
    assert roster_acts.drop(world.league.id, world.members[3], footballer, DRAFTED) == []
    return footballer


def run_at(world: DraftWorld) -> datetime:
    settings = world.settings
    return first_run_from(settings.waivers, settings.time_zone, DRAFTED + timedelta(days=1))


def test_claims_are_placed_changed_ordered_and_withdrawn(
    ann: Api, bob: Api, world: DraftWorld
) -> None:
    first, second = dropped(world), dropped(world)
    ann.post("/claims", {"footballerId": first, "bid": 4})
    for bid in (7, 9):
        claims = ann.post("/claims", {"footballerId": second, "bid": bid, "group": 1})["claims"]
    assert [(each["footballerId"], each["bid"], each["group"]) for each in claims] == [
        (first, 4, None),
        (second, 9, 1),
    ]
    number = claims[1]["claim"]
    after = ann.put(f"/claims/{number}/position", {"position": 1})["claims"]
    assert [each["footballerId"] for each in after] == [second, first]
    assert bob.get("/claims") == {"claims": []}
    assert bob.refused("DELETE", f"/claims/{number}", None) == ("", "claim")
    left = ann.call("DELETE", f"/claims/{number}")["claims"]
    assert [each["footballerId"] for each in left] == [first]
    assert ann.get("/claims")["claims"] == left


def test_a_bad_claim_names_its_field(ann: Api, world: DraftWorld) -> None:
    footballer = dropped(world)
    high = {"footballerId": footballer, "bid": 101}
    assert ann.refused("POST", "/claims", high) == ("bid", "bid")
    other = {"footballerId": footballer, "dropId": roster(world, 2)[0]}
    assert ann.refused("POST", "/claims", other) == ("dropId", "drop")
    free = {"footballerId": world.free("TE")[0]}
    assert ann.refused("POST", "/claims", free) == ("footballerId", "free")
    assert ann.refused("POST", "/claims", {"footballerId": footballer, "bid": -1}, 400) == (
        "bid",
        "invalid",
    )
    assert ann.refused("POST", "/roster/adds", {"footballerId": footballer}) == (
        "footballerId",
        "waivers",
    )


def test_nobody_sees_claims_of_others_before_the_run_and_everybody_its_report_after_it(
    api: Callable[[str], Api], world: DraftWorld, at: Callable[[datetime], None]
) -> None:
    footballer, ann, bob = dropped(world), api("ann"), api("bob")
    ann.post("/claims", {"footballerId": footballer, "bid": 5})
    bob.post("/claims", {"footballerId": footballer, "bid": 9})
    expected = [(2, 9, "won"), (1, 5, "lost")]
    for caller, own_outcome in (
        (ann, (1, 5, "won")),
        (bob, (2, 9, "won")),
    ):  # Ann is the commissioner
        dry_run = caller.get("/waiver-dry-run")["claims"]
        assert [(each["franchise"], each["bid"], each["result"]) for each in dry_run] == [
            own_outcome
        ]
    assert footballer not in rosters_of(world.league.id).places

    at(run_at(world))
    league_clock.settle_all(run_at(world))
    ann, bob = api("ann"), api("bob")
    [run] = bob.get("/waiver-runs")["runs"]
    report = bob.get(f"/waiver-runs/{run['run']}")
    assert report["run"] == run
    decided = [(each["franchise"], each["bid"], each["result"]) for each in report["claims"]]
    assert decided == expected
    assert all(each["reason"] for each in report["claims"])

    repeat = f"/waiver-runs/{run['run']}/repeat"
    bob.post(repeat, {"reason": "No"}, 403)
    again = ann.post(repeat, {"reason": "The standings were corrected."})
    assert again["run"]["attempt"] == 2
    assert again["claims"] == report["claims"]
    bob.get("/waiver-runs/999", 404)
