"""What a visitor sees first: a public league's table that moves, and the way to a league."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from app.accounts.models import Member, Player
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import Season
from app.fantasy.pages.home.frames import frames
from app.fantasy.pages.replay.page import Film, Play
from app.fantasy.scoring.replay.values import Race, Team
from app.fantasy.standings.models import League
from app.record.models import GameState
from app.record.queries import games_around, games_by_stage
from tests.worlds.games import NOW, ingest, ingest_and_refresh, make_game, messages, touchdown_drive

DRIVE = touchdown_drive()


@pytest.fixture
def public(league: League) -> League:
    """The league of Ann, Bob and Cat in a real season, and public."""
    db.session.get_one(Season, league.season_id).is_simulated = False
    league.is_public = True
    db.session.commit()
    return league


def test_the_ways_lead_through_registering_to_both_games(client: FlaskClient) -> None:
    text = client.get("/").text
    for path in ("/leagues/draft/new", "/leagues/new", "/drafts/mock", "/"):
        assert f'href="/register?next={path}"' in text
    assert "No standings yet" in text


def test_the_table_of_a_public_league_moves_with_each_play(
    public: League, client: FlaskClient
) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    text = client.get("/").text
    table = text[text.index('id="public-table"') : text.index('id="games-title"')]
    assert "Live: 1 game" in table
    assert table.index("Team ann") < table.index("Team bob")
    assert ">+1.00<" in table, "a run of 10 yards of Ann's runner"
    assert 'href="/games/g1/plays#play-2"' in table
    assert "Player3 runs to the HRB 35 for 10" in table
    etag = client.get("/", headers={"HX-Request": "true"}).headers["ETag"]
    poll = {"HX-Request": "true", "If-None-Match": etag}
    assert client.get("/", headers=poll).status_code == 304
    ingest_and_refresh(messages(DRIVE[6:], first=7, play=2))
    moved = client.get("/", headers=poll)
    assert moved.status_code == 200
    assert ">14.20<" in moved.text, "her captain threw 65 yards and a touchdown, twice 6.60"
    assert "<html" not in moved.text


def test_visitors_see_teams_but_no_people(public: League, client: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    bob = db.session.scalars(db.select(Member).where(Member.username == "bob")).one()
    player = Player(display_name="Bob", member_id=bob.id)
    db.session.add(player)
    db.session.commit()
    text = client.get("/").text
    assert "Team bob" in text
    for name in ("Ann", "Bob", "Cat"):
        assert f">{name}<" not in text
    player.hidden_at = clock.now()
    db.session.commit()
    assert "Team bob" not in client.get("/").text


@pytest.mark.parametrize("hide", ["private", "simulated"])
def test_no_other_league_is_shown(public: League, client: FlaskClient, hide: str) -> None:
    ingest_and_refresh(messages(DRIVE))
    if hide == "private":
        public.is_public = False
    else:
        db.session.get_one(Season, public.season_id).is_simulated = True
    db.session.commit()
    text = client.get("/").text
    assert "Team ann" not in text
    assert "No standings yet" in text


def test_without_a_live_game_the_gameweek_is_replayed(public: League, client: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    db.session.query(GameState).update({"status": "final"})
    db.session.commit()
    text = client.get("/").text
    assert ", replayed" in text
    assert 'id="replay-frames"' in text
    assert re.search(r'href="/games/g1/plays#play-\d"', text), "the play under the table opens"
    assert '"Team ann"' in text


def test_games_to_come_are_listed_soonest_first_between_live_and_played_ones(
    league: League,
) -> None:
    for name, hours in (("g2", 50), ("g3", 26), ("g4", 2)):
        make_game(name).kickoff = NOW + timedelta(hours=hours)
    db.session.commit()
    ingest(messages(DRIVE[:2], "g2"))
    assert [game.id for game in games_around(NOW, 6)] == ["g2", "g1", "g4", "g3"]
    late = games_around(NOW + timedelta(hours=15), 6)
    assert [game.id for game in late] == ["g2", "g3", "g4", "g1"], "g1 and g4 did not begin"
    listed = games_by_stage(NOW, most=2)
    assert [game.id for game in listed.live] == ["g2"]
    assert [game.id for game in listed.upcoming] == ["g1", "g4"], "at most two per stage"
    assert not listed.results
    results = games_by_stage(NOW + timedelta(hours=15)).results
    assert [game.id for game in results] == ["g4", "g1"], "the latest first"


def test_the_list_of_games_begins_with_live_ones(league: League, client: FlaskClient) -> None:
    make_game("g2").kickoff = clock.now() + timedelta(hours=50)
    db.session.commit()
    ingest(messages(DRIVE[:2]))
    text = client.get("/games").text
    places = [text.index(words) for words in ("Live now", "card-g1", "Upcoming", "card-g2")]
    assert places == sorted(places)
    assert "Results" not in text


def film(*plays: tuple[tuple[int, int, int], ...]) -> Film:
    """Three teams; each play is the changes that it makes."""
    return Film(
        tuple(
            Team(number, name, f"{name} Person", ranked=True) for number, name in enumerate("ABC")
        ),
        ((0, 1), (0, 1), (0, 1)),
        tuple(
            Play("g", n, n, "HRB at SUM", "", f"Play {n}.", "", changed)
            for n, changed in enumerate(plays)
        ),
        Race((), None),
        (),
        3,
    )


def test_a_frame_is_a_play_that_changes_the_order() -> None:
    ahead = ((2, 3000, 1), (0, 0, 2), (1, 0, 2))
    pictures = frames(film(ahead, (), ((2, 4000, 1),), ((1, 9000, 1), (2, 4000, 2), (0, 0, 3))))
    assert [(frame.play.words, [row.name for row in frame.rows]) for frame in pictures] == [
        ("Play 0.", ["C", "A", "B"]),
        ("Play 3.", ["B", "C", "A"]),
    ]
    assert [row.points for row in pictures[0].rows] == ["3.00", "0.00", "0.00"]
    assert [row.gained for row in pictures[1].rows] == ["+9.00", "", ""]
    assert [frame.play.play_number for frame in pictures] == [0, 3]
    later = frames(film(ahead, ((2, 4000, 1),)))
    assert [row.points for row in later[-1].rows] == ["4.00", "0.00", "0.00"], "as it is now"
    assert frames(film()) == []
