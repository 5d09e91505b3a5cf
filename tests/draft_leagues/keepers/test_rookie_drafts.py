"""A dynasty in its second season: whole rosters stay, and rookies are drafted on top of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from app.core.db import db, transaction
from app.draft_leagues import league_clock
from app.draft_leagues.draft_planning import draft_of
from app.draft_leagues.drafts import acts
from app.draft_leagues.drafts.acts import Wish
from app.draft_leagues.drafts.founding import DraftToPlan, plan_for
from app.draft_leagues.drafts.queries import load_snapshot
from app.draft_leagues.drafts.ranking import load_pool
from app.draft_leagues.drafts.rules import Draft
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.keepers import rolling, services
from app.draft_leagues.models import SEASON, DraftLeague
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import DraftLeagueSettings, KeeperSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.trades.window import pick_range
from app.draft_leagues.transactions.services import record, settings_of
from app.draft_leagues.waivers import services as waivers
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.rosters.rules import PickMove, Transaction
from app.fantasy.standings.models import League
from tests.draft_leagues.keepers.conftest import SETTINGS, YEAR
from tests.draft_leagues.keepers.test_services import OFFSEASON, draft, members, roll
from tests.worlds.seasons import KICKOFF

DYNASTY = KeeperSettings(keeps_all=True, rookie_rounds=2)
ROOKIES = {"RB17", "RB18", "WR17", "WR18"}
AUGUST = KICKOFF + YEAR - timedelta(days=1)  # after the draft, before the first game
FIRST_GAME = KICKOFF + YEAR


@pytest.fixture
def rolled(found_league: Callable[..., League]) -> League:
    """Before the rookie draft. Bob has sold his pick of the first round to Ann."""
    old = found_league(DYNASTY)
    sale = PickMove(2027, 1, 2, from_franchise=2, to_franchise=1)
    with transaction():
        numbers = record(locked(old.id), [Transaction("traded", picks=(sale,))], OFFSEASON)
    assert isinstance(numbers, list)
    return roll(old)


def settings(league: League) -> DraftLeagueSettings:
    return settings_of(db.session.get_one(DraftLeague, league.id))


def commissioner(league: League) -> int:
    assert league.commissioner_id is not None
    return league.commissioner_id


def sizes(league: League) -> dict[int, int]:
    return dict(Counter(place.franchise for place in rosters_of(league.id).places.values()))


def test_whole_rosters_stay_and_rookies_come_on_top_until_owners_cut_them(rolled: League) -> None:
    ann = commissioner(rolled)
    services.close_now(rolled.id, ann, OFFSEASON)
    stayed = set(rosters_of(rolled.id).places)
    assert sizes(rolled) == {1: 3, 2: 3, 3: 3}  # a sold pick costs no keeper
    draft(rolled, ann)
    assert sizes(rolled) == {1: 6, 2: 4, 3: 5}
    places = rosters_of(rolled.id).places
    assert stayed < set(places)
    assert set(rosters_of(rolled.id).of(1)) - stayed < ROOKIES  # they come before free agents

    bob = members(rolled)[2]
    assert bob is not None
    free = next(f"RB{number}" for number in range(1, 17) if f"RB{number}" not in places)
    [refused] = waivers.add(rolled.id, bob, waivers.Wish(free), AUGUST)
    assert refused.code == "too_large"
    assert "Your roster has 4 players but room for 3. Drop 1 first." in refused.text
    mine = list(rosters_of(rolled.id).of(2))
    assert roster_acts.drop(rolled.id, bob, mine[0], AUGUST) == []
    [full] = waivers.add(rolled.id, bob, waivers.Wish(free), AUGUST)
    assert full.code == "active_full"

    assert league_clock.settle(rolled.id, FIRST_GAME - timedelta(seconds=1)) == 0
    assert league_clock.settle(rolled.id, FIRST_GAME) == 5  # Ann's 3, and 2 of the free team
    assert sizes(rolled) == {1: 3, 2: 3, 3: 3}
    assert league_clock.settle(rolled.id, FIRST_GAME) == 0
    assert set(rosters_of(rolled.id).of(2)) == set(mine[1:])


def test_the_draft_offers_rookies_first_and_nobody_who_is_on_a_roster(rolled: League) -> None:
    services.close_now(rolled.id, commissioner(rolled), OFFSEASON)
    new = DraftToPlan(
        rolled.name, rolled.season_id, settings(rolled), (), keepers=services.planned(rolled.id)
    )
    plan = plan_for(new, (1, 2, 3))
    state = Draft(plan)
    assert not state.picks  # keepers cost no picks
    pool = load_pool(rolled.season_id, plan)
    by_position = [each.id for each in pool.footballers if each.position in ("RB", "WR")]
    assert set(by_position[:4]) == ROOKIES
    mine = next(iter(rosters_of(rolled.id).of(1)))
    assert acts.footballer_refusal(state, mine, pool.position_of(mine)) == acts.TAKEN

    keepers = replace(settings(rolled).keepers, rookies_only=True)
    only = plan_for(replace_settings(new, replace(settings(rolled), keepers=keepers)), (1, 2, 3))
    pool = load_pool(rolled.season_id, only)
    assert {each.id for each in pool.footballers if each.position in ("RB", "WR")} == ROOKIES
    wish = Wish(1, "RB16", pool.position_of("RB16"))
    assert acts.footballer_refusal(state, wish.footballer_id, wish.position) == acts.UNKNOWN


def replace_settings(new: DraftToPlan, other: DraftLeagueSettings) -> DraftToPlan:
    return DraftToPlan(new.name, new.season_id, other, new.seats, keepers=new.keepers)


def test_picks_of_rookie_drafts_are_traded_from_the_first_season_on(
    found_league: Callable[..., League],
) -> None:
    old = found_league(DYNASTY)
    draft_league = db.session.get_one(DraftLeague, old.id)
    assert pick_range(draft_league, settings(old)).rounds == {2027: 2}
    new = roll(old)
    draft_league = db.session.get_one(DraftLeague, new.id)
    assert pick_range(draft_league, settings(new)).rounds == {2027: 2, 2028: 2}


def test_only_a_league_that_goes_on_drafts_rookies(rolled: League) -> None:
    ordinary = rolling.settings_of_next(SETTINGS)
    assert (ordinary.draft_rounds, ordinary.draft) == (3, SETTINGS.draft)
    first = replace(SETTINGS, keepers=DYNASTY, draft=replace(SETTINGS.draft, kind="snake"))
    assert (first.drafts_rookies, first.draft_rounds, first.later_rounds) == (False, 3, 2)
    second = rolling.settings_of_next(first)
    assert (second.draft_rounds, second.draft.kind) == (2, "linear")
    snake = replace(second, draft=first.draft)
    assert rolling.settings_of_next(snake).draft.kind == "snake"  # what a commissioner chose stays

    other = replace(settings(rolled), continues_rosters=False)
    assert setup.change_settings(rolled.id, other, OFFSEASON) == []
    assert settings(rolled).drafts_rookies  # it follows from how the league began


def test_pages_say_what_to_cut(rolled: League, sign_in: Callable[..., FlaskClient]) -> None:
    ann = commissioner(rolled)
    services.close_now(rolled.id, ann, OFFSEASON)
    draft(rolled, ann)
    assert db.session.get_one(DraftLeague, rolled.id).phase == SEASON
    row = draft_of(rolled.id)
    assert row is not None
    assert len(load_snapshot(row.id).draft.footballers_of(1)) == 6
    client = sign_in(username="ann")
    page = client.get(f"/leagues/{rolled.slug}/roster").text
    assert "6 players, room for 3." in page
    assert "Drop 3 before you add anyone" in page
    room = client.get(f"/drafts/{row.id}").text
    assert "If your roster is over the limit, drop players before the first game" in room
    assert "Set your lineup" not in room
    places = rosters_of(rolled.id).places
    free = next(f"RB{number}" for number in range(1, 17) if f"RB{number}" not in places)
    wish = client.get(f"/leagues/{rolled.slug}/waivers/claim/{free}")
    assert re.search(r"over the limit: <a [^>]*>drop 3</a>\s+first", wish.text), wish.text
