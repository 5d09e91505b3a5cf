"""The Python client plays in a draft league with a player's token."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from msgspec.structs import replace

from app.accounts import players, tokens
from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.settings import DraftLeagueSettings, TradeSettings
from tests.api.live.serving import served
from tests.draft_leagues.api.conftest import BIDDING, roster
from tests.worlds.draft_leagues import DraftWorld

sys.path.insert(0, str(Path(__file__).parents[3] / "clients" / "python"))

from pressbox_client import ApiError, Client


@pytest.fixture
def settings() -> DraftLeagueSettings:
    """Without a trade deadline, because the server's clock is the real one."""
    return replace(BIDDING, trades=TradeSettings(deadline_week=None))


def test_a_program_with_a_players_token_offers_and_answers_trades(
    app: Flask, world: DraftWorld
) -> None:
    first, second = roster(world, 1)[0], roster(world, 2)[0]
    league = world.league.slug
    with served(app) as address:
        ann, bob = (
            Client(address, token=tokens.issue(players.player_of(member).id, now()).access)
            for member in map(member_of, world.members[:2])
        )
        assert ann.get_draft_league(league)["myFranchise"] == 1
        offer = ann.offer_trade(
            league,
            token="swap",
            footballers=[
                {"footballerId": first, "fromFranchise": 1, "toFranchise": 2},
                {"footballerId": second, "fromFranchise": 2, "toFranchise": 1},
            ],
        )
        accepted = bob.accept_trade(league, offer["trade"])
        assert accepted["status"] == "in_review"
        ruled = ann.rule_on_trade(league, offer["trade"], ruling="approve")
        [entry] = ann.list_roster_transactions(league, kind="traded")["transactions"]
        assert entry["number"] == ruled["transaction"]
        with pytest.raises(ApiError) as refused:
            bob.rule_on_trade(league, offer["trade"], ruling="stop")
    assert refused.value.status == 403


def member_of(member_id: int) -> Member:
    return db.session.get_one(Member, member_id)


def now() -> datetime:
    return datetime.now(UTC)
