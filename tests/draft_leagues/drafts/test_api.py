"""A draft over the API: a program reads it, queues, picks and bids for its member."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from app.core import clock
from app.draft_leagues.drafts import services
from app.draft_leagues.drafts.services import Submission
from tests.draft_leagues.drafts.conftest import DraftWorld, MakeDraft

SignIn = Callable[..., FlaskClient]


def started(make_draft: MakeDraft, **clock_settings: object) -> DraftWorld:
    world = make_draft(clock.now(), seconds_per_pick=600, **clock_settings)
    services.start(world.room("ann"), Submission(clock.now()))
    return world


def test_a_program_picks_for_its_member_once(make_draft: MakeDraft, sign_in: SignIn) -> None:
    world = started(make_draft)
    ann = sign_in(username="ann")
    address = f"/api/v1/drafts/{world.draft_id}"
    draft = ann.get(address).get_json()
    assert (draft["status"], draft["myFranchise"], draft["onTurn"]) == ("running", 1, 1)
    best = draft["bestLeft"][0]["footballerId"]
    pick = {"footballerId": best, "token": "a", "expected": draft["expected"]}
    for _ in range(2):
        answer = ann.post(f"{address}/picks", json=pick)
        assert answer.status_code == 200, answer.text
    assert [each["footballerId"] for each in answer.get_json()["picks"]] == [best]
    refused = ann.post(f"{address}/picks", json=pick | {"token": "b"})
    assert refused.status_code == 409
    assert refused.get_json()["errors"][0]["code"] == "moved_on"


def test_a_program_replaces_the_queue(make_draft: MakeDraft, sign_in: SignIn) -> None:
    world = started(make_draft)
    bob = sign_in(username="bob")
    address = f"/api/v1/drafts/{world.draft_id}/queue"
    answer = bob.put(address, json={"footballerIds": ["WR2", "nobody", "RB1"]})
    assert answer.get_json()["queue"] == ["WR2", "RB1"]
    watcher = sign_in(username="dee").put(address, json={"footballerIds": []})
    assert watcher.status_code == 409


def test_a_program_nominates_and_bids(make_draft: MakeDraft, sign_in: SignIn) -> None:
    world = started(make_draft, kind="auction", budget=50, seconds_per_bid=600)
    address = f"/api/v1/drafts/{world.draft_id}"
    pick = {"footballerId": "RB1", "maximum": 8}
    assert sign_in(username="ann").post(f"{address}/picks", json=pick).status_code == 200
    answer = sign_in(username="bob").post(f"{address}/bids", json={"maximum": 20})
    assert answer.get_json()["lot"] == {"footballerId": "RB1", "leader": 2, "price": 9}


def test_a_draft_that_does_not_exist_is_a_problem(make_draft: MakeDraft, sign_in: SignIn) -> None:
    make_draft()
    assert sign_in(username="ann").get("/api/v1/drafts/999").status_code == 404


def test_a_commissioner_runs_the_draft(make_draft: MakeDraft, sign_in: SignIn) -> None:
    world = make_draft(clock.now(), seconds_per_pick=600)
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    address = f"/api/v1/drafts/{world.draft_id}"
    control = {"act": "start", "token": "go"}
    assert bob.post(f"{address}/controls", json=control).status_code == 409
    started_draft = ann.post(f"{address}/controls", json=control)
    assert started_draft.get_json()["status"] == "running"
    assert ann.post(f"{address}/controls", json=control).status_code == 200  # the same act
    again = ann.post(f"{address}/controls", json=control | {"token": "again"})
    assert again.get_json()["errors"][0]["code"] == "has_begun"
    paused = ann.post(f"{address}/controls", json={"act": "pause"}).get_json()
    assert (paused["status"], paused["deadline"]) == ("paused", None)
    ann.post(f"{address}/controls", json={"act": "resume"})
    first, second = (each["footballerId"] for each in paused["bestLeft"][:2])
    assigned = ann.post(f"{address}/assignments", json={"footballerId": first, "token": "a"})
    assert [each["footballerId"] for each in assigned.get_json()["picks"]] == [first]
    replaced = ann.post(f"{address}/assignments", json={"footballerId": second, "number": 1})
    assert [each["footballerId"] for each in replaced.get_json()["picks"]] == [second]
    undone = ann.post(f"{address}/controls", json={"act": "undo"}).get_json()
    assert undone["picks"] == []
    assert ann.post(f"{address}/controls", json={"act": "win"}).status_code == 400
    automatic = bob.put(f"{address}/autopilot", json={"isOn": True}).get_json()
    assert [each["isAutomatic"] for each in automatic["franchises"]].count(True) == 1
    assert bob.put(f"{address}/autopilot", json={"isOn": True, "franchise": 1}).status_code == 409


def test_a_program_starts_a_mock_draft(make_draft: MakeDraft, sign_in: SignIn) -> None:
    make_draft()  # with it comes a market
    ann = sign_in(username="ann")
    answer = ann.post("/api/v1/mock-drafts", json={"seat": 1, "teamName": "Ann FC"})
    assert answer.status_code == 201, answer.text
    mock = answer.get_json()
    assert (mock["status"], mock["myFranchise"], mock["onTurn"]) == ("running", 1, 1)
    far = ann.post("/api/v1/mock-drafts", json={"seat": 31})
    assert (far.status_code, far.get_json()["errors"][0]["field"]) == (409, "seat")
