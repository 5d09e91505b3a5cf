"""A club with two games in one gameweek.

A postponed one counts where it is played, and every page adds up both.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.market.gameweeks import gameweek_of
from app.fantasy.market.models import FootballerSeason, TeamRules
from app.fantasy.scoring.picks import Pick, picks
from app.fantasy.standings.models import League
from app.fantasy.standings.queries import LeagueRow, league_for_viewer, progress, standings
from app.record import events as ev
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, make_game, messages

SignIn = Callable[..., FlaskClient]
OVER: list[ev.Body] = [*DRIVE, ev.GameEnded(), ev.Final(home_score=7, away_score=0)]


@pytest.fixture
def moved(league: League) -> League:
    """g2 was planned for the next gameweek and is played three hours after g1, in this one."""
    game = make_game("g2")
    game.planned_week, game.kickoff = 2, KICKOFF.replace(hour=KICKOFF.hour + 3)
    db.session.commit()
    return league


def ann(league: League) -> int:
    assert league.commissioner_id is not None
    return league.commissioner_id


def seen(league: League) -> LeagueRow:
    row = league_for_viewer(league.slug, ann(league))
    assert row is not None
    return row


def passer(league: League) -> Pick:
    """Ann's captain."""
    gameweek = gameweek_of(league.season_id, 1)
    assert gameweek is not None
    return next(
        pick for pick in picks(ann(league), gameweek, seen(league)) if pick.footballer_id == "H1"
    )


def ranked(league: League) -> dict[int, int]:
    gameweek = gameweek_of(league.season_id, 1)
    assert gameweek is not None
    return {row.member_id: row.points for row in standings(league.id, gameweek.id)}


def row_of(text: str, footballer: str) -> str:
    row = re.search(rf'<tr id="pick-{footballer}".*?</tr>', text, re.DOTALL)
    assert row is not None
    return row[0]


def test_the_team_page_adds_both_games_as_the_table_does(moved: League, sign_in: SignIn) -> None:
    ingest_and_refresh(messages(OVER))
    pick = passer(moved)
    assert pick.game is not None
    assert (pick.game.game_id, pick.game.status) == ("g2", "scheduled"), "the next one is shown"
    first = pick.points
    ingest_and_refresh(messages(DRIVE, "g2"))
    both = passer(moved)
    assert both.game is not None
    assert (both.game.game_id, both.game.status) == ("g2", "live")
    assert both.points == 2 * first > 0
    signed_in = sign_in(username="ann")
    total = ranked(moved)[ann(moved)]
    for page in ("/leagues/row/teams/1", "/leagues/row/matchups/1/1"):
        assert f"{total / 1000:.2f}" in signed_in.get(page).text, page
    row = row_of(signed_in.get("/leagues/row/teams/1").text, "H1")
    assert "2 games this week" in row
    assert f'data-value="{2 * both.points / 1000:.2f}"' in row, "the captain's points, doubled"
    assert [f"/games/{game}/points/H1" in row for game in ("g1", "g2")] == [True, True], (
        "each game opens for itself"
    )


def test_who_has_a_second_game_is_still_to_play_and_counts_once(
    moved: League, sign_in: SignIn
) -> None:
    gameweek = gameweek_of(moved.season_id, 1)
    assert gameweek is not None
    me, team = ann(moved), sign_in(username="ann")

    def left() -> tuple[int, int]:
        return progress(moved.id, gameweek.id, [me])[me]

    assert left() == (2, 0), "H1 and H3, each with two games to come"
    ingest_and_refresh(messages(DRIVE))
    assert left() == (0, 2), "being played goes before what is to come"
    assert "2 playing" in team.get("/leagues/row/teams/1").text
    ingest_and_refresh(messages(OVER[len(DRIVE) :], "g1", len(DRIVE) + 1))
    assert left() == (2, 0)
    assert "2 yet to play" in team.get("/leagues/row/teams/1").text
    ingest_and_refresh(messages(OVER, "g2"))
    assert left() == (0, 0)


def test_a_game_that_does_not_count_where_it_is_played_is_none_of_the_gameweek(
    moved: League,
) -> None:
    db.session.get_one(TeamRules, moved.team_rules_id).postponed_games = "never"
    db.session.commit()
    ingest_and_refresh(messages(OVER))
    before = passer(moved).points
    ingest_and_refresh(messages(DRIVE, "g2"))
    pick = passer(moved)
    assert [game.game_id for game in pick.games] == ["g1"]
    assert pick.points == before


def test_a_correction_in_either_game_is_told_on_the_team_page(
    moved: League, sign_in: SignIn
) -> None:
    ingest_and_refresh(messages(DRIVE))
    ingest_and_refresh(messages(DRIVE, "g2"))
    number = next(index for index, body in enumerate(DRIVE, start=1) if isinstance(body, ev.Pass))
    for game in ("g1", "g2"):
        fix = ev.Nullify(events=(number,))
        ingest(messages([fix], game, len(DRIVE) + 1))
        refresh_game(game, NOW)
    text = sign_in(username="ann").get("/leagues/row/teams/1").text
    corrections = text.split("Stat corrections")[1]
    assert [f"/games/{game}/points/H1" in corrections for game in ("g1", "g2")] == [True, True]


def test_the_footballers_page_adds_up_the_games_of_a_week(moved: League, sign_in: SignIn) -> None:
    market = FootballerSeason(
        season_id=moved.season_id, footballer_id="H1", position="QB", price=90, start_price=90
    )
    db.session.add(market)
    db.session.commit()
    ingest_and_refresh(messages(OVER))
    assert " games in Week" not in sign_in(username="ann").get("/footballers/H1").text
    ingest_and_refresh(messages(DRIVE, "g2"))
    points = passer(moved).points
    assert (
        f"{points / 1000:.2f} in 2 games in Week 1"
        in sign_in(username="bob").get("/footballers/H1").text
    )
