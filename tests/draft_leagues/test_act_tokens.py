"""A token names one act of one member: docs/integrators.md, "Sent again"."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from app.draft_leagues.act_tokens import TOKEN_USED, named_act
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.services import CommissionerAct
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.roster_acts.services import SpotMove
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.services import Wish
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import Move
from tests.worlds.draft_leagues import DRAFTED, DraftWorld

RB1, RB2, WR1 = 1, 2, 3  # places in the order of the draft
Send = Callable[[str], object]
"""Sends an act under a token."""


def roster(world: DraftWorld, franchise: int) -> list[str]:
    return [*rosters_of(world.league.id).of(franchise)]


def acts_of(world: DraftWorld, franchise: int) -> Mapping[str, Send]:
    """Acts of a franchise that are possible at once, in this order."""
    league_id, member_id = world.league.id, world.members[franchise - 1]
    mine, other = roster(world, franchise), franchise % 4 + 1
    free = world.free("TE")[franchise]
    terms = Terms((FootballerGift(mine[0], franchise, other),))

    def offer(message: str) -> Send:
        return lambda token: trades.offer(
            league_id, Actor(member_id), NewOffer(terms, token, message), DRAFTED
        )

    def commission(spot: Move) -> Send:
        def send(token: str) -> object:
            entry = CommissionerAct((spot,), member_id, "They asked.", token)
            return commissioner.act_once(league_id, entry, DRAFTED)

        return send

    return {
        "add": lambda token: waivers.add(league_id, member_id, Wish(free), DRAFTED, token),
        "add for another": lambda token: waivers.add(
            league_id, member_id, Wish(free, mine[WR1]), DRAFTED, token
        ),
        "drop": lambda token: roster_acts.act(
            league_id, member_id, SpotMove(mine[RB1], None), DRAFTED, token
        ),
        "add who was dropped": lambda token: waivers.add(
            league_id, member_id, Wish(mine[RB1]), DRAFTED, token
        ),
        "offer": offer("Please"),
        "offer with another message": offer("Now"),
        "commissioner": commission(Move(mine[RB2], franchise, None)),
        "commissioner elsewhere": commission(Move(mine[RB2], franchise, other)),
    }


PAIRS = (
    ("add", "add for another"),
    ("drop", "add who was dropped"),
    ("offer", "offer with another message"),
    ("commissioner", "commissioner elsewhere"),
)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_same_act_counts_once_and_another_one_is_refused(
    drafted: DraftWorld, first: str, second: str
) -> None:
    acts = acts_of(drafted, 1)
    outcome = acts[first]("1")
    count = len(transactions_of(drafted.league.id))
    assert acts[first]("1") == outcome
    assert len(transactions_of(drafted.league.id)) == count
    refused = acts[second]("1")
    refusals = refused if isinstance(refused, list) else getattr(refused, "refusals", ())
    assert [*refusals] == [TOKEN_USED]


def test_members_who_number_their_acts_alike_do_not_meet(drafted: DraftWorld) -> None:
    for kind in ("add", "drop", "offer", "commissioner"):
        outcomes = [acts_of(drafted, franchise)[kind]("1" + kind) for franchise in (1, 2)]
        for outcome in outcomes:
            assert outcome == [] or isinstance(outcome, int | trades.Offered), outcome
        if kind == "offer":
            assert None not in {getattr(outcome, "trade_id", 0) for outcome in outcomes}
            assert len({getattr(outcome, "trade_id", 0) for outcome in outcomes}) == 2


def test_a_token_that_contains_another_is_another() -> None:
    act, longer = named_act(7, "a", "drop"), named_act(7, "a:b", "drop")
    assert act is not None
    assert longer is not None
    assert act.owner != longer.owner
