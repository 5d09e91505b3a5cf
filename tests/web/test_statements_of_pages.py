"""The pages that everybody opens ask the database as often for many rows as for few."""

from __future__ import annotations

from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Player
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.rules import Held
from app.boards.windows.rules import ALL_TIME, window_of
from app.core import clock
from app.core.db import db
from app.demo.logins import DEMO_PASSWORD
from app.record import events as ev
from tests.statements import count_statements
from tests.worlds.games import ingest, messages
from tests.worlds.whole_site import World, make_world

SNAP = ev.Snap(possession="HRB", spot=40, period=1, clock=700, down=1, distance=10)
RUN = ev.Run(team="HRB", player="H3", kind="rush", start_yard=40, end_yard=45)

# `tag` begins the names of the new rows; ten of each.
_MORE = (
    # My leagues, and the members of one.
    """INSERT INTO leagues (season_id, team_rules_id, slug, name, invite_code, rules,
      commissioner_id)
       SELECT season_id, team_rules_id, :tag || '-' || n, :tag || ' ' || n, :tag || n, rules,
         commissioner_id
       FROM leagues, generate_series(1, 10) n WHERE slug = 'the-press-row'""",
    """INSERT INTO league_members (league_id, member_id, team_name)
       SELECT l.id, m.id, l.slug FROM leagues l, members m
       WHERE l.slug LIKE :tag || '-%' AND m.username = 'member'""",
    """INSERT INTO members (username, display_name, password_hash)
       SELECT :tag || '-' || n, :tag || ' ' || n, 'x' FROM generate_series(1, 10) n""",
    """INSERT INTO league_members (league_id, member_id, team_name)
       SELECT l.id, m.id, m.username FROM leagues l, members m
       WHERE l.slug = 'the-press-row' AND m.username LIKE :tag || '-%'""",
    # Games of the gameweek, which the market's fixtures and the console's list show too.
    """INSERT INTO games (id, competition, season, season_type, week, kickoff, home_id, away_id)
       SELECT :tag || '-' || n, competition, season, season_type, week, kickoff, home_id, away_id
       FROM (SELECT * FROM games WHERE competition = 'demo' AND week = 3 ORDER BY id LIMIT 1) g,
         generate_series(1, 10) n""",
    """INSERT INTO game_states (game_id, status, home_score, away_score, state, version, updated_at)
       SELECT g.id, 'live', 3, 0, s.state, 1, now() FROM games g, game_states s
       WHERE g.id LIKE :tag || '-%' AND s.game_id = 'g1'""",
    # Footballers of the market.
    """INSERT INTO footballers (id, name, club_id, position)
       SELECT :tag || '-' || n, :tag || ' ' || n, f.club_id, m.position
       FROM footballer_seasons m JOIN footballers f ON f.id = m.footballer_id, generate_series(1,
         10) n
       WHERE m.footballer_id = (SELECT min(footballer_id) FROM footballer_seasons)""",
    """INSERT INTO footballer_seasons (season_id, footballer_id, position, price, start_price)
       SELECT m.season_id, f.id, m.position, m.price, m.price FROM footballer_seasons m,
         footballers f
       WHERE m.footballer_id = (SELECT min(footballer_id) FROM footballer_seasons)
         AND f.id LIKE :tag || '-%'""",
    # Matches of every round of the tournament.
    """INSERT INTO matches (id, tournament_id, round_id, external_id, home_id, away_id, kickoff,
      status,
         provider_status)
       SELECT gen_random_uuid(), tournament_id, round_id, :tag || '-' || n || '-' || external_id,
         home_id, away_id,
         kickoff, status, provider_status
       FROM matches, generate_series(1, 10) n WHERE external_id LIKE 'demo-%'""",
)


def more(world: World, tag: str, play: int) -> None:
    """Ten more of everything that the pages list."""
    for statement in _MORE:
        db.session.execute(text(statement), {"tag": tag})
    db.session.commit()
    players = [
        Player(id=uuid4(), display_name=f"{tag} {n}", **_of(world, f"{tag}-{n}")) for n in range(10)
    ]
    db.session.add_all(players)
    db.session.commit()
    mode = world.callers.mode
    window = window_of(ALL_TIME, clock.now(), mode.calendar)
    board = open_board(
        catalogue.spec_of(world.callers.game, mode, catalogue.board_for(mode, window))
    )
    db.session.commit()
    board.put({str(player.id): Held(100 + n, 0) for n, player in enumerate(players)})
    ingest(messages([SNAP, RUN] * 10, first=20 * play, play=play))


def _of(world: World, external_id: str) -> dict[str, object]:
    return {"integrator_id": world.callers.integrator.id, "external_id": external_id}


def pages(world: World) -> dict[str, FlaskClient]:
    rules = db.session.scalar(
        text("SELECT team_rules_id FROM leagues WHERE slug = 'the-press-row'")
    )
    cup = db.session.scalar(text("SELECT id FROM tournaments"))
    board = f"/boards/{world.callers.game.slug}/{world.callers.mode.slug}/all-time"
    member = (
        "/",
        "/games",
        "/games/g1",
        "/leagues/the-press-row",
        board,
        f"/team/{rules}",
        f"/tournaments/{cup}",
    )
    scorer = ("/console/", "/console/g1")
    return dict.fromkeys(member, world.clients["member"]) | dict.fromkeys(
        scorer, world.clients["scorer"]
    )


@pytest.mark.usefixtures("still_clock")
def test_no_page_asks_more_statements_for_more_rows(app: Flask) -> None:
    def sign_in(role: str) -> FlaskClient:
        client = app.test_client()
        assert (
            client.post("/sign-in", data={"username": role, "password": DEMO_PASSWORD}).status_code
            == 303
        )
        return client

    world = make_world(app, sign_in)
    counts: list[dict[str, int]] = []
    for number, tag in enumerate(("few", "many", "most")):
        more(world, tag, play=10 * (number + 1))
        counts.append({})
        for page, client in pages(world).items():
            client.get(page)  # what all who look on share is worked out by the first of them
            with count_statements() as asked:
                answer = client.get(page)
            assert answer.status_code == 200, page
            counts[-1][page] = asked()
    assert counts[0] == counts[1] == counts[2]
    # The console's pages ask for what is entered and delivered. This board was filled past the
    # views, so that it has no tags.
    from_cache = [page for page in counts[0] if not page.startswith(("/console/", "/boards/"))]
    assert {page: counts[0][page] for page in from_cache} == dict.fromkeys(from_cache, 0)
