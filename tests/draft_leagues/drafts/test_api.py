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
