"""Whoever reads a gameweek under way reads the same points, at every moment."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.accounts.models import Player
from app.core import clock
from app.core.db import db
from app.fantasy.api_queries.queries import Viewer, gamers_of_league
from app.fantasy.gameweeks import settlement
from app.fantasy.leagues import export, gamers, history
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as league_services
from app.fantasy.market.gameweeks import gameweek_of
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import preview, queries
from app.fantasy.standings.games import games_of_season
from app.fantasy.standings.models import League, Matchup
from app.fantasy.standings.season_places import season_places
from app.fantasy.standings.season_table import season_table
from app.record import events as ev
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest_and_refresh, messages

ANN, BOB, CAT = 1, 2, 3
Totals = dict[int, int]


@pytest.fixture
def derby(league: League) -> League:
    """Ann against bob; cat has no sheet and 1.5 points of the commissioner's; bob paid 4 points."""
    league.mode = "head_to_head"
    league.is_public = True
    db.session.add(Matchup(league_id=league.id, gameweek_id=1, home_id=ANN, away_id=BOB))
    db.session.get_one(Gameweek, 1).locked_at = KICKOFF
    db.session.execute(
        text("UPDATE team_sheets SET transfers = 2, transfer_cost = 4000 WHERE member_id = :bob"),
        {"bob": BOB},
    )
    db.session.execute(
        text("""
            INSERT INTO score_adjustments (league_id, member_id, gameweek_id, points, reason, by_id)
            VALUES (:league, :member, 1, 1500, 'a good deed', :by)
        """),
        {"league": league.id, "member": CAT, "by": ANN},
    )
    db.session.commit()
    return league


def everywhere(league: League) -> dict[str, Totals]:
    """What each reader says that members have, as ann sees it."""
    row = queries.league_for_viewer(league.slug, ANN)
    assert row is not None
    gameweek = gameweek_of(league.season_id, 1)
    assert gameweek is not None
    places, api = season_places(league.id), gamers_of_league(league.slug, Viewer(ANN))
    assert places is not None
    assert api is not None
    table, members = season_table(row, gameweek), places.keys()
    document = export.document(league, NOW, usernames=True)
    ids = {
        name: member
        for member, name in db.session.execute(text("SELECT id, username FROM members"))
    }
    cards = {who: league_queries.cards(who)[0] for who in members}
    of_gamers = {who: gamers.gamer(who, ANN) for who in members}
    games = games_of_season(league.id, 1, limit=9, offset=0)
    sides = [side for game in games for side in (game.home, game.away)]
    week = history.week_page(league, 1, ANN, None)
    listed = league_queries.members_page(league, ANN, 1)
    before = preview.table(preview.ledger_of(league))
    return {
        "places": {who: place.total for who, place in places.items()},
        "season's table": {place.member_id: place.total for place in table},
        "points of the season's table": {place.member_id: place.points for place in table},
        "week's table": {row.member_id: row.points for row in queries.standings(league.id, 1)},
        "members": {row.member_id: row.total for row in listed.rows},
        "cards": {who: card.total or 0 for who, card in cards.items()},
        "gamers": {who: gamer.leagues[0].total for who, gamer in of_gamers.items() if gamer},
        "the API": {row.id: row.total_points for row in api.gamers},
        "preview": {who: place.total for who, place in before.items() if who in members},
        "export": {
            ids[person["username"]]: person["total_points"]
            for person in document["people"]
            if person["total_points"] is not None
        },
        "scores of the export": {
            ids[score["member"]]: score["points"] for score in document["scores"]
        },
        "history": {row.member_id: row.points for row in week.rows},
        "matchup": {side.member_id: int(side.points) for side in sides if side.member_id},
    }


def disagreeing(league: League) -> dict[str, Totals]:
    """The readers that say something else than the places, and of whom."""
    readers = everywhere(league)
    places = readers["places"]
    return {
        reader: {who: points for who, points in totals.items() if places.get(who, points) != points}
        for reader, totals in readers.items()
        if any(places.get(who, points) != points for who, points in totals.items())
    }


def test_after_each_play_and_after_the_settlement(derby: League) -> None:
    for end in range(3, len(DRIVE) + 1):
        ingest_and_refresh(messages(DRIVE)[end - 3 : end])
        assert disagreeing(derby) == {}
    places = everywhere(derby)["places"]
    assert places == {ANN: 14_200, BOB: 8_500, CAT: 1_500}
    ingest_and_refresh(messages([ev.GameEnded()], first=12))
    assert settlement.settle(1, NOW)
    assert disagreeing(derby) == {}
    assert everywhere(derby)["places"] == places


def test_of_a_hidden_member_too(derby: League) -> None:
    ingest_and_refresh(messages(DRIVE))
    places = everywhere(derby)["places"]
    player = db.session.scalars(db.select(Player).where(Player.member_id == BOB)).one_or_none()
    player = player or Player(display_name="Bob", member_id=BOB)
    player.hidden_at = clock.now()
    db.session.add(player)
    db.session.execute(text("UPDATE league_versions SET version = version + 1"))
    db.session.commit()
    readers = everywhere(derby)
    assert BOB not in readers["places"]
    assert disagreeing(derby) == {}
    assert readers["export"] == places, "an operator's export has everybody"


def test_of_a_member_who_left_their_opponent_sees_the_same_points(derby: League) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    assert league_services.leave(BOB, derby.id, NOW) is None
    ingest_and_refresh(messages(DRIVE)[6:])
    readers = everywhere(derby)
    assert readers["history"][BOB] == 8_500
    assert disagreeing(derby) == {}
    ingest_and_refresh(messages([ev.GameEnded()], first=12))
    assert settlement.settle(1, NOW)
    assert everywhere(derby)["history"][BOB] == 8_500
