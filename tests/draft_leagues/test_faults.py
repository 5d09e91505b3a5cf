"""Claims and trades under kills at every statement, repeated submissions and edges of the clock.

Nothing that was accepted is lost and nothing is doubled, by a count of the database in plain SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from random import Random

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import text

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues import league_clock
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import TradeSettings, WaiverSettings
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades import settling
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.queries import availability
from app.draft_leagues.waivers.services import Wish
from app.fantasy.rosters.queries import rosters_of
from tests.at_once import at_once
from tests.killing import kill_before_statement
from tests.sizes import size
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, Days, DraftWorld, make_drafted_league

STEPS = size("FAULT_STEPS", 50, 1200)
STRIDE = size("FAULT_STRIDE", 3, 1)  # acts are killed before each third statement, or before all
STATEMENTS = 30  # an act that is killed dies before one of so many; a shorter act is completed
NIGHTS = {
    "01:30": datetime(2026, 11, 1, 5, 30, tzinfo=UTC),  # the night has this time twice
    "02:30": datetime(2027, 3, 14, 7, 30, tzinfo=UTC),  # and this one never
}
# Runs at noon of every day; whoever is dropped is on waivers for an hour at least.
NIGHTLY = WaiverSettings(
    "blind_bids",
    budget=10_000,
    days=("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"),
    time="12:00",
    hours_after_drop=1,
)
REVIEWED = TradeSettings(review_hours=4, deadline_week=None)
LONG_BEFORE = Days(first=DRAFTED + timedelta(days=200))


@pytest.fixture
def world(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """Four franchises long before their first game, so that nobody's game begins meanwhile."""
    return make_drafted_league(
        member, replace(SETTINGS, waivers=NIGHTLY, trades=REVIEWED), days=LONG_BEFORE
    )


def drop(world: DraftWorld, franchise: int, now: datetime = DRAFTED) -> str:
    """Let a franchise drop the last of its roster, who is on waivers then."""
    footballer = [*rosters_of(world.league.id).of(franchise)][-1]
    member_id = world.members[franchise - 1]
    assert roster_acts.drop(world.league.id, member_id, footballer, now) == []
    return footballer


def clears_at(world: DraftWorld, footballer: str, now: datetime) -> datetime:
    """The run that decides claims for a footballer."""
    run_at = availability(world.league, world.settings, [footballer], now)[footballer].clears_at
    assert run_at is not None
    return run_at


def swap(world: DraftWorld, first: int, second: int, place: int = 0) -> Terms:
    """Two franchises exchange the footballers at this place of their rosters."""
    rosters = rosters_of(world.league.id)
    first_player, second_player = [*rosters.of(first)][place], [*rosters.of(second)][place]
    return Terms(
        (FootballerGift(first_player, first, second), FootballerGift(second_player, second, first))
    )


def dies(at: int, act: Callable[[], object]) -> bool:
    """Kill an act before one of its statements; False if it had ended before."""
    ended = []
    kill_before_statement(at, lambda: ended.append(act()))
    return not ended


def kill_everywhere(act: Callable[[], object], is_done: Callable[[], object]) -> int:
    """Kill an act before one of its statements after the other, until it ends.

    Returns how often it was sent. `is_done`: what is stored, which no killed act may change.
    """
    before = is_done()
    for sent, at in enumerate(count(0, STRIDE), start=1):
        if not dies(at, act):
            db.session.rollback()
            assert is_done() != before
            return sent
        assert is_done() == before, f"killed before statement {at}"
    raise AssertionError


# What the database holds, in plain SQL --------------------------------------------------------


def claim_rows(league_id: int) -> Counter[tuple[object, ...]]:
    """Every claim with the run that decided it and its bid."""
    rows = db.session.execute(
        text("""
            SELECT c.franchise, c.footballer_id, c.drop_id, c.bid, r.scheduled_for
            FROM waiver_claims c LEFT JOIN waiver_runs r ON r.id = c.run_id
            WHERE c.league_id = :league_id
        """),
        {"league_id": league_id},
    ).all()
    db.session.rollback()
    return Counter(tuple(row) for row in rows)


def number_of(query: str, league_id: int) -> int:
    number = db.session.execute(text(query), {"league_id": league_id}).scalar_one()
    db.session.rollback()
    return int(number)


WON_WITHOUT_ENTRY = """
    SELECT count(*) FROM waiver_claims c
    WHERE c.league_id = :league_id AND c.result = 'won' AND 1 <> (
      SELECT count(*) FROM roster_transactions t
      WHERE t.league_id = c.league_id AND t.kind = 'claimed'
        AND t.source LIKE 'waivers:' || c.run_id || ':%:' || c.id)
"""
CLAIMED_TWICE = """
    SELECT count(*) FROM (
      SELECT 1 FROM waiver_claims WHERE league_id = :league_id AND result = 'won'
      GROUP BY run_id, footballer_id HAVING count(*) > 1) twice
"""
# A trade took effect exactly if its last event says so, and then the log has it once.
TRADES_LOST = """
    SELECT count(*) FROM trades t
    WHERE t.league_id = :league_id AND t.status = 'executed' AND NOT EXISTS (
      SELECT 1 FROM roster_transactions r
      WHERE r.league_id = t.league_id AND r.source = 'trade:' || t.id)
"""
TRADES_DOUBLED = """
    SELECT (SELECT count(*) FROM roster_transactions r
            WHERE r.league_id = :league_id AND r.kind = 'traded')
         - (SELECT count(*) FROM trades WHERE league_id = :league_id AND status = 'executed')
"""
EVENTS_DOUBLED = """
    SELECT count(*) FROM (
      SELECT 1 FROM trade_events e JOIN trades t ON t.id = e.trade_id
      WHERE t.league_id = :league_id
      GROUP BY e.trade_id, e.body ->> 'kind', e.body ->> 'franchise' HAVING count(*) > 1) twice
"""
# The last move of each footballer in the log against the spot that is stored.
OFF_THE_LOG = """
    WITH moves AS (
      SELECT DISTINCT ON (m ->> 'footballer_id') m ->> 'footballer_id' AS footballer_id,
        (m ->> 'to_franchise')::int AS franchise
      FROM roster_transactions t, jsonb_array_elements(t.content -> 'moves') m
      WHERE t.league_id = :league_id ORDER BY m ->> 'footballer_id', t.number DESC)
    SELECT count(*) FROM moves FULL JOIN
      (SELECT * FROM roster_spots WHERE league_id = :league_id) s USING (footballer_id)
    WHERE moves.franchise IS DISTINCT FROM s.franchise
"""


def test_claims_and_their_run_survive_a_kill_before_any_statement(
    world: DraftWorld, measured: Callable[[str], None]
) -> None:
    league_id, (ann, bob, cat, _) = world.league.id, world.members
    first, second = drop(world, 4), drop(world, 4)
    spare = [*rosters_of(league_id).of(2)][-1]
    wishes = [
        (ann, Wish(first, bid=5)),
        (bob, Wish(first, bid=9, group=1)),
        (bob, Wish(second, spare, bid=8, group=1)),
        (cat, Wish(second, bid=3)),
    ]
    sent = 0
    for member_id, wish in wishes:
        place = partial(waivers.claim, league_id, member_id, wish, DRAFTED)
        sent += kill_everywhere(place, lambda: claim_rows(league_id))
        assert place() == []  # the answer was lost, and the member sends it again
        sent += 1
    assert claim_rows(league_id).total() == len(wishes)

    run_at = clears_at(world, first, DRAFTED)
    kills = kill_everywhere(
        lambda: league_clock.settle_all(run_at),
        lambda: (claim_rows(league_id), rosters_of(league_id)),
    )
    assert league_clock.settle_all(run_at) == 0
    places = rosters_of(league_id).places
    assert [places[each].franchise for each in (first, second, spare)] == [2, 3, 2]
    assert rosters_of(league_id).budgets == {1: 10_000, 2: 9_991, 3: 9_997, 4: 10_000}
    lost = len(wishes) - len(claim_rows(league_id))
    doubled = claim_rows(league_id).total() - len(wishes) + number_of(CLAIMED_TWICE, league_id)
    assert (lost, doubled, number_of(WON_WITHOUT_ENTRY, league_id)) == (0, 0, 0)
    measured(
        f"claims, killed before their statements: {sent} sent, {len(wishes)} accepted, "
        f"{lost} lost, {doubled} doubled; their run was killed {kills - 1} times"
    )


def test_a_trade_survives_a_kill_before_any_statement(
    world: DraftWorld, measured: Callable[[str], None]
) -> None:
    league_id, (ann, bob, *_) = world.league.id, world.members
    terms = swap(world, 1, 2)
    ids: set[int | None] = set()

    def offer() -> None:
        ids.add(trades.offer(league_id, Actor(ann), NewOffer(terms, "offer"), DRAFTED).trade_id)

    def stored() -> object:
        return (
            number_of("SELECT count(*) FROM trade_events WHERE :league_id > 0", league_id),
            rosters_of(league_id),
        )

    sent = kill_everywhere(offer, stored)
    offer()
    [trade_id] = ids
    assert trade_id is not None

    def accept() -> None:
        assert trades.accept(league_id, trade_id, Actor(bob), (), DRAFTED) == []

    sent += kill_everywhere(accept, stored)
    accept()
    due = DRAFTED + timedelta(hours=4)
    kills = kill_everywhere(lambda: settling.settle_due(due), stored)
    assert settling.settle_due(due) == 0
    places = rosters_of(league_id).places
    assert [places[gift.footballer_id].franchise for gift in terms.footballers] == [2, 1]
    lost = number_of(TRADES_LOST, league_id)
    doubled = number_of(TRADES_DOUBLED, league_id) + number_of(EVENTS_DOUBLED, league_id)
    assert (lost, doubled, number_of(OFF_THE_LOG, league_id)) == (0, 0, 0)
    measured(
        f"trades, killed before their statements: {sent + 2} offers and acceptances sent, 1 trade "
        f"accepted, {lost} lost, {doubled} doubled; it was killed {kills - 1} times taking effect"
    )


def test_two_devices_send_the_same_claim_offer_and_acceptance_at_once(
    app: Flask, world: DraftWorld
) -> None:
    league_id, (ann, bob, cat, _) = world.league.id, world.members
    footballer = drop(world, 4)
    wish = Wish(footballer, bid=2)
    claimed = at_once(app, *[lambda: waivers.claim(league_id, ann, wish, DRAFTED)] * 3)
    assert claimed == [[], [], []]
    assert claim_rows(league_id).total() == 1

    first, second, third = (next(iter(rosters_of(league_id).of(number))) for number in (1, 2, 3))
    terms = Terms(
        (
            FootballerGift(first, 1, 2),
            FootballerGift(second, 2, 3),
            FootballerGift(third, 3, 1),
        )
    )
    new = NewOffer(terms, "one token")
    offered = at_once(app, *[lambda: trades.offer(league_id, Actor(ann), new, DRAFTED)] * 3)
    [trade_id] = {each.trade_id for each in offered}
    assert trade_id is not None
    accepted = at_once(
        app,
        *[lambda: trades.accept(league_id, trade_id, Actor(bob), (), DRAFTED)] * 2,
        *[lambda: trades.accept(league_id, trade_id, Actor(cat), (), DRAFTED)] * 2,
    )
    assert accepted == [[]] * 4
    at_once(app, *[lambda: settling.settle_due(DRAFTED + timedelta(hours=4))] * 3)
    places = rosters_of(league_id).places
    assert [places[each].franchise for each in (first, second, third)] == [2, 3, 1]
    assert number_of(TRADES_DOUBLED, league_id) == number_of(EVENTS_DOUBLED, league_id) == 0


def test_an_offer_is_withdrawn_or_accepted_never_both(app: Flask, world: DraftWorld) -> None:
    league_id, (ann, bob, *_) = world.league.id, world.members
    for turn in range(size("FAULT_RACES", 3, 40)):
        before = rosters_of(league_id)
        new = NewOffer(swap(world, 1, 2), f"race {turn}")
        trade_id = trades.offer(league_id, Actor(ann), new, DRAFTED).trade_id
        assert trade_id is not None
        withdrawn, accepted = at_once(
            app,
            partial(trades.withdraw, league_id, trade_id, Actor(ann), DRAFTED),
            partial(trades.accept, league_id, trade_id, Actor(bob), (), DRAFTED),
        )
        assert [withdrawn == [], accepted == []].count(True) == 1
        settling.settle_due(DRAFTED + timedelta(hours=4))
        assert (rosters_of(league_id) == before) == (withdrawn == [])
    assert number_of(TRADES_LOST, league_id) == number_of(TRADES_DOUBLED, league_id) == 0


def test_a_claim_in_the_last_moment_counts_and_a_later_one_does_not(world: DraftWorld) -> None:
    league_id, (ann, bob, *_) = world.league.id, world.members
    footballer = drop(world, 4)
    run_at = clears_at(world, footballer, DRAFTED)
    moment = timedelta(microseconds=1)
    assert waivers.claim(league_id, ann, Wish(footballer, bid=1), run_at - moment) == []
    assert league_clock.settle_all(run_at - moment) == 0
    # From the moment of the run on it comes first, also when the worker is late.
    [late] = waivers.claim(league_id, bob, Wish(footballer, bid=99), run_at)
    assert late.code == "owned"
    assert league_clock.settle_all(run_at) == 0
    assert rosters_of(league_id).places[footballer].franchise == 1
    assert claim_rows(league_id) == Counter([(1, footballer, None, 1, run_at)])


@pytest.mark.parametrize("time", NIGHTS)
def test_a_night_in_which_the_clocks_change_has_one_run(
    app: Flask, member: Callable[..., Member], time: str
) -> None:
    waiver_settings = replace(NIGHTLY, days=("SUN",), time=time)
    world = make_drafted_league(
        member, replace(SETTINGS, waivers=waiver_settings), days=LONG_BEFORE
    )
    league_id, expected = world.league.id, NIGHTS[time]
    evening = expected - timedelta(hours=3)
    league_clock.settle_all(evening)  # those of the weeks before
    footballer = drop(world, 4, evening)
    assert clears_at(world, footballer, evening) == expected
    assert waivers.claim(league_id, world.members[0], Wish(footballer, bid=1), evening) == []
    ticks = [evening + timedelta(minutes=30 * number) for number in range(12)]
    assert [tick for tick in ticks if league_clock.settle_all(tick)] == [expected]
    assert rosters_of(league_id).places[footballer].franchise == 1
    runs = "SELECT count(*) FROM waiver_runs WHERE league_id = :league_id AND scheduled_for > "
    assert number_of(f"{runs} '{evening.isoformat()}'", league_id) == 1


class History:
    """Members who claim and trade while processes die, with a count of what was accepted."""

    def __init__(self, app: Flask, world: DraftWorld, seed: int) -> None:
        self.app, self.world, self.luck = app, world, Random(seed)  # noqa: S311
        self.league_id = world.league.id
        self.now = DRAFTED
        self.claims_sent = self.trades_sent = self.deaths = 0
        self.claims: dict[tuple[object, ...], int] = {}  # the last bid of each claim
        self.offers: dict[str, int] = {}  # trades by token
        self.agreed: set[int] = set()
        self.waiting: dict[str, datetime] = {}  # who is on waivers, and until which run

    def play(self, steps: int) -> None:
        acts = (self.drop, self.claim, self.claim, self.trade, self.run, self.settle)
        for step in range(steps):
            self.now += timedelta(minutes=self.luck.choice([1, 40, 120]))
            self.luck.choice(acts)(step)
        self.now += timedelta(days=3)
        self.settle(steps)
        self.run(steps)

    def send(self, act: Callable[[], object]) -> tuple[object, int]:
        """Send an act once, twice at once, or again after its process died.

        Returns the last answer, and how often it was sent.
        """
        fate = self.luck.choice(["once", "at once", "killed"])
        if fate == "at once":
            return at_once(self.app, act, act)[-1], 2
        if fate == "killed":
            at = self.luck.randrange(STATEMENTS)
            self.deaths += dies(at, act)
            return act(), 2
        return act(), 1

    def look(self) -> None:
        """Whoever looks at the league settles what the clock has decided."""
        league_clock.settle(self.league_id, self.now)

    def drop(self, _: int) -> None:
        self.look()
        franchise = self.luck.randint(1, 4)
        roster = [*rosters_of(self.league_id).of(franchise)]
        db.session.rollback()
        if len(roster) > 4:
            who = self.luck.choice(roster)
            member_id = self.world.members[franchise - 1]
            assert roster_acts.drop(self.league_id, member_id, who, self.now) == []
            self.waiting[who] = clears_at(self.world, who, self.now)
            db.session.rollback()

    def claim(self, _: int) -> None:
        self.look()
        who = self.luck.choice([None, *self.waiting])
        if who is None or self.waiting[who] <= self.now:
            return
        franchise = self.luck.randint(1, 4)
        roster = [*rosters_of(self.league_id).of(franchise)]
        db.session.rollback()
        wish = Wish(
            who, self.luck.choice([None, *roster]), self.luck.randint(0, 9), self.luck.randint(1, 3)
        )
        member_id, now = self.world.members[franchise - 1], self.now
        answer, sent = self.send(lambda: waivers.claim(self.league_id, member_id, wish, now))
        self.claims_sent += sent
        assert answer == []
        self.claims[franchise, who, wish.drop_id, self.waiting[who]] = wish.bid

    def trade(self, step: int) -> None:
        self.look()
        first, second = self.luck.sample([1, 2, 3, 4], 2)
        terms, token = swap(self.world, first, second, self.luck.randrange(4)), f"step {step}"
        db.session.rollback()
        offerer, answerer = (Actor(self.world.members[number - 1]) for number in (first, second))
        now = self.now
        offered, sent = self.send(
            lambda: trades.offer(self.league_id, offerer, NewOffer(terms, token), now)
        )
        self.trades_sent += sent
        assert isinstance(offered, trades.Offered)
        trade_id = offered.trade_id
        assert trade_id is not None, offered.refusals
        self.offers[token] = trade_id
        if self.luck.random() < 0.2:
            return
        answer, sent = self.send(lambda: trades.accept(self.league_id, trade_id, answerer, (), now))
        self.trades_sent += sent
        assert answer == []
        self.agreed.add(trade_id)

    def run(self, _: int) -> None:
        now = self.now
        self.send(lambda: league_clock.settle_all(now))
        self.waiting = {who: run_at for who, run_at in self.waiting.items() if run_at > now}

    def settle(self, _: int) -> None:
        now = self.now
        self.send(lambda: settling.settle_due(now))


def test_any_history_of_claims_and_trades_loses_and_doubles_nothing(
    app: Flask, world: DraftWorld, measured: Callable[[str], None]
) -> None:
    history = History(app, world, 31)
    history.play(STEPS)
    league_id = world.league.id

    stored = claim_rows(league_id)
    accepted = Counter((*key[:3], bid, key[3]) for key, bid in history.claims.items())
    lost, doubled = (accepted - stored).total(), (stored - accepted).total()
    assert (lost, doubled) == (0, 0)
    assert number_of(CLAIMED_TWICE, league_id) == number_of(WON_WITHOUT_ENTRY, league_id) == 0

    rows = db.session.execute(
        text("SELECT token, id, status FROM trades WHERE league_id = :league_id"),
        {"league_id": league_id},
    ).all()
    assert {row.token.split(":")[2]: row.id for row in rows} == history.offers
    ended = {row.id for row in rows if row.status in ("executed", "failed")}
    lost_trades = len(history.agreed - ended) + number_of(TRADES_LOST, league_id)
    doubled_trades = (
        len(ended - history.agreed)
        + number_of(TRADES_DOUBLED, league_id)
        + number_of(EVENTS_DOUBLED, league_id)
    )
    assert (lost_trades, doubled_trades, number_of(OFF_THE_LOG, league_id)) == (0, 0, 0)
    assert history.deaths > 0
    measured(
        f"claims and trades in a history with {history.deaths} deaths: "
        f"{history.claims_sent} claims sent, {len(accepted)} accepted, {lost} lost, "
        f"{doubled} doubled; {history.trades_sent} offers and acceptances of trades sent, "
        f"{len(history.agreed)} trades accepted, {lost_trades} lost, {doubled_trades} doubled"
    )
