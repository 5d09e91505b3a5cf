"""Pages of the season: standings with reasons, the schedule, the bracket."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace

from app.accounts.models import Member
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.season.services import update
from app.fantasy.gameweeks import live
from app.fantasy.market.gameweeks import gameweek_row
from app.fantasy.pages.league.page import TableContext
from app.fantasy.standings.queries import league_for_viewer
from tests.draft_leagues.season.test_season import AFTER, adjust, play, world
from tests.worlds.draft_leagues import SETTINGS, DraftWorld, make_draft_league, make_drafted_league

__all__ = ["world"]

PAGES = [
    *("roster", "keepers"),
    *("players", "waivers", "trades", "transactions", "rankings"),
    *("standings", "schedule", "bracket", "history", "recap", "race", "members", "rules"),
    *("records", "setup"),
]


@pytest.fixture
def ann(world: DraftWorld, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def get(client: FlaskClient, world: DraftWorld, page: str) -> str:
    answer = client.get(f"/leagues/{world.league.slug}/{page}")
    assert answer.status_code == 200
    return answer.text


def plain(page: str) -> str:
    """The page without the marks that keep names of other scripts apart."""
    return page.replace("\u2068", "").replace("\u2069", "")


def bracket_tag(page: str) -> str:
    return page[page.index('<div id="bracket"') :].partition(">")[0]


def test_the_standings_say_why_each_place_is_what_it_is(
    ann: FlaskClient, world: DraftWorld
) -> None:
    play(world, 1, {1: 10, 2: 10, 3: 10, 4: 10})
    page = get(ann, world, "standings")
    assert "After Week 1 · Playoffs: Weeks 4–5" in page
    assert page.count(": coin flip") == 3
    assert "0–0–1" in page


def test_divisions_have_tables_of_their_own_and_their_winners_come_first(
    app: Flask, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    season = replace(SETTINGS.season, divisions=2, regular_weeks=1)
    world = make_drafted_league(member, replace(SETTINGS, season=season), weeks=3)
    # Ann and Cat are the first division, Bob and Dan the second.
    pairs = load_season(world.league.id).pairs[world.gameweek(1).id]
    winners = {pair[0] for pair in pairs}
    play(world, 1, {number: 40 - number + 100 * (number in winners) for number in (1, 2, 3, 4)})
    view = load_season(world.league.id)
    page = " ".join(
        re.sub(r"<[^>]+>", " ", get(sign_in(username="ann"), world, "standings")).split()
    )
    first, second = page[page.index("Division 1") :].split("Division 2")[:2]
    assert ("Ann FC" in first, "Cat FC" in first) == (True, True)
    assert ("Bob FC" in second, "Dan FC" in second) == (True, True)
    leader = next(place.franchise for place in view.table if view.divisions[place.franchise] == 1)
    name = ("Ann", "Bob", "Cat", "Dan")[leader - 1]
    assert re.search(rf"1 {name} FC (You )?Division winner Seed \d", first)
    assert page.count("Division winner ") == 2
    assert "Division winners are seeded first in the playoffs" in page


def test_the_schedule_shows_the_season_before_the_draft(
    app: Flask, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    world = make_draft_league(member)
    page = get(sign_in(username="bob"), world, "schedule")
    assert "Schedule under the current settings." in page
    assert page.count("Ann FC") == 4  # of four gameweeks


def test_weeks_that_the_season_does_not_have_yet_are_on_the_schedule_too(
    app: Flask, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    """The bracket, the standings and the schedule speak of the same weeks."""
    world = make_drafted_league(member, weeks=4)
    ann = sign_in(username="ann")
    schedule = get(ann, world, "schedule")
    headings = [
        " ".join(re.sub("<[^>]+>", " ", heading).split())
        for heading in re.findall(r"<h2 id=[^>]+>(.*?)</h2>", schedule, re.DOTALL)
    ]
    assert headings == [*(f"Week {week}" for week in range(1, 5)), "Weeks 5–14", "Week 15 Final"]
    assert "No games played yet · Playoffs: Week 15" in get(ann, world, "standings")
    assert "Week 15" in get(ann, world, "bracket")


def test_the_schedule_goes_on_with_the_play_offs(ann: FlaskClient, world: DraftWorld) -> None:
    assert get(ann, world, "schedule").count("Matchups are set after the regular") == 2
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    schedule = get(ann, world, "schedule")
    assert "Matchups are set after" not in schedule
    assert "Winner of 1 vs 4" in schedule
    assert "Third place" in schedule
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    final = get(ann, world, "schedule").partition(world.gameweek(5).name)[2]
    assert "Winner of" not in final
    assert "Final" in final
    assert "Bob FC" in final


def test_the_recap_tells_what_the_play_offs_decided(ann: FlaskClient, world: DraftWorld) -> None:
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    assert "decided-title" not in get(ann, world, "recap/3")
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    assert "Bob FC beat Cat FC in the playoffs, 21.00 to 20.00, and advanced." in plain(
        get(ann, world, "recap/4")
    )
    play(world, 5, {1: 5, 2: 9, 3: 4, 4: 3})
    final = plain(get(ann, world, "recap/5"))
    assert "Bob FC beat Ann FC in the final, 9.00 to 5.00, and won The Row." in final
    assert "Cat FC beat Dan FC for third place, 4.00 to 3.00." in final


def test_the_bracket_fills_itself_to_the_champion(ann: FlaskClient, world: DraftWorld) -> None:
    assert "If the season ended today" in get(ann, world, "bracket")
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    page = get(ann, world, "bracket")
    assert "Winner of 1 vs 4" in page
    assert "hx-trigger" in bracket_tag(page)
    polled = ann.get(f"/leagues/{world.league.slug}/bracket", headers={"HX-Request": "true"})
    assert "Winner of 1 vs 4" in polled.text
    assert "<main" not in polled.text
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    play(world, 5, {1: 5, 2: 9, 3: 4, 4: 3})
    page = get(ann, world, "bracket")
    assert "<strong>Bob FC</strong> won The Row." in page
    assert "Third place" in page
    assert "hx-trigger" not in bracket_tag(page)


def test_the_front_page_of_a_season_that_is_over_names_the_champion(
    ann: FlaskClient, world: DraftWorld
) -> None:
    front = f"/leagues/{world.league.slug}"
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    assert "The season is over" not in ann.get(front).text
    play(world, 5, {1: 5, 2: 9, 3: 4, 4: 3})
    page = ann.get(front).text.replace("\u2068", "").replace("\u2069", "")
    assert "<strong>Bob FC</strong> won The Row." in page
    assert "Next up" not in page
    waivers = " ".join(ann.get(f"{front}/waivers").text.split())
    assert "The season is over. Waivers are closed." in waivers
    assert "The next run is on" not in waivers


def test_five_places_lead_to_every_page_of_a_league(ann: FlaskClient, world: DraftWorld) -> None:
    front = ann.get(f"/leagues/{world.league.slug}").text
    places = re.findall(r'id="place-(\w+)"\s+href="([^"]+)"', front)
    assert [name for name, _ in places] == ["matchup", "team", "players", "league", "talk"]
    pages: list[str] = []
    for name, address in places:
        page = ann.get(address).text
        assert re.findall(r'id="place-(\w+)"[^>]+aria-current', page) == [name]
        pages += re.findall(r'id="tab-(?!settings)(\w+)"', page)
    assert sorted(pages) == sorted(PAGES)


def test_the_records_name_the_champion_and_the_games_between_two(
    ann: FlaskClient, world: DraftWorld
) -> None:
    assert "No records yet" in get(ann, world, "records")
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    play(world, 5, {1: 5, 2: 9, 3: 4, 4: 3})
    page = " ".join(get(ann, world, "records").split())
    champion = re.search(r"<strong>(.*?)</strong>", page[: page.index("All time")])
    assert champion is not None
    assert re.sub("<[^>]*>", "", champion[1]).strip() == "Bob FC"
    # Ann won her three games and the semi-final, and lost the final to Bob.
    assert page.count("4–1") >= 1
    against_bob = page[page.index("vs Bob FC") :]
    assert against_bob[: against_bob.index("</li>")].count("1–1") == 1
    assert "vs Ann FC" in get(ann, world, f"records?who={world.members[3]}")
    assert "Longest winning streaks" in page


def test_the_bracket_says_what_a_correction_changed(ann: FlaskClient, world: DraftWorld) -> None:
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    play(world, 5, {1: 5, 2: 9, 3: 4, 4: 3})
    assert "Stat corrections" not in get(ann, world, "bracket")
    adjust(world, 4, 3, 5)  # cat beats bob after all
    corrected = world.gameweek(5).deadline + AFTER
    live.refresh_league(world.league.id, corrected)
    update(world.league.id, corrected)
    page = get(ann, world, "bracket")
    assert "Ann FC vs Cat FC, Bob FC vs Dan FC instead of" in page
    assert "Ann FC is the champion after the correction, not Bob FC." in page
    assert "<strong>Ann FC</strong> won The Row." in page


def test_a_team_that_has_drafted_is_a_team_before_its_first_gameweek(drafted: DraftWorld) -> None:
    league = league_for_viewer(drafted.league.slug, drafted.members[0])
    assert league is not None
    context = TableContext(league, "", gameweek_row(drafted.gameweek(1)), [], is_over=False)
    assert context.no_team == "no lineup for Week 1"
