"""The pages of a draft: what members, watchers and the commissioner see and send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.drafts import queries, services
from app.draft_leagues.drafts.lottery import commitment_of
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.services import Submission
from tests.draft_leagues.drafts.conftest import DraftWorld, MakeDraft
from tests.worlds.draft_market import make_market

SignIn = Callable[..., FlaskClient]
SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def world(make_draft: MakeDraft) -> DraftWorld:
    """A draft that has started now."""
    world = make_draft(clock.now(), seconds_per_pick=600)
    services.start(world.room("ann"), Submission(clock.now()))
    return world


def post(client: FlaskClient, world: DraftWorld, part: str, **form: Any) -> Any:
    return client.post(f"/drafts/{world.draft_id}/{part}", data=form, headers=SCRIPT)


def test_the_room_shows_whose_turn_it_is_and_who_is_left(
    world: DraftWorld, sign_in: SignIn
) -> None:
    text = sign_in(username="ann").get(f"/drafts/{world.draft_id}").text
    assert "Pick 1.01" in text
    assert "It is your turn" in text
    assert 'value="RB1"' in text
    assert "Quentin Bell 1" in text


def test_a_pick_by_a_script_gets_no_page_and_a_refusal_is_a_sentence(
    world: DraftWorld, sign_in: SignIn
) -> None:
    ann = sign_in(username="ann")
    assert post(ann, world, "picks", footballer="RB1", expected=1, token="a").status_code == 204
    again = post(ann, world, "picks", footballer="RB2", expected=1, token="b")
    assert (again.status_code, again.mimetype) == (409, "text/plain")
    assert "moved on" in again.data.decode()


def test_a_pick_without_a_script_leads_back_to_the_room(world: DraftWorld, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    form = {"footballer": "RB1", "expected": 1, "token": "a"}
    answer = ann.post(f"/drafts/{world.draft_id}/picks", data=form)
    assert (answer.status_code, answer.location) == (303, f"/drafts/{world.draft_id}")
    refused = ann.post(f"/drafts/{world.draft_id}/picks", data=form | {"token": "b"})
    assert refused.status_code == 409
    assert "moved on" in refused.text


def test_the_queue_is_answered_with_the_members_part(world: DraftWorld, sign_in: SignIn) -> None:
    bob = sign_in(username="bob")
    assert "Move Robin Bell 1 up" in post(bob, world, "queue", add="RB1").text
    post(bob, world, "queue", add="WR1")
    post(bob, world, "queue", up="WR1")
    assert queries.queue_of(world.draft_id, 2) == ["WR1", "RB1"]


def test_an_update_has_only_what_changed(world: DraftWorld, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    address = f"/drafts/{world.draft_id}/updates?version="
    assert ann.get(f"{address}1").status_code == 204
    post(ann, world, "picks", footballer="RB1")
    update = ann.get(f"{address}1").get_json()
    assert list(update["cells"]) == ["1-1"]
    assert (update["taken"], update["on_turn"], update["slot"]) == (["RB1"], 2, "2-1")
    assert update["say"] == "Pick 1.01: Ann FC take Robin Bell 1, RB."
    services.undo(world.room("ann"), Submission(clock.now()))
    back = ann.get(f"{address}2").get_json()
    assert (back["freed"], back["say"]) == (["RB1"], "The commissioner took the latest pick back.")


def test_only_the_commissioner_pauses(world: DraftWorld, sign_in: SignIn) -> None:
    assert post(sign_in(username="bob"), world, "commissioner", act="pause").status_code == 409
    assert post(sign_in(username="ann"), world, "commissioner", act="pause").status_code == 204
    assert world.draft().status == "paused"


def test_the_commissioner_assigns_and_replaces(world: DraftWorld, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    post(ann, world, "commissioner", act="assign", footballer="RB1")
    post(ann, world, "commissioner", act="assign", footballer="WR1", number="1")
    assert world.stored_picks() == {"WR1": 1}


def test_the_list_is_searched_and_filtered(world: DraftWorld, sign_in: SignIn) -> None:
    dee = sign_in(username="dee")  # who watches
    address = f"/drafts/{world.draft_id}/footballers"
    text = dee.get(f"{address}?position=WR&q=bell", headers=SCRIPT).text
    assert "Wes Bell 1" in text
    assert "Robin" not in text
    assert "Tier 1" in dee.get(f"{address}?position=RB", headers=SCRIPT).text


def test_a_mock_draft_is_one_form_away(
    world: DraftWorld, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    make_market(24, 2027)
    ann = sign_in(username="ann")
    answer = ann.post("/drafts/mock", data={"preset": "redraft", "seat": 2})
    assert answer.status_code == 303
    assert "Mock draft: redraft" in ann.get(answer.location).text
    assert "Mock draft: redraft" in ann.get("/drafts/mock").text
    refused = ann.post("/drafts/mock", data={"preset": "redraft", "seat": 11})
    assert (refused.status_code, "from 1 to 10" in refused.text) == (422, True)


def test_the_commitment_is_shown_before_and_the_seed_after_the_lottery(
    make_draft: MakeDraft, sign_in: SignIn
) -> None:
    world = make_draft(clock.now())
    row = db.session.get_one(DraftRow, world.draft_id)
    row.lottery_seed = "a1" * 32
    db.session.commit()
    ann = sign_in(username="ann")
    before = ann.get(f"/drafts/{world.draft_id}").text
    assert commitment_of("a1" * 32) in before
    assert "a1" * 32 not in before
    post(ann, world, "commissioner", act="draw")
    assert "a1" * 32 in ann.get(f"/drafts/{world.draft_id}").text


def test_the_board_can_be_read_from_a_television(world: DraftWorld, sign_in: SignIn) -> None:
    text = sign_in(username="cat").get(f"/drafts/{world.draft_id}/board").text
    assert "television" in text
    assert "Cat FC" in text


def test_a_draft_that_does_not_exist_is_not_found(world: DraftWorld, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    assert ann.get("/drafts/999999").status_code == 404
    assert ann.get("/drafts/99999999999999999999").status_code == 404
