"""A league goes on: teams, picks and keepers, until the next draft."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from flask import Flask
from sqlalchemy import func, select

from app.core.db import db, transaction
from app.draft_leagues import draft_planning
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts import services as drafts
from app.draft_leagues.drafts.queries import load_snapshot
from app.draft_leagues.franchises.services import locked, teams
from app.draft_leagues.keepers import rolling, services
from app.draft_leagues.keepers.queries import choices, owned_before, planned
from app.draft_leagues.keepers.rules import Owned
from app.draft_leagues.models import SEASON, DraftLeague
from app.draft_leagues.season.history import chain
from app.draft_leagues.settings import KeeperSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.transactions.services import record, settings_of
from app.fantasy.notices.models import Notice
from app.fantasy.rosters.models import RosterSpot, RosterTransaction
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.rosters.rules import Move, PickMove, Transaction
from app.fantasy.sheets.context import deadline_words
from app.fantasy.standings.models import League
from tests.draft_leagues.drafts.plans import START, seconds

YEAR = timedelta(days=365)
OFFSEASON = START + YEAR - timedelta(days=30)
DEADLINE = OFFSEASON + timedelta(days=7)


def roll(league: League) -> League:
    assert league.commissioner_id is not None
    new = services.roll(league.id, league.commissioner_id, DEADLINE, OFFSEASON)
    assert isinstance(new, League), new
    return new


def members(league: League) -> dict[int, int | None]:
    return {team.number: team.member_id for team in teams(league.id)}


def roster(league: League, franchise: int) -> list[Owned]:
    return owned_before(league)[franchise]


def test_the_next_season_has_the_same_teams_and_is_made_once(
    found_league: Callable[..., League],
) -> None:
    old = found_league()
    new = roll(old)
    assert roll(old).id == new.id
    assert chain(new.id) == chain(old.id) == [old.id, new.id]
    before, after = members(old), members(new)
    assert [after[1], after[2]] == [before[1], before[2]]
    assert after[3] is None  # nobody ran it, and somebody may take it now
    assert [team.name for team in teams(new.id)][:2] == ["Ann FC", "Bob FC"]
    bodies = db.session.scalars(
        select(Notice.body).where(Notice.title.contains("continues in"))
    ).all()
    assert bodies == ["Choose your keepers before the deadline."] * 2


def test_a_season_that_is_on_does_not_go_on(found_league: Callable[..., League]) -> None:
    old = found_league()
    db.session.get_one(DraftLeague, old.id).phase = SEASON
    db.session.commit()
    assert old.commissioner_id is not None
    assert services.roll(old.id, old.commissioner_id, DEADLINE, OFFSEASON) == [rolling.NOT_OVER]
    bob = members(old)[2]
    assert bob is not None
    assert services.roll(old.id, bob, DEADLINE, OFFSEASON) == [services.NOT_YOURS]


def test_keepers_cost_rounds_and_occupy_them_in_the_draft(
    found_league: Callable[..., League],
) -> None:
    old = found_league()
    new = roll(old)
    ann, bob = members(new)[1], members(new)[2]
    assert ann is not None
    assert bob is not None
    assert [each.round for each in roster(new, 1)] == [1, 2, 3]
    first, second, third = (each.footballer_id for each in roster(new, 1))
    [refused] = services.choose(new.id, services.NewChoice(1, [first]), ann, OFFSEASON)
    assert refused.code == "no_round"
    assert services.choose(new.id, services.NewChoice(1, [third, second]), ann, OFFSEASON) == []
    assert services.choose(new.id, services.NewChoice(1, [third]), bob, OFFSEASON) == [
        services.NOT_YOURS
    ]
    hers = roster(new, 2)[2].footballer_id
    assert (
        services.choose(new.id, services.NewChoice(2, [hers]), ann, OFFSEASON) == []
    )  # she runs the league
    assert services.close_due(DEADLINE - seconds(1)) == 0
    assert services.close_due(DEADLINE) == 1
    assert services.close_due(DEADLINE) == 0
    assert services.choose(new.id, services.NewChoice(1, []), ann, DEADLINE) == [services.CLOSED]
    assert {(each.footballer_id, each.round) for each in planned(new.id)} == {
        (third, 2),
        (second, 1),
        (hers, 2),
    }
    draft(new, ann)
    owner = {who: place.franchise for who, place in rosters_of(new.id).places.items()}
    assert (owner[third], owner[second], owner[hers]) == (1, 1, 2)
    assert len(owner) == 9
    # A season later they cost a round less again.
    choice_of = {choice.footballer_id: choice for choice in choices(new.id)}
    assert (choice_of[hers].round, choice_of[hers].seasons) == (2, 1)


def draft(league: League, member_id: int) -> None:
    """The whole draft, by the clock."""
    start = START + YEAR
    plan = DraftDate(start, (1, 2, 3))
    assert draft_planning.schedule(league.id, plan, member_id, OFFSEASON) == []
    for second in range(0, 900, 10):
        drafts.advance_due(start + seconds(second))
    assert db.session.get_one(DraftLeague, league.id, populate_existing=True).phase == SEASON


def test_a_draft_that_begins_before_the_deadline_lets_the_choices_stand(
    found_league: Callable[..., League],
) -> None:
    old = found_league()
    new = roll(old)
    ann = members(new)[1]
    assert ann is not None
    footballer = roster(new, 1)[2].footballer_id
    assert services.choose(new.id, services.NewChoice(1, [footballer]), ann, OFFSEASON) == []
    start = OFFSEASON + timedelta(days=1)
    assert draft_planning.schedule(new.id, DraftDate(start, (1, 2, 3)), ann, OFFSEASON) == []
    drafts.advance_due(start)
    row = draft_planning.draft_of(new.id)
    assert row is not None
    state = load_snapshot(row.id).draft
    assert [(pick.footballer_id, pick.round) for pick in state.picks.values()] == [(footballer, 2)]
    assert rosters_of(new.id).places[footballer].franchise == 1
    assert services.close_due(DEADLINE) == 0


def test_a_claimed_footballer_costs_the_last_round_and_a_traded_one_keeps_the_cost(
    found_league: Callable[..., League],
) -> None:
    old = found_league()
    [first, *_], [other, *_] = rosters_of(old.id).of(1), rosters_of(old.id).of(2)
    with transaction():
        league = locked(old.id)
        numbers = record(
            league,
            [
                Transaction("commissioner", (Move(first, 1, None),)),
                Transaction("claimed", (Move(first, None, 2), Move(other, 2, None))),
                Transaction("claimed", (Move(other, None, 1),)),
                Transaction("traded", (Move(other, 1, 2), Move(first, 2, 1))),
            ],
            OFFSEASON - YEAR / 2,
        )
    assert isinstance(numbers, list), numbers
    new = roll(old)
    assert {each.footballer_id: each.round for each in roster(new, 1)}[first] is None
    ann = members(new)[1]
    assert ann is not None
    assert services.choose(new.id, services.NewChoice(1, [first]), ann, OFFSEASON) == []
    assert services.close_now(new.id, ann, OFFSEASON) == []
    assert [each.round for each in planned(new.id)] == [3]


def test_picks_traded_before_go_along(found_league: Callable[..., League]) -> None:
    old = found_league()
    with transaction():
        result = record(
            locked(old.id),
            [
                Transaction(
                    "traded",
                    picks=(PickMove(2027, 2, 1, from_franchise=1, to_franchise=2),),
                )
            ],
            OFFSEASON,
        )
    assert result == [10]
    new = roll(old)
    assert rosters_of(new.id).picks == {(2027, 2, 1): 2}
    ann = members(new)[1]
    assert ann is not None
    third = roster(new, 1)[2].footballer_id
    assert services.choose(new.id, services.NewChoice(1, [third]), ann, OFFSEASON) == []
    services.close_now(new.id, ann, OFFSEASON)
    assert [each.round for each in planned(new.id)] == [1]  # the second round's pick is Bob's


def test_a_dynasty_keeps_whoever_is_not_released(found_league: Callable[..., League]) -> None:
    old = found_league(KeeperSettings(keeps_all=True))
    new = roll(old)
    ann = members(new)[1]
    assert ann is not None
    mine = [each.footballer_id for each in roster(new, 1)]
    assert services.choose(new.id, services.NewChoice(1, mine[:2]), ann, OFFSEASON) == []
    services.close_now(new.id, ann, OFFSEASON)
    assert sorted(rosters_of(new.id).of(1)) == sorted(mine[:2])
    assert len(rosters_of(new.id).places) == 8
    draft(new, ann)
    assert set(mine[:2]) <= set(rosters_of(new.id).of(1))


def test_a_league_that_goes_on_keeps_its_teams_when_settings_change(
    found_league: Callable[..., League],
) -> None:
    new = roll(found_league())
    before = members(new)
    settings = settings_of(db.session.get_one(DraftLeague, new.id))
    more = settings.__class__(
        franchises=4,
        scoring=settings.scoring,
        time_zone=settings.time_zone,
        roster=settings.roster,
    )
    assert setup.change_settings(new.id, more, OFFSEASON) == [setup.GOES_ON]
    same = settings.__class__(
        franchises=3,
        scoring=settings.scoring,
        time_zone=settings.time_zone,
        roster=settings.roster,
    )
    assert setup.change_settings(new.id, same, OFFSEASON) == []
    assert members(new) == before


def test_two_workers_close_once(app: Flask, found_league: Callable[..., League]) -> None:
    new = roll(found_league())
    ann = members(new)[1]
    assert ann is not None
    footballer = roster(new, 1)[2].footballer_id
    assert services.choose(new.id, services.NewChoice(1, [footballer]), ann, OFFSEASON) == []

    def work(_: int) -> int:
        with app.app_context():
            return services.close_due(DEADLINE)

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(work, range(2)))
    db.session.rollback()
    assert db.session.scalar(select(func.count()).where(RosterSpot.league_id == new.id)) == 1
    log = select(func.count()).where(RosterTransaction.league_id == new.id)
    assert db.session.scalar(log) == 1


def test_keepers_are_chosen_before_the_seasons_first_game(
    found_league: Callable[..., League],
) -> None:
    """The page's own words: "The draft comes after it, before the season's first game"."""
    old = found_league()
    ann = old.commissioner_id
    assert ann is not None
    season = rolling.next_season(old)
    assert season is not None
    first = rolling.first_deadline(season.id, OFFSEASON)
    assert first is not None
    outcome = services.roll(old.id, ann, first, OFFSEASON)
    assert isinstance(outcome, list)
    [late] = outcome
    assert (late.code, late.field) == ("late", "deadline")
    assert "Choose an earlier keeper deadline" in late.text
    assert isinstance(services.roll(old.id, ann, first - timedelta(seconds=1), OFFSEASON), League)


def test_a_second_deadline_for_keepers_is_refused_with_the_first(
    found_league: Callable[..., League],
) -> None:
    old = found_league()
    roll(old)
    ann = old.commissioner_id
    assert ann is not None
    outcome = services.roll(old.id, ann, DEADLINE + timedelta(days=1), OFFSEASON)
    assert isinstance(outcome, list)
    [refused] = outcome
    assert refused.code == "goes_on"
    assert deadline_words(DEADLINE, "UTC") in refused.text
