"""The pages of a draft: what members, watchers and the commissioner see and send."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.drafts import queries, services, turn
from app.draft_leagues.drafts.lottery import commitment_of
from app.draft_leagues.drafts.models import DraftEvent, DraftRow
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
    assert "Your pick" in text
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
    assert update["say"] == "Pick 1.01: Ann FC takes Robin Bell 1, RB."
    assert "R. Bell 1" in update["strip"]
    assert update["notes"] == {"1": "You pick in 4", "2": "Your pick", "3": "You pick next"}
    services.undo(world.room("ann"), Submission(clock.now()))
    back = ann.get(f"{address}2").get_json()
    assert (back["freed"], back["say"]) == (["RB1"], "The commissioner undid the latest pick.")


def test_only_the_commissioner_pauses(world: DraftWorld, sign_in: SignIn) -> None:
    assert post(sign_in(username="bob"), world, "commissioner", act="pause").status_code == 403
    assert post(sign_in(username="ann"), world, "commissioner", act="pause").status_code == 204
    assert world.draft().status == "paused"


def test_the_commissioner_assigns_and_replaces(world: DraftWorld, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    post(ann, world, "commissioner", act="assign", footballer="RB1")
    post(ann, world, "commissioner", act="assign", footballer="WR1", number="1")
    assert world.stored_picks() == {"WR1": 1}


def test_numbers_of_the_room_are_never_replaced(make_draft: MakeDraft, sign_in: SignIn) -> None:
    world = make_draft(clock.now(), kind="auction", budget=50, seconds_per_bid=600)
    services.start(world.room("ann"), Submission(clock.now()))
    ann, before = sign_in(username="ann"), world.event_count()
    for typed in ("abc", "", "0", "3.5", "-1"):
        answer = post(ann, world, "picks", footballer="RB1", nominates="1", maximum=typed)
        assert (answer.status_code, answer.text) == (
            409,
            "Enter your bid as a whole number, such as 12.",
        )
    answer = post(ann, world, "commissioner", act="assign", footballer="RB1", number="one")
    assert answer.text == "Enter the pick as on the board, such as 1.02, or leave it blank."
    for part, form in (
        ("autopilot", {"franchise": "one", "on": "1"}),
        ("picks", {"footballer": "RB1", "nominates": "1", "expected": "first"}),
    ):
        answer = post(ann, world, part, **form)
        assert (answer.status_code, "Reload the page" in answer.text) == (400, True)
    assert world.event_count() == before
    answer = post(ann, world, "picks", footballer="RB1", nominates="1", maximum="$7 ")
    assert answer.status_code == 204
    body = db.session.scalars(select(DraftEvent.body).order_by(DraftEvent.number.desc())).first()
    assert body is not None
    assert body["maximum"] == 7


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
    assert "are in no particular order" in before
    assert "is-on" not in before, "nobody is on the clock before the draft"
    assert post(ann, world, "commissioner", act="draw").status_code == 204
    after = ann.get(f"/drafts/{world.draft_id}").text
    assert "a1" * 32 in after
    assert "The lottery is done." in after
    assert "A lottery sets" not in after
    assert ann.get(f"/drafts/{world.draft_id}/updates?version=0").json["version"] == 1


def test_everybody_reads_how_far_away_their_own_pick_is(world: DraftWorld, sign_in: SignIn) -> None:
    expected = {"ann": "Your pick", "bob": "You pick next", "cat": "You pick in 2", "dee": ""}
    for name, words in expected.items():  # Dee watches
        text = sign_in(username=name).get(f"/drafts/{world.draft_id}").text
        assert re.findall(r'id="my-turn-note">([^<]*)<', text) == [words]
        assert ("<title>Your pick · The draft" in text) == (name == "ann")


def test_a_full_team_reads_that_it_has_no_picks_left(make_draft: MakeDraft) -> None:
    world = make_draft(kind="offline", rounds=1)
    world.start()
    services.pick_for(world.room("ann"), "RB1", Submission(clock.now()))
    assert turn.notes_of(world.draft())[1] == "No picks left"


def test_the_room_is_a_screen_of_its_own_with_a_way_back(
    world: DraftWorld, sign_in: SignIn
) -> None:
    text = sign_in(username="ann").get(f"/drafts/{world.draft_id}").text
    assert "site-nav" not in text
    assert 'aria-label="Back to mock drafts"' in text  # a draft without a league


def test_what_the_commissioner_needs_is_in_sight_while_the_draft_runs(
    world: DraftWorld, sign_in: SignIn
) -> None:
    text = sign_in(username="ann").get(f"/drafts/{world.draft_id}").text
    bar = text[text.index('class="room-bar') : text.index('id="room-menu"')]
    assert "<details" not in bar
    assert 'value="pause"' in bar


def test_a_pick_is_replaced_by_the_name_that_the_board_gives_it(
    world: DraftWorld, sign_in: SignIn
) -> None:
    ann = sign_in(username="ann")
    assert post(ann, world, "picks", footballer="RB1", token="a").status_code == 204
    for number, footballer in (("1.01", "RB2"), ("1", "RB3"), (" 1.01 ", "RB4")):
        form = {"act": "assign", "number": number, "footballer": footballer, "token": number}
        assert post(ann, world, "commissioner", **form).status_code == 204, number
        assert world.stored_picks() == {footballer: 1}
    for number in ("one", "1.04", "0.01"):
        form = {"act": "assign", "number": number, "footballer": "RB5", "token": f"x{number}"}
        refused = post(ann, world, "commissioner", **form)
        assert (refused.status_code, "such as 1.02" in refused.text) == (409, True), number


def test_a_room_that_is_over_leads_on_and_offers_nothing_of_a_running_draft(
    make_draft: MakeDraft, sign_in: SignIn
) -> None:
    world = make_draft(kind="offline", rounds=1)
    world.start()
    for number in (1, 2, 3):
        services.pick_for(world.room("ann"), f"RB{number}", Submission(clock.now()))
    services.finish(world.room("ann"), Submission(clock.now()))
    text = sign_in(username="ann").get(f"/drafts/{world.draft_id}").text
    assert '<h2 id="over-title">Ann FC</h2>' in text
    assert "Another mock draft" in text
    assert f"/drafts/{world.draft_id}/board" in text
    for absent in ("commissioner-form", "pick-button", "queue-button", "assign-button", "Queue"):
        assert absent not in text, absent


def test_an_auction_shows_prices_and_what_each_team_can_bid_at_most(
    make_draft: MakeDraft, sign_in: SignIn
) -> None:
    world = make_draft(clock.now(), kind="auction", budget=50)
    services.start(world.room("ann"), Submission(clock.now()))
    text = " ".join(sign_in(username="ann").get(f"/drafts/{world.draft_id}").text.split())
    assert "50 left, max 46" in text  # 1 for each of the four other places
    assert '<th scope="col" class="points">Worth</th>' in text
    assert 'id="my-turn-note">Your nomination<' in text
    assert "Undo the nomination and bids" in text


def test_the_board_can_be_read_from_a_television(world: DraftWorld, sign_in: SignIn) -> None:
    text = sign_in(username="cat").get(f"/drafts/{world.draft_id}/board").text
    assert "television" in text
    assert "Cat FC" in text


def test_a_draft_that_does_not_exist_is_not_found(world: DraftWorld, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    assert ann.get("/drafts/999999").status_code == 404
    assert ann.get("/drafts/99999999999999999999").status_code == 404
