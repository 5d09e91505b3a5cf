"""Rankings, the season, records and keepers over the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import League
from tests.draft_leagues.api.conftest import Api, roster
from tests.draft_leagues.keepers.conftest import found_league
from tests.draft_leagues.season.test_season import play
from tests.worlds.draft_leagues import DraftWorld

__all__ = ["found_league"]


def test_footballers_are_ranked_with_projections_owners_and_waivers(
    ann: Api, world: DraftWorld
) -> None:
    first = ann.get("/rankings?limit=5")
    assert [each["place"] for each in first["footballers"]] == [1, 2, 3, 4, 5]
    assert first["nextOffset"] == 5
    second = ann.get("/rankings?limit=5&offset=5")["footballers"]
    assert second[0]["place"] == 6
    owned = roster(world, 1)[0]
    quarterbacks = ann.get("/rankings?position=QB&limit=100")["footballers"]
    assert {each["position"] for each in quarterbacks} == {"QB"}
    [mine] = [each for each in quarterbacks if each["footballerId"] == owned]
    assert (mine["franchise"], mine["isFree"]) == (1, False)
    free = ann.get("/rankings?position=QB&free=true&limit=100")["footballers"]
    assert {each["franchise"] for each in free} == {None}
    assert {each["isFree"] for each in free} == {True}
    matches = ann.get(f"/rankings?search={free[0]['name']}")["footballers"]
    assert free[0]["footballerId"] in [each["footballerId"] for each in matches]
    ann.get("/rankings?position=GOALIE", 400)


def test_a_member_orders_their_own_list(ann: Api, bob: Api) -> None:
    ids = [each["footballerId"] for each in ann.get("/rankings?limit=4")["footballers"]]
    best = [ids[3], ids[1]]
    for _ in range(2):
        own_list = ann.put("/own-ranking", {"footballerIds": [*best, "nobody"]})
        assert own_list["footballerIds"] == best
    after = [each["footballerId"] for each in ann.get("/rankings?limit=4")["footballers"]]
    assert after == [*best, ids[0], ids[2]]
    assert bob.get("/own-ranking")["footballerIds"] == []
    assert bob.get("/rankings?limit=1")["footballers"][0]["footballerId"] == ids[0]
    for _ in range(2):
        ann.call("DELETE", "/own-ranking", None, 204)
    assert ann.get("/rankings?limit=1")["footballers"][0]["footballerId"] == ids[0]


def test_the_schedule_the_standings_and_the_bracket_follow_the_results(
    ann: Api, world: DraftWorld
) -> None:
    weeks = ann.get("/schedule")["weeks"]
    assert [week["gameweek"] for week in weeks] == ["GW1", "GW2", "GW3"]
    assert {len(week["games"]) for week in weeks} == {2}
    assert weeks[0]["games"][0]["homePoints"] is None

    play(world, 1, {1: 10, 2: 20, 3: 30, 4: 40})
    [first, second, third] = ann.get("/schedule")["weeks"]
    assert [week["isSettled"] for week in (first, second, third)] == [True, False, False]
    scored = {game[side]: game[f"{side}Points"] for game in first["games"] for side in game_sides()}
    assert scored == {1: 10, 2: 20, 3: 30, 4: 40}
    standings = ann.get("/standings")
    assert standings["isFinal"] is False
    assert [row["place"] for row in standings["standings"]] == [1, 2, 3, 4]
    winners = {max(game_teams(game)) for game in first["games"]}
    assert {row["franchise"] for row in standings["standings"][:2]} == winners
    assert [row["reason"] for row in standings["standings"]] == [
        "points for",
        "",
        "points for",
        "",
    ]
    assert standings["standings"][0]["pointsFor"] == 40
    bracket = ann.get("/bracket")
    assert bracket["isPreview"] is True
    assert bracket["seeds"] == [row["franchise"] for row in standings["standings"][:2]]
    assert bracket["games"][0]["gameweeks"] == ["GW4"]


def test_settings_change_in_mid_season_with_a_preview_of_the_table(
    ann: Api, bob: Api, world: DraftWorld
) -> None:
    play(world, 1, {1: 10, 2: 20, 3: 30, 4: 40})
    before = [row["franchise"] for row in ann.get("/standings")["standings"]]
    settings = ann.get()["settings"]
    settings["season"]["tie_breaks"] = ["points_against"]
    bob.post("/settings/preview", settings, 403)
    preview = ann.post("/settings/preview", settings)
    assert len(preview["changes"]) == 1
    assert [row["franchise"] for row in ann.get("/standings")["standings"]] == before
    for _ in range(2):
        assert ann.put_settings(settings)["settings"] == settings
    after = [row["franchise"] for row in ann.get("/standings")["standings"]]
    assert {each["franchise"] for each in preview["places"]} == {
        number for number in after if before.index(number) != after.index(number)
    }
    version = ann.get()["settingsVersion"]
    assert ann.put("/settings?version=0", settings)["settingsVersion"] == version  # no change
    settings["franchises"] = 6
    assert ann.refused("PUT", "/settings?version=0", settings) == ("version", "changed")
    refused = ann.put_settings(settings, 409)
    assert refused["errors"]


def game_sides() -> tuple[str, str]:
    return "home", "away"


def game_teams(game: dict[str, int]) -> tuple[int, int]:
    return game["home"], game["away"]


def test_records_name_careers_and_the_highest_scores(ann: Api, world: DraftWorld) -> None:
    play(world, 1, {1: 10, 2: 20, 3: 30, 4: 40})
    records = ann.get("/records")
    assert [season["league"] for season in records["seasons"]] == [world.league.slug]
    best = records["highest"][0]
    assert (best["gamerId"], best["points"], best["gameweek"]) == (world.members[3], 40, "GW1")
    careers = {career["gamerId"]: career for career in records["careers"]}
    assert careers[world.members[3]]["games"] == {"won": 1, "lost": 0, "tied": 0}
    assert careers[world.members[3]]["teamName"] == "Dan FC"


@pytest.fixture
def rolled(found_league: Callable[..., League], sign_in: Callable[..., FlaskClient]) -> League:
    return found_league()


def test_a_league_goes_on_once_and_its_keepers_are_chosen(
    rolled: League, sign_in: Callable[..., FlaskClient], at: Callable[[datetime], None]
) -> None:
    season_end = db.session.scalars(
        db.select(Gameweek.deadline)
        .where(Gameweek.season_id == rolled.season_id)
        .order_by(Gameweek.week.desc())
    ).first()
    at(season_end + timedelta(days=7))
    ann, bob = (Api(sign_in(username=name), rolled.slug) for name in ("ann", "bob"))
    ann.get("/keepers", 404)
    deadline = (season_end + timedelta(days=60)).isoformat()
    bob.post("/next-season", {"deadline": deadline}, 403)
    bob.get("/next-season", 403)
    preview = ann.get("/next-season")
    assert preview["hasKeepers"] is True
    assert [team["isVacant"] for team in preview["teams"]] == [False, False, True]
    assert ann.refused("POST", "/next-season", {}) == ("deadline", "past")
    names = {ann.post("/next-season", {"deadline": deadline}, 201)["league"] for _ in range(2)}
    assert len(names) == 1
    [ann.league] = [bob.league] = names

    can_be_kept = bob.get("/keepers")["canBeKept"]
    keeper_ids = [each["footballerId"] for each in can_be_kept if not each["whyNot"]][:1]
    for _ in range(2):
        chosen = bob.put("/keepers", {"footballerIds": keeper_ids})["chosen"]
        assert [each["footballerId"] for each in chosen] == keeper_ids
    assert bob.refused("PUT", "/keepers", {"footballerIds": ["nobody"]}) == (
        "footballerIds",
        "unknown",
    )
    assert bob.refused("PUT", "/keepers", {"footballerIds": [], "franchise": 1})[1] == "not_yours"
    bob.call("POST", "/keepers/close", None, 403)
    for _ in range(2):
        closed = ann.call("POST", "/keepers/close")
    assert [each["footballerId"] for each in closed["chosen"]] == keeper_ids
    assert bob.refused("PUT", "/keepers", {"footballerIds": []}) == ("footballerIds", "closed")
