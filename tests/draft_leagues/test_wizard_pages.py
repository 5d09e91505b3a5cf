"""The wizard's pages: founding by a preset, and each step with its preview."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.drafts.models import DraftRow, DraftSeat
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.setting_words import STEPS
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings
from app.draft_leagues.setup.services import settings_for
from app.fantasy.market.models import Season
from app.fantasy.standings.models import League
from tests.worlds.draft_season import make_draft_season

FOUNDED = {"name": "The Yard", "team_name": "Ann FC", "preset": "redraft", "access": "code"}
FOUNDED |= {"time_zone": "UTC"}


@pytest.fixture
def season(app: Flask) -> Season:
    """A season whose first deadline is next week, by the real clock."""
    return make_draft_season(clock.now() + timedelta(days=7), 2099, with_last_season=False)


@pytest.fixture
def ann(season: Season, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def found(ann: FlaskClient, **values: str) -> League:
    answer = ann.post("/leagues/draft/new", data=FOUNDED | values)
    assert answer.status_code == 303, re.findall(r"fault[^<>]*>([^<]*)<", answer.text)
    slug = answer.headers["Location"].split("/")[2]
    league: League = db.session.scalars(db.select(League).where(League.slug == slug)).one()
    return league


def fields_of(page: str) -> dict[str, list[str]]:
    """What a browser would send of the page's form."""
    values: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", page):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        is_off = re.search(r'type="(checkbox|radio)"', tag) and " checked" not in tag
        if name and not is_off:
            values.setdefault(name[1], []).append(value[1] if value else "")
    for name, options in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', page, re.S):
        chosen = re.search(r'<option selected value="([^"]*)"', options)
        values[name] = [chosen[1] if chosen else ""]
    return values


def post_step(
    ann: FlaskClient, league: League, step: str, changed: Mapping[str, str | list[str]], act: str
) -> str:
    address = f"/leagues/{league.slug}/setup/{step}"
    form = {**fields_of(ann.get(address).text), **changed, "act": act}
    answer = ann.post(address, data=form)
    return "saved" if answer.status_code == 303 else answer.text


def test_one_tap_founds_the_usual_league(ann: FlaskClient) -> None:
    league = found(ann)
    assert settings_for(league.id) == replace(PRESETS["redraft"], time_zone="UTC")
    teams = franchises.teams(league.id)
    assert [team.name for team in teams][:2] == ["Ann FC", "Team 2"]
    page = ann.get(f"/leagues/{league.slug}/setup?made=1").text
    assert "1 of 10 taken" in page
    assert "Half PPR, kickers and defense" in ann.get(f"/leagues/{league.slug}/rules").text


def test_a_new_league_offers_the_time_zone_of_the_browser_in_sight(ann: FlaskClient) -> None:
    page = ann.get("/leagues/draft/new").text
    assert page.index("data-own-zone") < page.index("<details")
    assert "js/draft_leagues/time_zone.js" in page
    refused = ann.post("/leagues/draft/new", data=FOUNDED | {"name": ""}).text
    assert "data-own-zone" not in refused, "what was typed stays"


def test_all_that_is_wrong_with_a_new_league_is_said_at_once(ann: FlaskClient) -> None:
    wrong = {"name": "", "team_name": "", "time_zone": "Nowhere/Land"}
    answer = ann.post("/leagues/draft/new", data=FOUNDED | wrong)
    assert answer.status_code == 422
    faults = re.findall(r'id="(name|team_name|time_zone)-fault"', answer.text)
    assert sorted(faults) == ["name", "team_name", "time_zone"]
    assert db.session.scalars(select(League)).all() == []


def test_every_preset_can_be_founded(ann: FlaskClient) -> None:
    for preset in PRESETS:
        league = found(ann, preset=preset)
        assert settings_for(league.id).roster.starters == PRESETS[preset].roster.starters


def test_a_small_league_gets_small_play_offs(ann: FlaskClient) -> None:
    assert settings_for(found(ann, franchises="4").id).season.playoff_teams == 4


def test_a_small_season_founds_the_league_that_its_page_offers(
    season: Season, ann: FlaskClient
) -> None:
    delete = text(
        "DELETE FROM footballer_seasons WHERE footballer_id IN (SELECT footballer_id FROM"
        " footballer_seasons WHERE season_id = :season AND position = 'K' OFFSET 8)"
    )
    db.session.execute(delete, {"season": season.id})
    db.session.commit()
    assert "8 teams. Half PPR" in ann.get("/leagues/draft/new").text
    assert settings_for(found(ann, preset="redraft").id).franchises == 8
    refused = ann.post("/leagues/draft/new", data=FOUNDED | {"franchises": "10"})
    assert "10 teams need 10 players at kicker" in unescape(refused.text)
    assert "<details open>" in refused.text, "the field to change is in sight"


def test_faults_stand_at_their_fields(ann: FlaskClient) -> None:
    answer = ann.post(
        "/leagues/draft/new", data=FOUNDED | {"name": "", "franchises": "40", "preset": "redraft"}
    )
    assert answer.status_code == 422
    assert re.search(r'id="franchises-fault">Enter a whole number from 2 to 32', answer.text)
    answer = ann.post("/leagues/draft/new", data=FOUNDED | {"name": ""})
    assert 'id="name-fault"' in answer.text


def test_a_step_shows_the_settings_and_saves_them_unchanged(ann: FlaskClient) -> None:
    league = found(ann)
    before = settings_for(league.id)
    for step in STEPS:
        assert "No changes yet." in post_step(ann, league, step, {}, "preview"), step
        assert post_step(ann, league, step, {}, "save") == "saved", step
        db.session.rollback()
        assert settings_for(league.id) == before, step


def saved(
    ann: FlaskClient, step: str, changed: Mapping[str, str | list[str]], **preset: str
) -> DraftLeagueSettings:
    league = found(ann, **preset)
    league_id = league.id
    result = post_step(ann, league, step, changed, "save")
    assert result == "saved", re.findall(r"fault[^<]*>([^<]*)<", result)
    db.session.rollback()
    return settings_for(league_id)


def test_steps_save_what_was_typed(ann: FlaskClient) -> None:
    assert saved(ann, "league", {"franchises": "12"}).franchises == 12
    roster = saved(ann, "roster", {"QB": "2", "DST": "0", "best_ball": "y"}).roster
    assert (roster.starters[0].slot, roster.starters[0].count) == ("QB", 2)
    assert "DST" not in [each.slot for each in roster.starters]
    assert roster.best_ball
    draft = saved(ann, "draft", {"kind": "auction", "has_night_pause": "y"}).draft
    assert draft.kind == "auction"
    assert draft.night_pause is not None
    waivers = saved(ann, "waivers", {"kind": "blind_bids", "days": ["TUE", "SUN"]}).waivers
    assert waivers.days == ("TUE", "SUN")
    assert saved(ann, "trades", {"deadline_week": ""}).trades.deadline_week is None
    season = saved(ann, "season", {"playoff_teams": "4", "round_length": "long_final"}).season
    assert season.weeks_per_round == (1, 2)
    assert saved(ann, "keepers", {"most": "3"}).keepers.most == 3


def test_the_preview_tells_what_changes_and_saves_nothing(ann: FlaskClient) -> None:
    league = found(ann)
    page = post_step(ann, league, "season", {"playoff_teams": "4"}, "preview")
    assert "<dt>Playoffs</dt>" in page
    assert "6 teams" in page
    db.session.rollback()
    assert settings_for(league.id).season.playoff_teams == 6


def test_an_impossible_step_is_refused_at_its_field(ann: FlaskClient) -> None:
    league = found(ann)
    page = post_step(ann, league, "season", {"playoff_teams": "12"}, "save")
    assert 'id="playoff_teams-fault">The league has 10 teams.' in page
    page = post_step(ann, league, "season", {"regular_weeks": "16"}, "save")
    assert 'id="round_length-fault">The playoffs would end in Week 19' in page


def test_what_a_preview_refuses_names_its_field(ann: FlaskClient) -> None:
    league = found(ann)
    address = f"/leagues/{league.slug}/setup/season"
    form = {**fields_of(ann.get(address).text), "playoff_teams": "12", "act": "preview"}
    part = ann.post(address, data=form, headers={"HX-Request": "true"}).text
    assert re.search(r"Playoff teams:\s+The league has 10 teams\.", part), part


def test_only_the_commissioner_changes_settings(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient], member: Callable[..., Member]
) -> None:
    league = found(ann)
    address = f"/leagues/{league.slug}/setup"
    bob = sign_in(username="bob")
    assert bob.get(address).status_code == 404
    assert bob.post(f"/join/{league.invite_code}", data={"team_name": "Bob FC"}).status_code == 303
    page = bob.get(address)
    assert page.status_code == 200
    assert "2 of 10 taken" in page.text
    refused = bob.get(f"{address}/draft")
    assert (refused.status_code, "Only the commissioner can do this" in refused.text) == (403, True)
    assert bob.post(f"{address}/draft", data={"act": "save"}).status_code == 403
    assert ann.get(f"{address}/nothing").status_code == 404


def test_the_draft_is_planned_and_follows_the_league(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    league = found(ann, franchises="4")
    slug, code = league.slug, league.invite_code
    assert ann.get(f"/leagues/{slug}/draft").headers["Location"].endswith(f"/leagues/{slug}/setup")
    planned = {"starts_at": "2098-08-30T19:30", "order": "3, 1, 2, 4"}
    assert ann.post(f"/leagues/{slug}/setup/draft-date", data=planned).status_code == 303
    room = ann.get(f"/leagues/{slug}/draft").headers["Location"]
    draft = db.session.scalars(db.select(DraftRow)).one()
    assert draft.starts_at == datetime(2098, 8, 30, 19, 30, tzinfo=UTC)
    bob = sign_in(username="bob")
    assert bob.post(f"/join/{code}", data={"team_name": "Bob FC"}).status_code == 303
    assert post_step(ann, league, "league", {"franchises": "5"}, "save") == "saved"
    assert post_step(ann, league, "draft", {"seconds_per_pick": "30"}, "save") == "saved"
    assert bob.get(f"/leagues/{slug}/draft").headers["Location"] == room
    db.session.rollback()
    draft = db.session.scalars(db.select(DraftRow)).one()
    assert (list(draft.plan["order"]), draft.plan["seconds_per_pick"]) == ([3, 1, 2, 4, 5], 30)
    seats = db.session.scalars(db.select(DraftSeat).order_by(DraftSeat.franchise)).all()
    assert [seat.name for seat in seats] == ["Ann FC", "Bob FC", "Team 3", "Team 4", "Team 5"]


def test_an_impossible_date_is_refused(ann: FlaskClient) -> None:
    slug = found(ann, franchises="4").slug
    for field, value in (
        ("starts_at", "soon"),
        ("starts_at", "2020-01-01T10:00"),
        ("order", "1, 2"),
        ("order", "first"),
    ):
        answer = ann.post(f"/leagues/{slug}/setup/draft-date", data={field: value})
        assert answer.status_code == 422
        assert f'id="{field}-fault"' in answer.text


def test_a_later_save_does_not_take_back_an_earlier_one(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    """As line-ups do: "The lineup has changed since you opened this page"."""
    league = found(ann)
    address = f"/leagues/{league.slug}/setup/waivers"
    first, second = (fields_of(ann.get(address).text) for _ in range(2))
    first |= {"hours_after_drop": ["5"], "act": ["save"]}
    second |= {"time": ["10:30"], "act": ["save"]}
    assert ann.post(address, data=first).status_code == 303
    late = ann.post(address, data=second)
    assert late.status_code == 422
    text = " ".join(re.findall(r"fault-note[^>]*>([^<]*)<", late.text))
    assert "Someone saved other settings after you opened this page: After a drop" in text
    assert "10:30" in text
    waivers = settings_for(league.id).waivers
    assert (waivers.hours_after_drop, waivers.time) == (5, "09:00")
    again = fields_of(late.text) | {"time": ["10:30"], "act": ["save"]}
    assert ann.post(address, data=again).status_code == 303
    waivers = settings_for(league.id).waivers
    assert (waivers.hours_after_drop, waivers.time) == (5, "10:30")


def test_a_form_that_is_sent_twice_is_saved_once(ann: FlaskClient) -> None:
    league = found(ann)
    address = f"/leagues/{league.slug}/setup/waivers"
    form = fields_of(ann.get(address).text) | {"hours_after_drop": ["5"], "act": ["save"]}
    assert [ann.post(address, data=form).status_code for _ in range(2)] == [303, 303]
    assert settings_for(league.id).waivers.hours_after_drop == 5


def test_a_preview_never_saves(ann: FlaskClient) -> None:
    """The library adds the button that was pressed last to what a form sends by itself."""
    page = ann.get(f"/leagues/{found(ann).slug}/setup/waivers").text
    assert re.search(r"""hx-trigger="change[^>]*hx-vals='{"act": "preview"}'""", page)


def test_another_step_may_have_changed_meanwhile(ann: FlaskClient) -> None:
    league = found(ann)
    waivers, trades = (f"/leagues/{league.slug}/setup/{step}" for step in ("waivers", "trades"))
    opened = fields_of(ann.get(waivers).text)
    others = fields_of(ann.get(trades).text) | {"review_hours": ["12"], "act": ["save"]}
    assert ann.post(trades, data=others).status_code == 303
    opened |= {"time": ["10:30"], "act": ["save"]}
    assert ann.post(waivers, data=opened).status_code == 303
    settings = settings_for(league.id)
    assert (settings.trades.review_hours, settings.waivers.time) == (12, "10:30")


def test_before_the_draft_a_team_has_the_whole_waiver_budget(ann: FlaskClient) -> None:
    slug = found(ann).slug
    address = f"/leagues/{slug}/setup/waivers"
    form = fields_of(ann.get(address).text) | {"kind": ["blind_bids"], "budget": ["80"]}
    assert ann.post(address, data=form | {"act": ["save"]}).status_code == 303
    roster, waivers = (ann.get(f"/leagues/{slug}/{path}").text for path in ("roster", "waivers"))
    assert "Waiver budget left: <strong>80</strong>" in roster
    assert "you have 80 left" in waivers
