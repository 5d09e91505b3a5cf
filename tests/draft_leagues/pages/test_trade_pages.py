"""Pages of trades: an offer, its answer, the review, and who sees what."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import msgspec
import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.datastructures import MultiDict

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.settings import TradeSettings, WaiverSettings
from app.draft_leagues.trades.models import Trade
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import Move, Transaction
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, DraftWorld, make_drafted_league


@pytest.fixture
def ann(drafted: DraftWorld, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def address(world: DraftWorld, path: str = "") -> str:
    return f"/leagues/{world.league.slug}/trades{path}"


def gift(giver: int, getter: int, footballer: str) -> str:
    return f"{giver}:{getter}:player:{footballer}"


def offered(client: FlaskClient, world: DraftWorld) -> tuple[int, str, str]:
    """The trade that ann offers bob: the first of each roster for the other."""
    rosters = rosters_of(world.league.id)
    give, get = next(iter(rosters.of(1))), next(iter(rosters.of(2)))
    form = {
        "team": "2",
        "gift": [gift(1, 2, give), gift(2, 1, get)],
        "token": "once",
        "message": "Fair?",
        "act": "send",
    }
    for _ in range(2):  # a submission that is sent again counts once
        answer = client.post(address(world, "/new"), data=form)
        assert answer.status_code == 303
    return db.session.scalars(select(Trade.id)).one(), give, get


def words_of(page: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())


def hidden(page: str) -> MultiDict[str, str]:
    """The fields of the form that sends a previewed offer."""
    [form] = [each for each in page.split("<form") if 'value="send"' in each]
    return MultiDict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form))


def test_an_offer_is_private_until_it_is_accepted_and_takes_effect_when_approved(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    trade_id, give, get = offered(ann, drafted)
    page = ann.get(address(drafted, f"/{trade_id}")).text
    assert "Withdraw" in page
    assert "Projected points for the remaining games." in page
    cat = sign_in(username="cat")
    assert cat.get(address(drafted, f"/{trade_id}")).status_code == 404
    assert f"trades/{trade_id}" not in cat.get(address(drafted)).text
    for act in ("preview", "accept", "decline", "withdraw", "vote", "stop", "approve"):
        answer = cat.post(address(drafted, f"/{trade_id}/{act}"), data={"reason": "Why"})
        assert answer.status_code == 404
    assert cat.get(address(drafted, f"/new?counter_to={trade_id}")).status_code == 404
    bob = sign_in(username="bob")
    page = bob.get(address(drafted, f"/{trade_id}")).text
    assert names_of([give])[give] in page
    assert "Counter" in page
    cards = words_of(bob.get(address(drafted)).text)
    assert "Offered to you" in cards
    assert re.search(
        f"Ann FC gets .*{names_of([get])[get]}.*Bob FC gets .*{names_of([give])[give]}", cards
    )
    assert "Answer the offer" in cards
    assert "Answer the offer" not in ann.get(address(drafted)).text
    assert bob.post(address(drafted, f"/{trade_id}/accept")).status_code == 303
    page = words_of(cat.get(address(drafted, f"/{trade_id}")).text)
    assert "The commissioner can stop the trade or approve it early." in page
    assert "Time left 23 hours 59 minutes" in page
    assert rosters_of(drafted.league.id).places[give].franchise == 1
    refused = ann.post(address(drafted, f"/{trade_id}/stop"), data={"reason": ""})
    assert refused.status_code == 422
    assert (
        '<p class="fault" id="reason-fault">Give a reason. Everyone in the league sees it.</p>'
        in refused.text
    )
    assert 'aria-describedby="reason-hint reason-fault" aria-invalid="true"' in refused.text
    approved = ann.post(address(drafted, f"/{trade_id}/approve"), data={"reason": "All is well"})
    assert approved.status_code == 303
    places = rosters_of(drafted.league.id).places
    assert (places[give].franchise, places[get].franchise) == (2, 1)
    assert "Completed" in cat.get(address(drafted)).text
    page = words_of(cat.get(address(drafted, f"/{trade_id}")).text)
    assert "Ann approved the trade as commissioner. “All is well”" in page
    log = cat.get(f"/leagues/{drafted.league.slug}/transactions?kind=traded").text
    assert f"/trades/{trade_id}" in log


def test_an_offer_to_the_viewer_stands_before_later_trades(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    offered(ann, drafted)
    bob = sign_in(username="bob")
    receiver = [*rosters_of(drafted.league.id).of(2)][1]
    form = {"team": "3", "gift": gift(2, 3, receiver), "token": "later", "act": "send"}
    assert bob.post(address(drafted, "/new"), data=form).status_code == 303
    page = bob.get(address(drafted)).text
    assert page.index("Offered to you") < page.index("Your offer")
    assert page.count('class="player-tile') == 3


def test_without_trades_the_page_says_what_comes_next(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    page = words_of(ann.get(address(drafted)).text)
    assert "No trades yet Choose a team below to make an offer." in page


def test_an_offer_is_previewed_before_it_is_sent(ann: FlaskClient, drafted: DraftWorld) -> None:
    """Ann gives her only receivers away: her line-up is projected to lose all their points."""
    receivers = [*rosters_of(drafted.league.id).of(1)][2::3]
    form = {"team": "2", "gift": [gift(1, 2, each) for each in receivers], "message": "For free"}
    preview = ann.post(address(drafted, "/new"), data=form)
    assert preview.status_code == 200
    words = words_of(preview.text)
    assert "Bob FC gets" in words
    [(before, after, difference)] = re.findall(
        r"Ann FC gets Nothing Best lineup now (\d+) → with the trade (\d+) \(([+-]\d+)\)",
        words,
    )
    assert int(after) - int(before) == int(difference)
    assert int(difference) < 0
    assert "Players in +0" in words
    assert db.session.scalars(select(Trade.id)).all() == []
    sent = ann.post(address(drafted, "/new"), data=hidden(preview.text) | {"act": "send"})
    assert sent.status_code == 303
    trade = db.session.scalars(select(Trade)).one()
    assert (trade.franchises, trade.message) == ([1, 2], "For free")


def test_an_offer_to_a_team_without_an_owner_says_so_first(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    by = By(drafted.members[0], "He left us.")
    assert commissioner.open_franchise(drafted.league.id, 2, by, DRAFTED) == []
    assert "Bob FC No active owner" in words_of(ann.get(address(drafted)).text)
    form = words_of(ann.get(address(drafted, "/new?team=2")).text)
    assert "Bob FC has no active owner: only the commissioner can answer an offer for it." in form
    assert "no active owner:" not in words_of(ann.get(address(drafted, "/new?team=3")).text)


def test_three_teams_trade_picks_and_budget_and_a_counter_has_the_same_terms(
    member: Callable[..., Member], app: object, sign_in: Callable[..., FlaskClient]
) -> None:
    bidding = msgspec.structs.replace(SETTINGS, waivers=WaiverSettings("blind_bids"))
    world = make_drafted_league(member, bidding)
    ann, bob, cat = (sign_in(username=name) for name in ("ann", "bob", "cat"))
    of_cat = next(iter(rosters_of(world.league.id).of(3)))
    form = ann.get(address(world, "/new?team=2&team=3")).text
    assert f'<option value="3:1:player:{of_cat}"' in " ".join(form.split())
    assert 'name="budget-1-3"' in form
    data = {
        "team": ["2", "3"],
        "gift": ["", gift(3, 1, of_cat), "1:2:pick:2027.3.1"],
        "budget-2-3": "25",
        "token": "three",
        "act": "send",
    }
    assert ann.post(address(world, "/new"), data=data).status_code == 303
    trade = db.session.scalars(select(Trade)).one()
    assert trade.franchises == [1, 2, 3]
    page = words_of(bob.get(address(world, f"/{trade.id}")).text)
    assert "Bob FC gets 2027 pick, round 3 from Ann FC" in page
    assert "Cat FC gets 25 in waiver budget from Bob FC" in page
    assert bob.post(address(world, f"/{trade.id}/accept")).status_code == 303
    counter = cat.get(address(world, f"/new?counter_to={trade.id}")).text
    assert 'value="25"' in counter
    flat = " ".join(counter.split())
    assert f'<option value="3:1:player:{of_cat}" selected' in flat
    assert '<option value="1:2:pick:2027.3.1" selected' in flat
    changed = data | {
        "team": ["1", "2"],
        "budget-2-3": "40",
        "token": "counter",
        "counter_to": str(trade.id),
    }
    assert cat.post(address(world, "/new"), data=changed).status_code == 303
    assert db.session.get_one(Trade, trade.id).status == "countered"
    answer = db.session.scalars(select(Trade).where(Trade.counter_to == trade.id)).one()
    for client in (ann, bob):
        assert client.post(address(world, f"/{answer.id}/accept")).status_code == 303
    assert ann.post(address(world, f"/{answer.id}/approve")).status_code == 303
    rosters = rosters_of(world.league.id)
    assert rosters.places[of_cat].franchise == 1
    assert rosters.budgets == {1: 100, 2: 60, 3: 140, 4: 100}
    assert rosters.picks == {(2027, 3, 1): 2}


def test_votes_are_counted_and_shown_with_who_may_vote(
    member: Callable[..., Member], app: object, sign_in: Callable[..., FlaskClient]
) -> None:
    voting = msgspec.structs.replace(SETTINGS, trades=TradeSettings("vote", votes_to_stop=2))
    world = make_drafted_league(member, voting)
    trade_id, give, _ = offered(sign_in(username="ann"), world)
    bob, cat, dan = (sign_in(username=name) for name in ("bob", "cat", "dan"))
    bob.post(address(world, f"/{trade_id}/accept"))
    page = words_of(cat.get(address(world, f"/{trade_id}")).text)
    assert "Votes against 0 of 2 needed to stop it" in page
    assert "Who can vote Cat FC, Dan FC" in page
    assert "Vote against" not in bob.get(address(world, f"/{trade_id}")).text
    vote = address(world, f"/{trade_id}/vote")
    assert bob.post(vote, data={"stops": "1"}).status_code == 422
    assert cat.post(vote, data={"stops": "0"}).status_code == 303
    assert "Votes for 1: Cat FC" in words_of(dan.get(address(world, f"/{trade_id}")).text)
    for client in (cat, dan):
        assert client.post(vote, data={"stops": "1"}).status_code == 303
    page = words_of(bob.get(address(world, f"/{trade_id}")).text)
    assert "Stopped 2 teams voted against the trade." in page
    assert "Dan FC voted against the trade." in page
    assert rosters_of(world.league.id).places[give].franchise == 1


def test_whoever_has_no_room_is_told_whom_to_drop(
    member: Callable[..., Member], app: object, sign_in: Callable[..., FlaskClient]
) -> None:
    small = msgspec.structs.replace(
        SETTINGS, roster=msgspec.structs.replace(SETTINGS.roster, bench=0)
    )
    world = make_drafted_league(member, small)
    for footballer in world.free("WR")[:3]:
        world.record(Transaction("added", (Move(footballer, None, 2),)))
    rosters = rosters_of(world.league.id)
    give, drop = next(iter(rosters.of(1))), [*rosters.of(2)][-1]
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    form = {"team": "2", "gift": gift(1, 2, give), "token": "gift"}
    remedy = "Bob FC would have 10 active players, but the limit is 9. Choose 1 to drop."
    preview = ann.post(address(world, "/new"), data=form)
    assert (preview.status_code, remedy in preview.text) == (200, True)
    assert ann.post(address(world, "/new"), data=form | {"act": "send"}).status_code == 303
    trade_id = db.session.scalars(select(Trade.id)).one()
    assert remedy in bob.get(address(world, f"/{trade_id}")).text
    assert bob.post(address(world, f"/{trade_id}/accept")).status_code == 422
    preview = bob.post(address(world, f"/{trade_id}/preview"), data={"drop": drop})
    assert (preview.status_code, remedy in preview.text) == (200, False)
    accepted = bob.post(address(world, f"/{trade_id}/accept"), data={"drop": drop})
    assert accepted.status_code == 303
    history = words_of(bob.get(address(world, f"/{trade_id}")).text)
    assert f"Bob FC accepted and drops {names_of([drop])[drop]}." in history


def test_the_trade_block_leads_to_an_offer(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    bob = sign_in(username="bob")
    rosters = rosters_of(drafted.league.id)
    of_bob, of_ann = next(iter(rosters.of(2))), next(iter(rosters.of(1)))
    block = address(drafted, "/block")
    assert "No players on the block" in ann.get(block).text
    put = bob.post(block, data={"footballer": of_bob, "note": "A runner"})
    assert put.status_code == 303
    refused = bob.post(block, data={"footballer": of_ann, "note": ""})
    assert (refused.status_code, "player on your own team" in refused.text) == (422, True)
    page = ann.get(block).text
    assert "A runner" in page
    [link] = re.findall(r'href="([^"]*/trades/new\?[^"]*gift=[^"]*)"', page)
    form = ann.get(link.replace("&amp;", "&")).text
    assert re.search(rf'value="2:1:player:{of_bob}"\s+checked', form)
    assert bob.post(f"{block}/remove", data={"footballer": of_bob}).status_code == 303
    assert "A runner" not in ann.get(block).text


def test_an_impossible_offer_says_why_and_strangers_see_nothing(
    ann: FlaskClient,
    drafted: DraftWorld,
    member: Callable[..., object],
    sign_in: Callable[..., FlaskClient],
) -> None:
    answer = ann.post(address(drafted, "/new"), data={"team": "2", "act": "send"})
    assert answer.status_code == 422
    assert "Choose what each team gives." in answer.text
    for odd in ("1:2:player:", "1:2", "x:2:player:a", "1:9:player:a", "1:2:pick:2027.99.1"):
        answer = ann.post(address(drafted, "/new"), data={"team": "2", "gift": odd})
        assert answer.status_code == 422
    assert ann.get(address(drafted, "/new?team=99")).status_code == 200
    teams = {"team": ["2", "3"], "act": "teams"}
    assert "Stays" in ann.post(address(drafted, "/new"), data=teams).text
    assert ann.get(address(drafted, "/new?counter_to=99")).status_code == 404
    member("eve")
    eve = sign_in(username="eve")
    for path in ("", "/new?team=2", "/1", "/block"):
        assert eve.get(address(drafted, path)).status_code == 404
    for path in ("/new", "/block", "/block/remove", "/1/accept"):
        assert eve.post(address(drafted, path)).status_code == 404


def test_another_teams_roster_leads_to_an_offer(ann: FlaskClient, drafted: DraftWorld) -> None:
    league = f"/leagues/{drafted.league.slug}"
    assert f"{league}/trades/new?team=2" in ann.get(f"{league}/roster/2").text
    assert f"{league}/trades/new?team=1" not in ann.get(f"{league}/roster/1").text
