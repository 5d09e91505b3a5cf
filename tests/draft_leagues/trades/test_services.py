"""Trades in the database: offers, reviews, votes, effects, also two acts at once and kills."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import TradeSettings, WaiverSettings
from app.draft_leagues.trades import block, rules, services, settling
from app.draft_leagues.trades.desk import NO_REASON, Actor
from app.draft_leagues.trades.models import TradeEvent
from app.draft_leagues.trades.queries import last_events, load_trade, trade_block, visible_trades
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import BudgetGift, FootballerGift, Terms
from app.fantasy.notices.models import Notice
from app.fantasy.rosters.queries import names_of, rosters_of, transactions_of
from app.fantasy.rosters.rules import Move, PickMove, Place, Transaction
from app.fantasy.sheets.context import begun_among
from tests.at_once import at_once
from tests.worlds.draft_leagues import DRAFTED, FIRST, SETTINGS, DraftWorld, make_drafted_league

QB, RB1, RB2, WR1, WR2, TE = range(6)
REVIEWED = DRAFTED + timedelta(hours=24)
PLAYING = FIRST + timedelta(hours=7)  # three of the four games have begun


def make_trading(
    member: Callable[..., Member], trades: TradeSettings, bench: int = 4
) -> DraftWorld:
    return make_drafted_league(
        member,
        replace(
            SETTINGS,
            roster=replace(SETTINGS.roster, bench=bench),
            trades=trades,
            waivers=WaiverSettings("blind_bids"),
        ),
    )


@pytest.fixture
def world(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """A league whose commissioner, Ann, reviews trades for a day."""
    return make_trading(member, TradeSettings(deadline_week=2))


def roster(world: DraftWorld, franchise: int) -> list[str]:
    return [*rosters_of(world.league.id).of(franchise)]


def actor(world: DraftWorld, franchise: int) -> Actor:
    return Actor(world.members[franchise - 1])


def swap(world: DraftWorld, first: int = 1, second: int = 2, place: int = QB) -> Terms:
    """Two franchises exchange the footballers whom they drafted at this place."""
    return Terms(
        (
            FootballerGift(roster(world, first)[place], first, second),
            FootballerGift(roster(world, second)[place], second, first),
        )
    )


def playing(world: DraftWorld) -> str:
    """Somebody of franchise 2 besides its quarterback whose game is on at PLAYING."""
    others = roster(world, 2)[RB1:]
    begun = begun_among(others, world.gameweek(1), PLAYING)
    return next(each for each in others if each in begun)


def offer(world: DraftWorld, terms: Terms, key: str = "a", franchise: int = 1) -> int:
    offered = services.offer(
        world.league.id, actor(world, franchise), NewOffer(terms, key), DRAFTED
    )
    assert offered.trade_id is not None, offered.refusals
    return offered.trade_id


def accept(world: DraftWorld, trade_id: int, franchise: int = 2, *drops: str) -> list[str]:
    refused = services.accept(world.league.id, trade_id, actor(world, franchise), drops, DRAFTED)
    return [refusal.text for refusal in refused]


def status(world: DraftWorld, trade_id: int) -> str:
    trade = load_trade(world.league.id, trade_id)
    assert trade is not None
    assert trade.row.status == trade.state.status
    return trade.state.status


def test_a_trade_is_offered_accepted_reviewed_and_takes_effect_once(world: DraftWorld) -> None:
    league_id = world.league.id
    first, second = roster(world, 1)[QB], roster(world, 2)[QB]
    terms = Terms(
        (FootballerGift(first, 1, 2), FootballerGift(second, 2, 1)),
        (PickMove(2027, 3, 2, from_franchise=2, to_franchise=1),),
        (BudgetGift(30, 1, 2),),
    )
    trade_id = offer(world, terms)
    assert offer(world, terms) == trade_id  # the same submission again
    assert [row.id for row in visible_trades(league_id, 2, 9)] == [trade_id]
    assert visible_trades(league_id, 3, 9) == []
    for _ in range(2):
        assert accept(world, trade_id) == []
    assert status(world, trade_id) == "in_review"
    assert [row.id for row in visible_trades(league_id, 3, 9)] == [trade_id]
    assert settling.settle_due(REVIEWED - timedelta(seconds=1)) == 0
    assert rosters_of(league_id).places[first] == Place(1)
    assert [settling.settle_due(REVIEWED) for _ in range(2)] == [1, 0]
    after = rosters_of(league_id)
    assert (after.places[first], after.places[second]) == (Place(2), Place(1))
    assert after.budgets == {1: 70, 2: 130, 3: 100, 4: 100}
    assert after.owner_of_pick((2027, 3, 2)) == 1
    assert second in world.lineup(1)
    assert first in world.lineup(2)
    assert [each.transaction.kind for each in transactions_of(league_id)].count("traded") == 1
    kinds = db.session.scalars(
        select(TradeEvent.body["kind"].astext).order_by(TradeEvent.number)
    ).all()
    assert kinds == ["offered", "accepted", "agreed", "executed"]
    assert last_events([trade_id]) == {trade_id: REVIEWED}  # not when they agreed


def test_everybody_hears_what_concerns_them(world: DraftWorld) -> None:
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    settling.settle_due(REVIEWED)
    rows = db.session.execute(
        select(Notice.member_id, Notice.title)
        .where(Notice.key.startswith("trade:"))
        .order_by(Notice.id)
    ).all()
    ann, bob, cat, dan = world.members
    agreed = "The Row: Ann FC and Bob FC agreed on a trade"
    assert [tuple(row) for row in rows] == [
        (bob, "The Row: Ann FC offered you a trade"),
        *((each, agreed) for each in (ann, bob, cat, dan)),
        *((each, "The Row: Ann FC and Bob FC completed a trade") for each in (ann, bob, cat, dan)),
    ]


def test_three_teams_trade_when_all_have_accepted(world: DraftWorld) -> None:
    first, second, third = (roster(world, number)[WR1] for number in (1, 2, 3))
    terms = Terms(
        (
            FootballerGift(first, 1, 2),
            FootballerGift(second, 2, 3),
            FootballerGift(third, 3, 1),
        )
    )
    trade_id = offer(world, terms)
    assert accept(world, trade_id, 2) == []
    assert status(world, trade_id) == "offered"
    assert accept(world, trade_id, 4) == [services.NO_TRADE.text]
    assert accept(world, trade_id, 3) == []
    settling.settle_due(REVIEWED)
    places = rosters_of(world.league.id).places
    assert [places[each].franchise for each in (first, second, third)] == [2, 3, 1]


def test_an_offer_is_countered_declined_withdrawn_or_expires(world: DraftWorld) -> None:
    league_id = world.league.id
    first = offer(world, swap(world))
    countered = services.offer(
        league_id,
        actor(world, 2),
        NewOffer(swap(world, place=TE), "b", counter_to=first),
        DRAFTED,
    )
    assert countered.trade_id is not None
    assert status(world, first) == "countered"
    assert accept(world, first) == [rules.CLOSED.text]
    for _ in range(2):
        assert services.decline(league_id, countered.trade_id, actor(world, 1), DRAFTED) == []
    assert status(world, countered.trade_id) == "declined"
    third = offer(world, swap(world), "c")
    assert services.withdraw(league_id, third, actor(world, 2), DRAFTED) == [rules.NOT_YOURS]
    assert services.withdraw(league_id, third, actor(world, 1), DRAFTED) == []
    fourth = offer(world, swap(world), "d")
    assert settling.settle_due(DRAFTED + timedelta(hours=72)) == 1
    assert status(world, fourth) == "expired"


def test_whoever_gets_more_names_whom_they_drop(app: Flask, member: Callable[..., Member]) -> None:
    world = make_trading(member, TradeSettings(review="none"), bench=0)
    for footballer in world.free("WR")[:3]:
        commissioner.act(
            world.league.id,
            [Move(footballer, None, 2)],
            by_member_id=world.members[0],
            reason="Filling up",
            now=DRAFTED,
        )
    gift = Terms((FootballerGift(roster(world, 1)[TE], 1, 2),))
    trade_id = offer(world, gift)
    assert accept(world, trade_id) == [
        "Bob FC would have 10 active players, but the limit is 9. Choose 1 to drop."
    ]
    dropped = roster(world, 2)[RB2]
    assert accept(world, trade_id, 2, roster(world, 3)[RB2]) != []
    assert accept(world, trade_id, 2, dropped) == []
    assert status(world, trade_id) == "executed"
    assert dropped not in rosters_of(world.league.id).places


def test_the_commissioner_stops_or_approves_with_a_reason(world: DraftWorld) -> None:
    league_id, (ann, bob, _, _) = world.league.id, world.members
    trade_id = offer(world, swap(world, 2, 3), franchise=2)
    # An offer is private, also to the commissioner.
    assert services.stop(league_id, trade_id, ann, "Why", DRAFTED) == [services.NO_TRADE]
    accept(world, trade_id, 3)
    assert services.stop(league_id, trade_id, bob, "Why", DRAFTED) == [services.NO_COMMISSIONER]
    assert services.stop(league_id, trade_id, ann, " ", DRAFTED) == [services.WHY]
    assert services.stop(league_id, trade_id, ann, "Collusion", DRAFTED) == []
    assert services.stop(league_id, trade_id, ann, "Again", DRAFTED) == [rules.NO_REVIEW]
    assert settling.settle_due(REVIEWED) == 0
    other = offer(world, swap(world, 2, 3), "b", franchise=2)
    accept(world, other, 3)
    assert services.approve(league_id, other, ann, DRAFTED) == []
    assert status(world, other) == "executed"


def test_a_commissioner_leaves_their_own_trade_to_another_one(world: DraftWorld) -> None:
    league_id, (ann, bob, _, _) = world.league.id, world.members
    trade_id = offer(world, swap(world, 2, 3), franchise=2)
    accept(world, trade_id, 3)
    by = By(ann, "More hands")
    assert commissioner.set_co_commissioners(league_id, [bob], by, DRAFTED) == []
    assert services.approve(league_id, trade_id, bob, DRAFTED) == [rules.OWN_TRADE]
    assert services.stop(league_id, trade_id, bob, "Mine", DRAFTED) == [rules.OWN_TRADE]
    assert services.approve(league_id, trade_id, ann, DRAFTED) == []


def test_votes_stop_a_trade(app: Flask, member: Callable[..., Member]) -> None:
    world = make_trading(member, TradeSettings(review="vote", votes_to_stop=2))
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    league_id = world.league.id
    vote = services.vote
    assert vote(league_id, trade_id, actor(world, 1), DRAFTED, stops=True) == [rules.PARTY_VOTES]
    for _ in range(2):
        assert vote(league_id, trade_id, actor(world, 3), DRAFTED, stops=True) == []
    assert status(world, trade_id) == "in_review"
    assert vote(league_id, trade_id, actor(world, 4), DRAFTED, stops=True) == []
    trade = load_trade(league_id, trade_id)
    assert trade is not None
    assert (trade.state.status, trade.state.reason) == (
        "stopped",
        "2 teams voted against the trade.",
    )


def test_votes_of_everybody_who_can_vote_stop_a_trade(
    app: Flask, member: Callable[..., Member]
) -> None:
    """Dan's team loses its owner, and two votes could never be reached."""
    world = make_trading(member, TradeSettings(review="vote", votes_to_stop=2))
    league_id, by = world.league.id, By(world.members[0], "He has left us.")
    assert commissioner.open_franchise(league_id, 4, by, DRAFTED) == []
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    [body, *_] = db.session.scalars(
        select(Notice.body).where(Notice.title.like("%agreed on a trade"))
    )
    assert "1 vote stops it" in body
    assert services.vote(league_id, trade_id, actor(world, 3), DRAFTED, stops=True) == []
    trade = load_trade(league_id, trade_id)
    assert trade is not None
    assert (trade.state.status, trade.state.reason) == (
        "stopped",
        "1 team voted against the trade.",
    )


def test_a_vote_is_enough_when_the_others_lose_their_owners(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_trading(member, TradeSettings(review="vote", votes_to_stop=2))
    league_id, by = world.league.id, By(world.members[0], "He has left us.")
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    assert services.vote(league_id, trade_id, actor(world, 3), DRAFTED, stops=True) == []
    assert status(world, trade_id) == "in_review"
    assert commissioner.open_franchise(league_id, 4, by, DRAFTED) == []
    assert settling.settle_due(REVIEWED) == 1
    assert status(world, trade_id) == "stopped"


def test_the_commissioner_may_stop_a_trade_on_which_nobody_can_vote(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_trading(member, TradeSettings(review="vote", votes_to_stop=2))
    league_id, ann = world.league.id, world.members[0]
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    assert services.stop(league_id, trade_id, ann, "Unfair", DRAFTED) == [services.NO_STOP]
    for franchise in (3, 4):
        by = By(ann, "They have left us.")
        assert commissioner.open_franchise(league_id, franchise, by, DRAFTED) == []
    assert services.stop(league_id, trade_id, ann, "Unfair", DRAFTED) == []
    assert status(world, trade_id) == "stopped"


def test_a_trade_of_somebody_who_has_gone_fails_and_says_why(world: DraftWorld) -> None:
    league_id, footballer = world.league.id, roster(world, 2)[QB]
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    assert roster_acts.drop(league_id, world.members[1], footballer, DRAFTED) == []
    before = rosters_of(league_id)
    assert settling.settle_due(DRAFTED) == 1  # it does not wait for the end of the review
    trade = load_trade(league_id, trade_id)
    assert trade is not None
    assert trade.state.status == "failed"
    assert trade.state.reason == f"{names_of([footballer])[footballer]} is now a free agent."
    assert rosters_of(league_id) == before


def test_an_offer_of_somebody_who_has_gone_is_closed_and_stays_private(world: DraftWorld) -> None:
    league_id, (ann, bob, *_) = world.league.id, world.members
    footballer, spare = roster(world, 2)[QB], roster(world, 1)[TE]
    dropping = services.offer(
        league_id, Actor(ann), NewOffer(swap(world, 1, 3), "drop", drops=(spare,)), DRAFTED
    )
    trade_id = offer(world, swap(world))
    pick = PickMove(2027, 3, 2, from_franchise=2, to_franchise=3)
    of_pick = offer(world, Terms((), (pick,)), "pick", franchise=2)
    assert settling.settle_due(DRAFTED) == 0
    roster_acts.drop(league_id, bob, footballer, DRAFTED)
    roster_acts.drop(league_id, ann, spare, DRAFTED)
    world.record(
        Transaction("commissioner", picks=(PickMove(2027, 3, 2, from_franchise=2, to_franchise=4),))
    )
    assert settling.settle_due(DRAFTED) == 2
    assert settling.settle_due(DRAFTED) == 0
    assert dropping.trade_id is not None
    assert status(world, dropping.trade_id) == "offered"  # a drop only makes room
    reasons = {}
    for each in (trade_id, of_pick):
        trade = load_trade(league_id, each)
        assert trade is not None
        assert (trade.state.status, trade.row.status) == ("impossible", "impossible")
        assert not rules.can_see(trade.state, 4)
        reasons[each] = trade.state.reason
    names = names_of([footballer])
    assert [*reasons.values()] == [
        f"{names[footballer]} is now a free agent.",
        "The 2027 round 3 pick now belongs to Dan FC.",
    ]
    assert visible_trades(league_id, 4, 9) == []
    notified = db.session.scalars(
        select(Notice.member_id)
        .where(Notice.title == "The Row: offer between Ann FC and Bob FC no longer possible")
        .order_by(Notice.member_id)
    )
    assert [*notified] == [ann, bob]


def test_a_trade_waits_for_the_game_of_somebody_whom_it_drops(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_trading(member, TradeSettings(review="vote"))
    league_id, spare = world.league.id, playing(world)
    accepted_at = PLAYING - timedelta(hours=24)
    offered = services.offer(league_id, actor(world, 1), NewOffer(swap(world), "a"), accepted_at)
    assert offered.trade_id is not None
    services.accept(league_id, offered.trade_id, actor(world, 2), (spare,), accepted_at)
    before = rosters_of(league_id)
    assert settling.settle_due(PLAYING) == 1
    trade = load_trade(league_id, offered.trade_id)
    assert trade is not None
    assert rosters_of(league_id) == before
    until = trade.state.due_at
    assert trade.state.status == "in_review"
    assert until is not None
    assert until == FIRST + timedelta(hours=9)  # the last kickoff of the gameweek
    assert f"{names_of([spare])[spare]}'s game has started" in trade.state.reason
    late_vote = services.vote(league_id, trade.row.id, actor(world, 3), PLAYING, stops=True)
    assert late_vote == [rules.OVER]
    assert settling.settle_due(until - timedelta(microseconds=1)) == 0
    assert settling.settle_due(until) == 1
    assert status(world, trade.row.id) == "executed"
    assert spare not in rosters_of(league_id).places


def test_nobody_is_dropped_by_a_trade_at_once_after_the_kickoff(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_trading(member, TradeSettings(review="none"))
    league_id, spare = world.league.id, playing(world)
    offered = services.offer(league_id, actor(world, 1), NewOffer(swap(world), "a"), PLAYING)
    assert offered.trade_id is not None
    [refused] = services.accept(league_id, offered.trade_id, actor(world, 2), (spare,), PLAYING)
    assert refused.code == "begun"
    assert services.accept(league_id, offered.trade_id, actor(world, 2), (), PLAYING) == []
    assert status(world, offered.trade_id) == "executed"


def test_a_submission_counts_for_whoever_sent_it(world: DraftWorld) -> None:
    first = offer(world, swap(world))
    second = offer(world, swap(world, 2, 3), franchise=2)  # with the same token
    assert first != second


def test_no_trade_takes_effect_after_the_deadline(world: DraftWorld) -> None:
    deadline = world.gameweek(2).deadline
    trade_id = offer(world, swap(world))
    late = deadline - timedelta(hours=24)
    [refused] = services.accept(world.league.id, trade_id, actor(world, 2), (), late)
    assert refused.code in {"deadline", "closed"}
    offered = services.offer(world.league.id, actor(world, 1), NewOffer(swap(world), "b"), deadline)
    assert [refusal.code for refusal in offered.refusals] == ["deadline"]


def test_a_commissioner_acts_for_another_team_with_a_reason(world: DraftWorld) -> None:
    league_id, (ann, _, cat, _) = world.league.id, world.members
    trade_id = offer(world, swap(world, 2, 3), franchise=2)
    assert services.accept(league_id, trade_id, Actor(ann, 3), (), DRAFTED) == [NO_REASON]
    acting = Actor(ann, 3, "Cat is on a boat")
    assert services.accept(league_id, trade_id, acting, (), DRAFTED) == []
    trade = load_trade(league_id, trade_id)
    assert trade is not None
    [accepted] = [each for each in trade.history if each.event.kind == "accepted"]
    assert (accepted.by_member_id, accepted.event.reason) == (ann, "Cat is on a boat")
    [refused] = services.accept(league_id, trade_id, Actor(cat, 2, "Hm"), (), DRAFTED)
    assert refused.code == "franchise"


def test_an_acceptance_and_a_drop_at_once_give_one_result(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_trading(member, TradeSettings(review="none"))
    league_id, bob = world.league.id, world.members[1]
    trade_id, mine = offer(world, swap(world)), roster(world, 2)[QB]
    accepted, dropped = at_once(
        app,
        lambda: services.accept(league_id, trade_id, Actor(bob), (), DRAFTED),
        lambda: roster_acts.drop(league_id, bob, mine, DRAFTED),
    )
    assert [accepted == [], dropped == []].count(True) == 1
    place = rosters_of(league_id).places.get(mine)
    assert place == (Place(1) if accepted == [] else None)


def test_two_trades_of_one_footballer_and_two_settlings_at_once(
    app: Flask, world: DraftWorld
) -> None:
    league_id, footballer = world.league.id, roster(world, 1)[QB]
    trades = [offer(world, swap(world, 1, other), str(other)) for other in (2, 3)]
    for trade_id, other in zip(trades, (2, 3), strict=True):
        accept(world, trade_id, other)
    settled = at_once(app, *[lambda: settling.settle_due(REVIEWED)] * 3)
    assert sum(settled) == 1  # the second is closed with it
    assert [status(world, trade_id) for trade_id in trades] == ["executed", "failed"]
    assert rosters_of(league_id).places[footballer] == Place(2)
    kinds = [each.transaction.kind for each in transactions_of(league_id)]
    assert kinds.count("traded") == 1


@pytest.mark.parametrize("at", ["record", "append", "notify"])
def test_a_settling_that_dies_anywhere_is_done_again(
    world: DraftWorld, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    before = rosters_of(world.league.id)
    owner = settling.transactions if at == "record" else settling.Desk
    real = getattr(owner, at)

    def die(*arguments: object) -> None:
        real(*arguments)
        raise ConnectionError(at)

    with monkeypatch.context() as patched:
        patched.setattr(owner, at, die)
        with pytest.raises(ConnectionError, match=at):
            settling.settle_due(REVIEWED)
    assert status(world, trade_id) == "in_review"
    assert rosters_of(world.league.id) == before
    assert settling.settle_due(REVIEWED) == 1
    assert status(world, trade_id) == "executed"


def test_events_are_never_changed(world: DraftWorld) -> None:
    offer(world, swap(world))
    for statement in ("UPDATE trade_events SET number = 2", "DELETE FROM trade_events"):
        with pytest.raises(DBAPIError, match="never changed"):
            db.session.execute(text(statement))
        db.session.rollback()


def test_the_trade_block_shows_whom_a_team_still_has(world: DraftWorld) -> None:
    league_id, mine, of_bob = world.league.id, roster(world, 1)[QB], roster(world, 2)[QB]
    assert block.put(league_id, actor(world, 1), of_bob, "", DRAFTED) == [block.NOT_YOURS]
    for note in ("For a runner", "For two runners"):
        assert block.put(league_id, actor(world, 1), mine, note, DRAFTED) == []
    [entry] = trade_block(league_id)
    assert (entry.footballer_id, entry.note) == (mine, "For two runners")
    roster_acts.drop(league_id, world.members[0], mine, DRAFTED)
    assert trade_block(league_id) == []
    other = roster(world, 1)[0]
    block.put(league_id, actor(world, 1), other, "", DRAFTED)
    assert block.take_off(league_id, actor(world, 2), other, DRAFTED) == []
    assert len(trade_block(league_id)) == 1
    assert block.take_off(league_id, actor(world, 1), other, DRAFTED) == []
    assert trade_block(league_id) == []


def test_a_drop_that_is_gone_does_not_end_a_trade(world: DraftWorld) -> None:
    """A drop only makes room; what is given has to be where it was."""
    league_id, bob = world.league.id, world.members[1]
    first, second = roster(world, 1), roster(world, 2)
    terms = Terms(
        (
            FootballerGift(first[QB], 1, 2),
            FootballerGift(first[RB1], 1, 2),
            FootballerGift(second[QB], 2, 1),
        )
    )
    trade_id = offer(world, terms)
    assert accept(world, trade_id, 2, second[TE]) == []
    assert roster_acts.drop(league_id, bob, second[TE], DRAFTED) == []
    assert settling.settle_due(DRAFTED) == 0  # it is still possible
    assert settling.settle_due(REVIEWED) == 1
    assert status(world, trade_id) == "executed"
    assert rosters_of(league_id).places[first[RB1]] == Place(2)


def test_a_drop_has_to_be_ones_own(world: DraftWorld) -> None:
    others = roster(world, 3)[TE]
    new = NewOffer(swap(world), "a", drops=(others,))
    offered = services.offer(world.league.id, actor(world, 1), new, DRAFTED)
    assert [refusal.code for refusal in offered.refusals] == ["drop"]
    trade_id = offer(world, swap(world))
    assert accept(world, trade_id, 2, others) == ["Choose a player on your own team to drop."]


@pytest.mark.parametrize("end", ["executed", "stopped"])
def test_whoever_was_told_of_a_review_is_told_how_it_ended(world: DraftWorld, end: str) -> None:
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    if end == "stopped":
        ann = world.members[0]
        assert services.stop(world.league.id, trade_id, ann, "Too one-sided.", DRAFTED) == []
    else:
        settling.settle_due(REVIEWED)
    rows = db.session.execute(
        select(Notice.member_id, Notice.body).where(Notice.key == f"trade:{trade_id}:{end}")
    )
    bodies = {row.member_id: row.body for row in rows}
    assert set(bodies) == set(world.members)
    has_advice = ["Check your lineup" in bodies[each] for each in world.members]
    assert has_advice == [end == "executed"] * 2 + [False] * 2


def test_notices_say_what_is_traded(world: DraftWorld) -> None:
    first, second = roster(world, 1)[QB], roster(world, 2)[QB]
    names = names_of([first, second])
    trade_id = offer(world, swap(world))
    accept(world, trade_id)
    settling.settle_due(REVIEWED)
    bodies = db.session.scalars(
        select(Notice.body).where(Notice.key.startswith(f"trade:{trade_id}:"))
    ).all()
    assert bodies
    for body in bodies:
        assert f"Ann FC gets {names[second]}." in body
        assert f"Bob FC gets {names[first]}." in body


@pytest.mark.parametrize("text", ["Fair? \u202eNo", "\u200b", "H" + "\u0301" * 9])
def test_what_cannot_be_seen_is_refused_in_a_message(world: DraftWorld, text: str) -> None:
    """The rule of names: accounts/names.py."""
    new = NewOffer(swap(world), "a", message=text)
    offered = services.offer(world.league.id, actor(world, 1), new, DRAFTED)
    assert [(refusal.field, refusal.code) for refusal in offered.refusals] == [("message", "text")]
    fine = NewOffer(swap(world), "a", message="Deal? \U0001f468\u200d\U0001f33e")
    assert services.offer(world.league.id, actor(world, 1), fine, DRAFTED).trade_id is not None
