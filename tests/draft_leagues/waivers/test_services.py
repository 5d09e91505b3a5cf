"""Claims, free agents and runs in the database, also two at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues import league_clock
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import WaiverSettings
from app.draft_leagues.waivers import runs
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.models import WaiverClaim, WaiverRun
from app.draft_leagues.waivers.queries import availability, open_claims, why_in_vain
from app.draft_leagues.waivers.services import Wish
from app.draft_leagues.waivers.times import first_run_from
from app.fantasy.notices.models import Notice
from app.fantasy.rosters.queries import names_of, rosters_of, transactions_of
from app.fantasy.rosters.rules import Move, Transaction
from app.record.models import GameState
from tests.at_once import at_once
from tests.statements import count_statements
from tests.worlds.draft_leagues import DRAFTED, FIRST, SETTINGS, DraftWorld, make_drafted_league

DAY = timedelta(days=1)
BIDS = WaiverSettings("blind_bids", days=("WED", "SAT"))


@pytest.fixture
def bidding(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """Four drafted franchises with a waiver budget of 100 each."""
    return make_drafted_league(member, replace(SETTINGS, waivers=BIDS))


def dropped(world: DraftWorld) -> str:
    """A footballer whom franchise 4 has just dropped, who is on waivers therefore."""
    footballer = [*rosters_of(world.league.id).of(4)][-1]
    assert roster_acts.drop(world.league.id, world.members[3], footballer, DRAFTED) == []
    return footballer


def run_at(world: DraftWorld) -> datetime:
    settings = world.settings
    return first_run_from(settings.waivers, settings.time_zone, DRAFTED + timedelta(days=1))


def test_a_free_agent_is_added_at_once_and_by_one_of_two(app: Flask, drafted: DraftWorld) -> None:
    league_id, footballer = drafted.league.id, drafted.free("TE")[0]
    ann, bob = drafted.members[:2]
    answers = at_once(
        app,
        lambda: waivers.add(league_id, ann, Wish(footballer), DRAFTED),
        lambda: waivers.add(league_id, bob, Wish(footballer), DRAFTED),
    )
    assert sorted(map(len, answers)) == [0, 1]
    [[refused]] = [answer for answer in answers if answer]
    assert refused.text.endswith("is on another team. Offer a trade instead.")
    assert rosters_of(league_id).places[footballer].franchise == answers.index([]) + 1


def test_whoever_was_dropped_is_claimed_and_the_run_says_why(bidding: DraftWorld) -> None:
    league_id, footballer = bidding.league.id, dropped(bidding)
    ann, bob, cat, _ = bidding.members
    [refused] = waivers.add(league_id, ann, Wish(footballer), DRAFTED)
    assert refused.text.endswith("is on waivers. Place a claim for the next run.")
    [refused] = waivers.claim(league_id, ann, Wish(footballer, bid=101), DRAFTED)
    assert refused.text == "Bid between 0 and 100, your remaining budget."
    for member_id, bid in ((ann, 7), (bob, 12), (cat, 12)):
        assert waivers.claim(league_id, member_id, Wish(footballer, bid=bid), DRAFTED) == []
    dry = runs.preview(league_id, 2, run_at(bidding))
    assert rosters_of(league_id).places.get(footballer) is None
    assert league_clock.settle_all(run_at(bidding)) == 1
    assert rosters_of(league_id).places[footballer].franchise == 2
    assert rosters_of(league_id).budgets == {1: 100, 2: 88, 3: 100, 4: 100}
    claims = db.session.scalars(select(WaiverClaim).order_by(WaiverClaim.franchise)).all()
    assert [(row.result, row.reason) for row in claims] == [
        ("lost", "Lost to Bob FC, who bid 12; you bid 7."),
        ("won", "Won with a bid of 12."),
        ("lost", "Lost to Bob FC, who also bid 12 and had better priority."),
    ]
    assert [(each.claim.id, each.reason) for each in dry.outcomes] == [
        (claims[1].id, "Won with a bid of 12.")
    ]
    titles = db.session.scalars(
        select(Notice.title).where(Notice.key.startswith("waivers:")).order_by(Notice.member_id)
    ).all()
    name = names_of([footballer])[footballer]
    assert [title.rpartition(": ")[2] for title in titles] == [
        "no claims won",
        f"you got {name}",
        "no claims won",
    ]


def test_a_run_that_is_begun_twice_happens_once(app: Flask, bidding: DraftWorld) -> None:
    league_id, footballer = bidding.league.id, dropped(bidding)
    waivers.claim(league_id, bidding.members[0], Wish(footballer, bid=3), DRAFTED)
    at = run_at(bidding)
    ids = at_once(app, *[lambda: runs.run(league_id, at, at)] * 3)
    assert len([run_id for run_id in ids if run_id is not None]) == 1
    assert league_clock.settle_all(at) == 0
    claimed = [each for each in transactions_of(league_id) if each.transaction.kind == "claimed"]
    assert len(claimed) == 1


def test_a_run_for_more_teams_takes_no_more_statements(bidding: DraftWorld) -> None:
    league_id, members = bidding.league.id, bidding.members

    def statements(claimants: Sequence[int], now: datetime) -> int:
        """Those of a run in which each of these claims who was dropped by the franchise before."""
        footballers = []
        for number in claimants:
            footballer = [*rosters_of(league_id).of(number)][-1]
            assert roster_acts.drop(league_id, members[number - 1], footballer, now) == []
            footballers.append(footballer)
        for number, footballer in zip(claimants, [*footballers[1:], footballers[0]], strict=True):
            wish = Wish(footballer, bid=1)
            assert waivers.claim(league_id, members[number - 1], wish, now) == []
        at = first_run_from(bidding.settings.waivers, bidding.settings.time_zone, now + DAY)
        with count_statements() as counted:
            assert runs.run(league_id, at, at) is not None
        won = {rosters_of(league_id).places[each].franchise for each in footballers}
        assert won == set(claimants)
        return counted()

    assert statements([1], DRAFTED + 7 * DAY) == statements([1, 2, 3, 4], DRAFTED + 14 * DAY)


def test_a_run_is_taken_back_and_decided_anew(bidding: DraftWorld) -> None:
    league_id, footballer = bidding.league.id, dropped(bidding)
    ann, bob = bidding.members[:2]
    for member_id, bid in ((ann, 5), (bob, 9)):
        waivers.claim(league_id, member_id, Wish(footballer, bid=bid), DRAFTED)
    league_clock.settle_all(run_at(bidding))
    run_id = db.session.scalars(select(WaiverRun.id)).one()
    before = rosters_of(league_id)
    for _ in range(2):
        refused = runs.repeat(
            league_id, run_id, by_member_id=ann, reason="Again", now=run_at(bidding)
        )
        assert refused == []
    assert rosters_of(league_id) == before
    kinds = [each.transaction.kind for each in transactions_of(league_id)][-5:]
    assert kinds == ["claimed", "reversed", "claimed", "reversed", "claimed"]


def test_claims_are_ordered_cancelled_and_sent_twice(bidding: DraftWorld) -> None:
    league_id, ann = bidding.league.id, bidding.members[0]
    first = dropped(bidding)
    second = dropped(bidding)
    for _ in range(2):
        for footballer in (first, second):
            assert waivers.claim(league_id, ann, Wish(footballer, bid=1), DRAFTED) == []
    rows = db.session.scalars(select(WaiverClaim).order_by(WaiverClaim.position)).all()
    assert [row.footballer_id for row in rows] == [first, second]
    assert waivers.reorder(league_id, ann, rows[1].id, 1, DRAFTED) == []
    rows = db.session.scalars(select(WaiverClaim).order_by(WaiverClaim.position)).all()
    assert [row.footballer_id for row in rows] == [second, first]
    assert waivers.cancel(league_id, ann, rows[0].id, DRAFTED) == []
    assert waivers.cancel(league_id, ann, rows[0].id, DRAFTED) == [waivers.NO_CLAIM]
    assert waivers.cancel(league_id, bidding.members[1], rows[1].id, DRAFTED) == [waivers.NO_CLAIM]


def test_with_as_many_claims_as_allowed_a_bid_can_still_be_changed(
    bidding: DraftWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waivers, "MOST_CLAIMS", 1)
    league_id, ann = bidding.league.id, bidding.members[0]
    first, second = dropped(bidding), dropped(bidding)
    assert waivers.claim(league_id, ann, Wish(first, bid=1), DRAFTED) == []
    assert waivers.claim(league_id, ann, Wish(second, bid=1), DRAFTED) == [waivers.TOO_MANY]
    assert waivers.claim(league_id, ann, Wish(first, bid=9), DRAFTED) == []
    assert db.session.scalars(select(WaiverClaim.bid)).all() == [9]


def test_claims_that_cannot_win_any_more_say_why_and_what_to_do(bidding: DraftWorld) -> None:
    league_id, ann = bidding.league.id, bidding.members[0]
    taken, claimed, dear = (dropped(bidding) for _ in range(3))
    teammate, other = [*rosters_of(league_id).of(1)][:2]
    for wish in (
        Wish(taken),
        Wish(claimed, teammate),
        Wish(dear, other, bid=90),
        Wish(claimed, other),
    ):
        assert waivers.claim(league_id, ann, wish, DRAFTED) == []
    bidding.record(Transaction("commissioner", (Move(taken, None, 2),), reason="Agreed."))
    bidding.record(Transaction("dropped", (Move(teammate, 1, None),)))
    claims = open_claims(league_id, 1)
    names = names_of([taken, claimed, dear, teammate, other])
    reasons = why_in_vain(claims, rosters_of(league_id), names, 80)
    assert [reasons.get(row.id) for row in claims] == [
        f"{names[taken]} is on a team now. Cancel this claim.",
        f"{names[teammate]} is no longer on your team. Claim again with another drop.",
        "You have 80 left. Lower your bid.",
        None,
    ]


def test_whoever_plays_is_on_waivers_until_the_run_after_the_last_game(
    drafted: DraftWorld,
) -> None:
    now = FIRST + timedelta(hours=1)
    free = [footballer for position in ("QB", "RB", "WR") for footballer in drafted.free(position)]
    states = availability(drafted.league, drafted.settings, free, now)
    waiting = {state.clears_at for state in states.values() if not state.is_free}
    assert waiting == {first_run_from(drafted.settings.waivers, "America/New_York", now)}
    assert any(state.is_free for state in states.values())  # those of later games
    after = max(when for when in waiting if when is not None)
    states = availability(drafted.league, drafted.settings, free, after)
    assert all(state.is_free for state in states.values())


@pytest.mark.parametrize(
    "waivers_settings",
    [
        WaiverSettings("free"),
        WaiverSettings("blind_bids", locks_at_kickoff=False),
    ],
    ids=["without waivers", "without waivers for who has played"],
)
def test_whoever_has_played_is_free_when_the_game_has_ended(
    drafted: DraftWorld, waivers_settings: WaiverSettings
) -> None:
    """The rules page says "Free agents again when the game ends"; other games may go on."""
    now = FIRST + timedelta(hours=4)
    settings = replace(drafted.settings, waivers=waivers_settings)
    runners = [*drafted.free("RB"), *drafted.free("WR")]

    def playing() -> set[str]:
        states = availability(drafted.league, settings, runners, now)
        return {footballer for footballer, state in states.items() if not state.is_free}

    clubs = {footballer: footballer.split("-")[1] for footballer in runners}
    assert {clubs[footballer] for footballer in playing()} == {"HRB", "QRY", "ASH", "MES"}
    db.session.add(
        GameState(
            game_id="nfl-1-HRB",
            status="ended",
            home_score=3,
            away_score=0,
            state={},
            version=1,
            updated_at=now,
        )
    )
    db.session.commit()
    assert {clubs[footballer] for footballer in playing()} == {"ASH", "MES"}
