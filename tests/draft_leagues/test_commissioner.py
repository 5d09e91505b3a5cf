"""A commissioner's acts, and members' acts on their own rosters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.franchises.refusals import LOCKED
from app.draft_leagues.franchises.services import co_commissioners, runs_league, teams
from app.draft_leagues.roster_acts import services as roster_acts
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import FootballerSeason
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import Move, Place
from app.fantasy.standings.models import LeagueMember
from tests.worlds.draft_leagues import DRAFTED, DraftWorld

BY = By(1, "They asked me to.")  # the founder


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
def test_an_act_on_behalf_has_a_reason_and_can_be_taken_back(drafted: DraftWorld) -> None:
    league_id, ann = drafted.league.id, drafted.members[0]
    before = rosters_of(league_id)
    [owned, *_] = before.of(3)
    moves = [Move(owned, 3, 2)]
    refused = commissioner.act(league_id, moves, by_member_id=ann, reason=" ", now=DRAFTED)
    assert refused == [commissioner.REASON]
    number = commissioner.act(
        league_id, moves, by_member_id=ann, reason="Dan's phone broke", now=DRAFTED
    )
    assert isinstance(number, int)
    assert rosters_of(league_id).places[owned] == Place(2)
    commissioner.reverse(league_id, number, by_member_id=ann, reason="He has it", now=DRAFTED)
    assert rosters_of(league_id).places == before.places
    act, back = transactions_of(league_id)[-2:]
    assert (act.transaction.reason, back.transaction.reason) == ("Dan's phone broke", "He has it")
    assert back.transaction.depends_on == number


def test_a_locked_team_does_nothing(drafted: DraftWorld) -> None:
    league_id, bob = drafted.league.id, drafted.members[1]
    [owned, *_] = rosters_of(league_id).of(2)
    assert commissioner.set_locked(league_id, 2, BY, DRAFTED, is_locked=True) == []
    assert roster_acts.drop(league_id, bob, owned, DRAFTED) == [LOCKED]
    assert commissioner.set_locked(league_id, 2, BY, DRAFTED, is_locked=False) == []
    assert roster_acts.drop(league_id, bob, owned, DRAFTED) == []
    [refused] = roster_acts.drop(league_id, bob, owned, DRAFTED)
    assert refused.text.endswith("is no longer on your team. Check your roster.")


def test_injured_reserve_takes_only_who_will_not_play(drafted: DraftWorld) -> None:
    league_id, bob = drafted.league.id, drafted.members[1]
    first, second = [*rosters_of(league_id).of(2)][:2]
    for footballer, status in ((first, "doubtful"), (second, "injured")):
        on_market = db.session.get_one(FootballerSeason, (drafted.season.season_id, footballer))
        on_market.status = status
    db.session.commit()
    [refused] = roster_acts.move(league_id, bob, first, "reserve", DRAFTED)
    assert "is doubtful. Injured reserve is only for players" in refused.text
    assert roster_acts.move(league_id, bob, second, "reserve", DRAFTED) == []
    assert second not in drafted.lineup(2)
    assert rosters_of(league_id).places[second] == Place(2, "reserve")
    assert roster_acts.move(league_id, bob, second, "active", DRAFTED) == []
    assert second in drafted.lineup(2)


def test_a_franchise_keeps_its_history_when_its_owner_changes(
    drafted: DraftWorld, member: Callable[..., Member]
) -> None:
    league, cat = drafted.league, drafted.members[2]
    lineup = drafted.lineup(3)
    [refused] = commissioner.open_franchise(league.id, 1, BY, DRAFTED)
    assert refused == commissioner.HAND_OVER_FIRST
    assert commissioner.open_franchise(league.id, 3, BY, DRAFTED) == []
    assert db.session.get(LeagueMember, (league.id, cat)) is None
    eve = member("eve").id
    assert leagues.join(eve, league.id, "Eve FC", DRAFTED) is None
    [team] = [team for team in teams(league.id) if team.number == 3]
    assert (team.member_id, team.name) == (eve, "Eve FC")
    drafted.members = [*drafted.members[:2], eve, drafted.members[3]]
    assert drafted.lineup(3) == lineup
    frank = member("frank").id
    assert leagues.join(frank, league.id, "Frank FC", DRAFTED) == leagues.FULL


def test_nobody_leaves_with_a_team_that_has_drafted(drafted: DraftWorld) -> None:
    league, dan = drafted.league, drafted.members[3]
    assert leagues.leave(dan, league.id, DRAFTED) == leagues.DRAFTED
    assert leagues.remove(league.id, dan, DRAFTED) == leagues.REPLACE


def test_co_commissioners_run_the_league_too(drafted: DraftWorld) -> None:
    league_id, (ann, bob, cat, _) = drafted.league.id, drafted.members
    assert commissioner.set_co_commissioners(league_id, [bob], BY, DRAFTED) == []
    assert [runs_league(league_id, who) for who in (ann, bob, cat)] == [True, True, False]
    refused = commissioner.set_co_commissioners(league_id, [bob, 999_999], BY, DRAFTED)
    assert refused == [commissioner.NO_MEMBER]


def test_whoever_is_taken_out_of_the_league_runs_nothing_in_it_and_not_again_when_let_back(
    drafted: DraftWorld,
) -> None:
    """The office is a part of the membership (issue 47, A4): no list beside it can outlive it."""
    league_id, bob = drafted.league.id, drafted.members[1]
    commissioner.set_co_commissioners(league_id, [bob], BY, DRAFTED)
    assert commissioner.open_franchise(league_id, 2, BY, DRAFTED) == []
    assert (runs_league(league_id, bob), co_commissioners(league_id)) == (False, [])
    assert leagues.join(bob, league_id, "Bob FC", DRAFTED) is None
    assert (runs_league(league_id, bob), co_commissioners(league_id)) == (False, [])
