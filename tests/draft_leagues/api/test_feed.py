"""Integrators learn of transactions by the feed and by webhooks: one event per transaction."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts.models import Integrator, Member
from app.core.db import db
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import Move, Transaction
from app.scores.feed import changes as feed
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import WebhookDelivery
from tests.draft_leagues.api.conftest import NOW, roster
from tests.killing import kill_before_statement
from tests.worlds.callers import Callers, make_callers
from tests.worlds.draft_leagues import DraftWorld
from tests.worlds.score_games import make_integrator

EVENT = "league.transaction"


@pytest.fixture
def bobs(app: Flask, world: DraftWorld) -> Callers:
    """An integrator of Bob, who has a team in the league."""
    return make_callers(app, db.session.get_one(Member, world.members[1]))


@pytest.fixture
def stranger(world: DraftWorld, member: Callable[..., Member]) -> Integrator:
    """An integrator of somebody who is not in the league."""
    return make_integrator("Stranger", member("eve").id)


def told(integrator_id: int) -> list[dict[str, Any]]:
    """The transactions in an integrator's feed, in its order."""
    bodies = [change.body() for change in feed.read(integrator_id, None).changes]
    return [body["transaction"] for body in bodies if body["event"] == EVENT]


def test_the_feed_brings_every_transaction_of_the_owners_leagues(
    bobs: Callers, stranger: Integrator, world: DraftWorld
) -> None:
    first, second = roster(world, 1)[0], roster(world, 2)[0]
    world.record(
        Transaction(
            "traded", (Move(first, 1, 2), Move(second, 2, 1)), reason="Agreed", source="trade:7"
        ),
        now=NOW,
    )
    world.record(Transaction("dropped", (Move(first, 2, None),)), now=NOW)
    changes = bobs.game_server.get("/v1/feed").get_json()["changes"]
    assert [change["event"] for change in changes] == [EVENT, EVENT]
    assert [change["transaction"]["kind"] for change in changes] == ["traded", "dropped"]
    entry = transactions_of(world.league.id)[-2]
    assert changes[0]["transaction"] == {
        "league": world.league.slug,
        "number": entry.number,
        "kind": "traded",
        "made_at": NOW.isoformat().replace("+00:00", "Z"),
        "by_member_id": None,
        "reason": "Agreed",
        "depends_on": None,
        "moves": [
            {
                "footballer_id": footballer,
                "from_franchise": origin,
                "to_franchise": target,
                "spot": "active",
                "from_spot": "active",
            }
            for footballer, origin, target in ((first, 1, 2), (second, 2, 1))
        ],
        "budgets": [],
        "picks": [],
    }
    assert told(stranger.id) == []


def test_a_webhook_gets_each_transaction_once(bobs: Callers, world: DraftWorld) -> None:
    hook = bobs.game_server.post(
        "/v1/webhooks", json={"url": "https://example.com/hook", "events": [EVENT]}
    )
    assert hook.status_code == 201, hook.text
    footballer = roster(world, 2)[0]
    for _ in range(2):  # an act that is sent again counts once
        refused = roster_acts.drop(world.league.id, world.members[1], footballer, NOW, "act:2:a")
        assert refused == []
        webhooks.collect(NOW)
    [body] = db.session.scalars(select(WebhookDelivery.body)).all()
    [change] = json.loads(body)["changes"]
    entry = transactions_of(world.league.id)[-1]
    assert (change["event"], change["transaction"]["number"]) == (EVENT, entry.number)
    assert change["transaction"]["moves"][0]["footballer_id"] == footballer


def test_a_kill_at_any_statement_of_a_trade_leaves_both_the_entry_and_its_event_or_neither(
    bobs: Callers, world: DraftWorld
) -> None:
    integrator_id, league_id = bobs.integrator.id, world.league.id
    first, second = roster(world, 1)[0], roster(world, 2)[0]
    terms = Terms((FootballerGift(first, 1, 2), FootballerGift(second, 2, 1)))
    ann, bob = (Actor(member_id) for member_id in world.members[:2])
    offered = trades.offer(league_id, ann, NewOffer(terms, "once"), NOW)
    trade_id = offered.trade_id
    assert trade_id is not None, offered.refusals
    assert trades.accept(league_id, trade_id, bob, (), NOW) == []

    def approve() -> None:
        trades.approve(league_id, trade_id, ann.member_id, NOW)

    statement = 0
    while kill_before_statement(statement, approve) == statement:
        log = [each for each in transactions_of(league_id) if each.transaction.kind == "traded"]
        assert [each["number"] for each in told(integrator_id)] == [each.number for each in log]
        statement += 1
    assert statement > 10
    approve()  # again it is refused
    [entry] = told(integrator_id)
    assert entry["kind"] == "traded"
    assert rosters_of(league_id).places[first].franchise == 2
