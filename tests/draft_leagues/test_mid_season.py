"""Settings that change after the draft: the preview, the change, and who hears of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from sqlalchemy import select
from werkzeug.datastructures import MultiDict

from app.core.bidi import isolated
from app.core.db import db, transaction
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.pages import wizard_views
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.setup import mid_season
from app.draft_leagues.setup.services import begin_draft, settings_for
from app.fantasy.notices.models import Notice
from app.fantasy.rosters.queries import rosters_of, transactions_of
from tests.draft_leagues.season.test_season import AFTER, play, world
from tests.worlds.draft_leagues import DRAFTED, FOUNDED, DraftWorld, make_draft_league

__all__ = ["world"]


def changed(world: DraftWorld, part: str, **values: object) -> DraftLeagueSettings:
    """The league's settings with these values of a part."""
    settings = settings_for(world.league.id)
    return replace(settings, **{part: replace(getattr(settings, part), **values)})


def test_a_longer_regular_season_gets_games_and_keeps_those_it_has(world: DraftWorld) -> None:
    play(world, 1, {1: 40, 2: 30, 3: 20, 4: 10})
    league_id, now = world.league.id, world.gameweek(1).deadline + AFTER
    before = load_season(league_id).pairs
    longer = changed(world, "season", regular_weeks=4, playoff_teams=2, weeks_per_round=(1,))
    effects = mid_season.preview(league_id, longer, now)
    assert isinstance(effects, mid_season.Effects), effects
    assert effects.added_weeks == [world.gameweek(4).name]
    assert effects.seeds is not None
    assert len(effects.seeds[1]) == 2
    assert load_season(league_id).pairs == before  # the preview is rolled back
    assert mid_season.change(league_id, longer, world.members[0], now) == []
    view = load_season(league_id)
    assert {week: view.pairs[week] for week in before} == before
    assert len(view.pairs[world.gameweek(4).id]) == 2
    shorter = changed(world, "season", regular_weeks=3)
    assert mid_season.change(league_id, shorter, world.members[0], now) == []
    assert load_season(league_id).pairs == before


def test_divisions_before_the_first_gameweek_draw_the_games_again(world: DraftWorld) -> None:
    league_id = world.league.id
    before = load_season(league_id)
    divided = changed(world, "season", divisions=2, rivals=((1, 2), (3, 4)), rivals_week=2)
    effects = mid_season.preview(league_id, divided, DRAFTED)
    assert isinstance(effects, mid_season.Effects), effects
    assert effects.is_redrawn
    assert load_season(league_id).pairs == before.pairs  # the preview is rolled back
    assert mid_season.change(league_id, divided, world.members[0], DRAFTED) == []
    view = load_season(league_id)
    assert view.divisions == {1: 1, 2: 2, 3: 1, 4: 2}
    assert {*map(frozenset, view.pairs[world.gameweek(2).id])} == {
        frozenset({1, 2}),
        frozenset({3, 4}),
    }
    assert view.pairs.keys() == before.pairs.keys()
    names = {team.number: isolated(team.name) for team in view.teams}
    assert transactions_of(league_id)[-1].transaction.reason.endswith(
        "The season's schedule was redrawn. "
        f"Division 1: {names[1]}, {names[3]}. Division 2: {names[2]}, {names[4]}."
    )


def test_other_places_before_the_first_gameweek_are_filled_from_the_roster(
    world: DraftWorld,
) -> None:
    league_id = world.league.id
    roster = settings_for(league_id).roster
    fewer = tuple(each for each in roster.starters if each.slot != "K")
    wide = changed(world, "roster", starters=fewer, bench=roster.bench + 2)
    before = world.lineup(1)
    assert isinstance(mid_season.preview(league_id, wide, DRAFTED), mid_season.Effects)
    assert world.lineup(1) == before
    assert mid_season.change(league_id, wide, world.members[0], DRAFTED) == []
    after = world.lineup(1)
    assert len(after) == wide.roster.active
    assert {*after} - {""} == {*rosters_of(league_id).of(1)}
    too_few = changed(world, "roster", starters=fewer[:1], bench=0)
    refused = mid_season.change(league_id, too_few, world.members[0], DRAFTED)
    assert "roster.bench" in {refusal.field for refusal in refused}


def test_another_tie_break_moves_places_and_everybody_hears_of_it(world: DraftWorld) -> None:
    play(world, 1, {1: 40, 2: 30, 3: 20, 4: 10})
    league_id, now = world.league.id, world.gameweek(1).deadline + AFTER
    with_median = changed(world, "season", median_game=True, tie_breaks=("points_against",))
    before = [place.franchise for place in load_season(league_id).table]
    effects = mid_season.preview(league_id, with_median, now)
    assert isinstance(effects, mid_season.Effects), effects
    assert mid_season.change(league_id, with_median, world.members[0], now) == []
    after = [place.franchise for place in load_season(league_id).table]
    assert {(each.franchise, each.before, each.after) for each in effects.places} == {
        (number, before.index(number) + 1, after.index(number) + 1)
        for number in after
        if before.index(number) != after.index(number)
    }
    last = transactions_of(league_id)[-1].transaction
    assert (last.kind, last.by_member_id) == ("commissioner", world.members[0])
    assert "Settings changed." in last.reason
    bodies = db.session.scalars(select(Notice.body).where(Notice.title.contains("settings"))).all()
    assert bodies == [last.reason] * 4
    assert mid_season.change(league_id, with_median, world.members[0], now) == []
    assert transactions_of(league_id)[-1].transaction == last  # sent again, it changes nothing


def test_bids_bring_a_budget_and_a_smaller_one_takes_of_it(world: DraftWorld) -> None:
    league_id, now = world.league.id, world.gameweek(1).deadline
    for budget in (80, 50):
        bids = changed(world, "waivers", kind="blind_bids", budget=budget)
        assert mid_season.change(league_id, bids, world.members[0], now) == []
        assert rosters_of(league_id).budgets == dict.fromkeys((1, 2, 3, 4), budget)
    without = changed(world, "waivers", kind="rolling")
    assert mid_season.change(league_id, without, world.members[0], now) == []
    again = changed(world, "waivers", kind="blind_bids", budget=60)
    effects = mid_season.preview(league_id, again, now)
    assert isinstance(effects, mid_season.Effects), effects
    assert effects.budgets == dict.fromkeys((1, 2, 3, 4), 10)


def test_substitutes_count_in_all_gameweeks(world: DraftWorld) -> None:
    play(world, 1, {1: 40, 2: 30, 3: 20, 4: 10})
    league_id, now = world.league.id, world.gameweek(1).deadline + AFTER
    with_substitutes = changed(world, "roster", substitutes_come_on=True)
    points = load_season(league_id).points
    effects = mid_season.preview(league_id, with_substitutes, now)
    assert isinstance(effects, mid_season.Effects), effects
    assert effects.scores == []  # nobody of these line-ups has played, and nobody of the bench
    assert mid_season.change(league_id, with_substitutes, world.members[0], now) == []
    assert load_season(league_id).points == points


def test_a_draft_that_runs_changes_nothing(member: Callable[..., Any]) -> None:
    world = make_draft_league(member)
    with transaction():
        begin_draft(locked(world.league.id))
    later = changed(world, "trades", review="none")
    assert mid_season.change(world.league.id, later, world.members[0], FOUNDED) == [
        mid_season.DRAFTS_NOW
    ]


def form_of(page: str) -> MultiDict[str, str]:
    """The values that the form of a step shows."""
    values: MultiDict[str, str] = MultiDict()
    for tag in re.findall(r"<input[^>]+>", page):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        is_off = 'type="checkbox"' in tag or 'type="radio"' in tag
        if name and (not is_off or " checked" in tag):
            values.add(name[1], value[1] if value else "")
    for name, options in re.findall(r'<select[^>]+name="([^"]+)"[^>]*>(.*?)</select>', page, re.S):
        chosen = re.search(r'<option selected value="([^"]*)"', options)
        values.add(name, chosen[1] if chosen else "")
    return values


def test_the_step_previews_what_follows_and_saves_it(
    world: DraftWorld, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(world, 1, {1: 40, 2: 30, 3: 20, 4: 10})
    now = world.gameweek(1).deadline + AFTER
    monkeypatch.setattr(wizard_views, "now", lambda: now)
    ann = sign_in(username="ann")
    address = f"/leagues/{world.league.slug}/setup"
    settings = ann.get(f"/leagues/{world.league.slug}/commissioner").text
    assert f"{address}/waivers" in settings
    assert f'{address}/draft"' not in settings
    form = form_of(ann.get(f"{address}/waivers").text)
    form.setlist("kind", ["blind_bids"])
    preview = " ".join(ann.post(f"{address}/waivers", data=form).text.split())
    assert "Ann FC⁩ gets 100 in waiver budget." in preview or (
        "Ann FC gets 100 in waiver budget." in preview
    )
    assert settings_for(world.league.id).waivers.kind == "rolling"
    form.add("act", "save")
    saved = ann.post(f"{address}/waivers", data=form)
    assert saved.status_code == 303
    assert settings_for(world.league.id).waivers.kind == "blind_bids"
    season = form_of(ann.get(f"{address}/season").text)
    season.setlist("divisions", ["2"])
    refused = ann.post(f"{address}/season", data=season)
    assert refused.status_code == 422
    assert "the schedule is fixed" in refused.text
    assert db.session.get_one(DraftLeague, world.league.id).phase == "season"
