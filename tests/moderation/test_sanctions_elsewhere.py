"""A sanction in leagues and tournaments.

Off the tables, the races and the leaderboards, and back exactly as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from uuid import UUID

from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.fantasy.api_queries import queries as api_queries
from app.fantasy.leagues import adjustments, history, queries
from app.fantasy.standings import queries as tables
from app.fantasy.standings import season_table
from app.fantasy.standings.models import LeagueScore
from app.moderation import sanctions
from app.predictions import pools
from app.predictions.models import Pool, Tournament
from app.predictions.pages import board
from app.predictions.projections import store as projections
from tests.predictions.conftest import cup, world
from tests.worlds.played_league import Played, played_league
from tests.worlds.score_log import NOW
from tests.worlds.tournament import BEFORE, World

__all__ = ["cup", "world"]
SignIn = Callable[..., FlaskClient]
NAMES = ("ann", "bob", "cat", "dan")


def played(member: Callable[..., Member]) -> tuple[Played, UUID]:
    """Four members over two gameweeks; Bob, whose player comes too, is ahead of all but Ann."""
    members = {name: member(name) for name in NAMES}
    yards = [
        dict(zip(NAMES, (90, 60, 40, 20), strict=True)),
        dict(zip(NAMES, (30, 60, 40, 20), strict=True)),
    ]
    return played_league({name: person.id for name, person in members.items()}, yards), player_of(
        members["bob"]
    ).id


def everything(played: Played, viewer: int) -> list[Any]:
    """All that pages and the API show of the league to this member."""
    db.session.rollback()
    league = tables.league_for_viewer(played.league.slug, viewer)
    assert league is not None
    week = tables_week(played)
    return [
        season_table.season_table(league, week),
        league.members,
        tables.standings(played.league.id, week.id),
        queries.members_page(played.league, viewer, 1).rows,
        history.week_page(played.league, week.id, viewer, 1),
        history.race(played.league, viewer, 1),
        [(card.rank, card.members) for card in queries.cards(viewer)],
    ]


def tables_week(league: Played) -> Any:
    return league.gameweeks[1]


def test_a_banned_member_is_in_no_table_race_or_rank_of_a_league(
    member: Callable[..., Member],
) -> None:
    league, bob = played(member)
    ann = league.members["ann"]
    before = everything(league, ann)
    ranks = ranks_of(league)
    sanctions.impose(bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    assert sanctions.show_waiting(NOW) == 1
    table, size, week, page, gameweek, race, _ = everything(league, ann)
    for rows in (table, week, page, gameweek.rows, race.racers, race.chart):
        assert [row.member_id for row in rows].count(league.members["bob"]) == 0
        assert len(rows) == 3
    assert size == 3
    assert [row.rank for row in table] == [1, 2, 3]
    assert [row.place for row in gameweek.rows] == [1, 2, 3]
    assert ranks_of(league)["cat"] == [2, 2]
    sanctions.lift(bob, by=None, reason="was none", now=NOW)
    assert sanctions.show_waiting(NOW) == 1
    assert everything(league, ann) == before
    assert ranks_of(league) == ranks


def ranks_of(league: Played) -> dict[str, list[int | None]]:
    db.session.rollback()
    query = select(LeagueScore.member_id, LeagueScore.rank).order_by(LeagueScore.gameweek_id)
    rows = db.session.execute(query.where(LeagueScore.league_id == league.league.id)).all()
    return {
        name: [rank for member, rank in rows if member == number]
        for name, number in league.members.items()
    }


def test_the_api_of_a_league_leaves_a_banned_member_out(member: Callable[..., Member]) -> None:
    league, bob = played(member)
    viewer = api_queries.Viewer(member_id=league.members["ann"])
    before = api_queries.gamers_of_league(league.league.slug, viewer)
    sanctions.impose(bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    after = api_queries.gamers_of_league(league.league.slug, viewer)
    assert before is not None
    assert after is not None
    assert len(before.gamers) - len(after.gamers) == 1


def test_an_open_page_of_a_league_hears_of_a_ban(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    league, bob = played(member)
    before = tables.table_version(league.league.id, tables_week(league).id).version
    sanctions.impose(bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    assert tables.table_version(league.league.id, tables_week(league).id).version > before


def test_a_banned_player_is_off_the_leaderboard_of_a_tournament_and_its_projection(
    cup: World,
) -> None:
    for match in ("m1", "m2", "m3"):
        cup.ended(match, 2, 1)
    cup.poll()
    cup.settle()
    projections.reconcile()
    bob, ann = cup.player("Bob"), cup.player("Ann")
    before = (
        projections.read_entries(cup.id),
        board.page(cup.id, 1),
        board.count(cup.id),
        board.mine(cup.id, bob),
    )
    version = db.session.get_one(Tournament, cup.id, populate_existing=True).version
    sanctions.impose(ann, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    assert [entry.member_id for entry in projections.read_entries(cup.id)] == [bob]
    assert [(place.player_id, place.rank) for place in board.page(cup.id, 1)] == [(bob, 1)]
    assert board.count(cup.id) == 1
    place = board.mine(cup.id, bob)
    assert place is not None
    assert place.rank == 1
    assert db.session.get_one(Tournament, cup.id, populate_existing=True).version > version
    sanctions.lift(ann, by=None, reason="was none", now=NOW)
    after = (
        projections.read_entries(cup.id),
        board.page(cup.id, 1),
        board.count(cup.id),
        board.mine(cup.id, bob),
    )
    assert after == before


def test_whoever_is_hidden_keeps_their_matchup_and_loses_their_name(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    """PRODUCT G7, off every board.

    A list of matchups is one, and a team's name may be the reason of the ban.
    """
    ids = {name: member(name).id for name in ("ann", "bob")}
    slug = played_league(ids, ({"ann": 50, "bob": 40},), mode="head_to_head").league.slug
    bob = player_of(db.session.get_one(Member, ids["bob"])).id
    ann = sign_in(username="ann")
    pages = [
        f"/leagues/{slug}/matchups?week=1",
        f"/leagues/{slug}/matchups/1/{ids['ann']}",
        f"/leagues/{slug}",
    ]
    assert all("Bob FC" in ann.get(page).text for page in pages)
    sanctions.impose(
        bob, sanctions.Measure(sanctions.BAN), by=None, reason="the name of the team", now=NOW
    )
    for page in pages:
        text = ann.get(page).text
        assert "Bob FC" not in text, page
        assert "8.00" in text or page == pages[2], page  # Ann's game stays as it was played
    for absent in (
        f"/leagues/{slug}/matchups/1/{ids['bob']}",
        f"/leagues/{slug}/teams/{ids['bob']}?week=1",
    ):
        assert ann.get(absent).status_code == 404, absent
    sanctions.lift(bob, by=None, reason="renamed", now=NOW)
    assert all("Bob FC" in ann.get(page).text for page in pages)


def pages_from(client: FlaskClient, start: str, within: tuple[str, ...]) -> dict[str, str]:
    """The text of every page that can be reached from `start` by links, by path."""
    texts: dict[str, str] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in texts:
            continue
        answer = client.get(path)
        texts[path] = answer.text if answer.status_code == 200 else ""
        links = {
            unescape(link).split("#")[0] for link in re.findall(r'href="(/[^"]*)"', texts[path])
        }
        waiting += [link for link in links if link.startswith(within) and "/export" not in link]
    return texts


def test_no_page_of_a_league_names_a_banned_member(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    """Their opponents' games stay, without the name (decision 22)."""
    members = {name: member(name) for name in ("ann", "bobolink")}
    yards = [{"ann": 90, "bobolink": 60}, {"ann": 30, "bobolink": 60}]
    ids = {name: person.id for name, person in members.items()}
    league = played_league(ids, yards, mode="head_to_head")
    adjustment = adjustments.NewAdjustment(ids["bobolink"], league.gameweeks[0].id, 1_000)
    adjustments.apply(league.league, adjustment, "A prize", ids["ann"], NOW)
    ann = sign_in(username="ann")
    within = ("/leagues/the-row", "/gamers/")
    before = pages_from(ann, "/leagues/the-row", within)
    assert len([path for path, page in before.items() if "obolink" in page]) > 8
    sanctions.impose(
        player_of(members["bobolink"]).id,
        sanctions.Measure(sanctions.BAN),
        by=None,
        reason="a bot",
        now=NOW,
    )
    sanctions.show_waiting(NOW)
    after = pages_from(ann, "/leagues/the-row", within)
    assert [path for path, page in after.items() if "obolink" in page] == []


def test_no_page_of_a_tournament_names_a_banned_member(
    world: Callable[..., World], sign_in: SignIn
) -> None:
    cup = world()
    cup.match("m1")
    cup.poll(BEFORE)
    players = {name: cup.player(name) for name in ("Ann", "Bobolink")}
    for name, score in (("Ann", (1, 0)), ("Bobolink", (2, 0))):
        assert cup.guess(name, "m1", *score) == []
    pool = pools.create(cup.id, players["Bobolink"], "Red Lion")
    assert isinstance(pool, Pool)
    assert pools.join(pool.id, pool.code, players["Ann"]) is None
    cup.ended("m1", 2, 0)
    cup.poll()
    cup.settle()
    projections.project(cup.id)
    ann = sign_in(username="ann")
    start, within = f"/tournaments/{cup.id}", ("/tournaments",)
    before = pages_from(ann, start, within)
    assert len([path for path, page in before.items() if "obolink" in page]) >= 3
    assert "2 members" in before[f"{start}/pools"]
    sanctions.impose(
        players["Bobolink"], sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW
    )
    sanctions.show_waiting(NOW)
    after = pages_from(ann, start, within)
    assert "1 member" in after[f"{start}/pools"]  # as many as its table has
    assert [path for path, page in after.items() if "obolink" in page] == []
