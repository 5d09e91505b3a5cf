"""Soccer from files.

The source's footballers and sheets, points of stat lines, corrections, and errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from sqlalchemy import func, select

from app.accounts.models import Member
from app.core import clock
from app.core.csv_files import FileError
from app.core.db import db
from app.fantasy.gameweeks import live
from app.fantasy.market.models import FootballerSeason, Gameweek
from app.fantasy.scoring.models import ImportedLine, PlayerPoints
from app.fantasy.season_setup.soccer import bare_id, read_soccer
from app.fantasy.season_setup.soccer_importing import SoccerImported, SoccerSeason, import_soccer
from app.fantasy.season_setup.storing import ImportRefusedError
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.models import League
from app.fantasy.standings.season_places import season_places
from app.record.models import Club, Footballer, Game, GameState
from tests.worlds.season_files import written

ZONE = ZoneInfo("Africa/Accra")
Row = TypeVar("Row")
KICKOFF = clock.now().replace(microsecond=0) + timedelta(days=1)

# The source's team sheet (captain, goalkeeper, players, substitutes).
SHEET = (
    "RichardRoe#1",
    "JorgeSouza#7",
    "KwesiManu#9",
    "PauloSantos#10",
    "ArnavDesai#20",
    "JohnStiles#6",
    "NikhilJayahankar#17",
)
FOOTBALLERS = [
    {
        "PK": "Footballer#KwesiManu#9",
        "GSI1_PK": "Position#Striker",
        "Price ($_MM)": 12,
        "club": "ACC",
    },
    {
        "PK": "Footballer#PauloSantos#10",
        "GSI1_PK": "Position#Midfielder",
        "Price ($_MM)": 9.5,
        "club": "ACC",
    },
    {"id": "JorgeSouza#7", "position": "MID", "club": "KUM", "price": "8.0"},
    {"id": "RichardRoe#1", "position": "Goalkeeper", "club": "KUM"},
    {"id": "ArnavDesai#20", "position": "Defender", "club": "TEM"},
    {
        "id": "JohnStiles#6",
        "position": "Defender",
        "club": "TEM",
        "status": "injured",
        "news": "Knee",
    },
    {"id": "NikhilJayahankar#17", "position": "Forward", "name": "Nikhil J.", "club": "CAP"},
]
FIXTURES = [
    {"id": "one", "gameweek": 1, "kickoff": KICKOFF.isoformat(), "home": "ACC", "away": "KUM"},
    {
        "gameweek": 1,
        "kickoff": (KICKOFF + timedelta(hours=3)).isoformat(),
        "home": "TEM",
        "away": "CAP",
    },
]
LINES = [
    {"footballer": "KwesiManu#9", "game": "one", "minutes": 90, "goals": 2, "bonus": 3},
    {
        "footballer": "JorgeSouza#7",
        "game": "one",
        "minutes": 61,
        "goals_scored": 1,
        "yellow_cards": 1,
    },
    {"footballer": "RichardRoe#1", "game": "one", "minutes": 90, "saves": 7, "goals_conceded": 2},
    {"footballer": "PauloSantos#10", "game": "one", "minutes": 0},
    {
        "footballer": "ArnavDesai#20",
        "gameweek": 1,
        "minutes": 90,
        "clean_sheets": 1,
        "own_goals": 1,
    },
    {"footballer": "NikhilJayahankar#17", "gameweek": 1, "minutes": 20},
]


def load(folder: Path, **lists: list[dict[str, Any]]) -> SoccerImported:
    path = written(folder, "soccer.json", json.dumps(lists))
    into = SoccerSeason("ghana", 2026, "Africa/Accra", "soccer-five")
    done = import_soccer(read_soccer([path], ZONE), into, clock.now())
    for game in done.games:
        live.refresh_game(game, clock.now())
    return done


def everything(folder: Path, lines: list[dict[str, Any]] = LINES) -> SoccerImported:
    return load(folder, footballers=FOOTBALLERS, fixtures=FIXTURES, lines=lines)


def all_of(model: type[Row]) -> Sequence[Row]:
    return db.session.scalars(select(model)).all()


def points() -> dict[str, int]:
    rows = db.session.execute(
        select(PlayerPoints.player_id, PlayerPoints.points).where(PlayerPoints.rules == "soccer")
    )
    return dict(rows.all())


def test_the_sources_ids_work_as_they_stand(app: Flask, tmp_path: Path) -> None:
    everything(tmp_path)
    kwesi = db.session.get(Footballer, "KwesiManu#9")
    assert kwesi is not None
    assert (kwesi.name, kwesi.number, kwesi.position, kwesi.club_id) == (
        "Kwesi Manu",
        9,
        "FWD",
        "ACC",
    )
    market = {row.footballer_id: row for row in db.session.scalars(select(FootballerSeason))}
    assert market.keys() == set(SHEET)
    assert (
        market["KwesiManu#9"].price,
        market["PauloSantos#10"].price,
        market["RichardRoe#1"].price,
    ) == (120, 95, 45)
    assert (market["JohnStiles#6"].status, market["JohnStiles#6"].news) == ("injured", "Knee")


def test_stat_lines_become_points_by_position(app: Flask, tmp_path: Path) -> None:
    everything(tmp_path)
    assert points() == {
        "KwesiManu#9": 2000 + 2 * 4000 + 3000,
        "JorgeSouza#7": 2000 + 5000 - 1000,
        "RichardRoe#1": 2000 + 2000 - 1000,
        "ArnavDesai#20": 2000 + 4000 - 2000,
        "NikhilJayahankar#17": 1000,
    }


def test_games_are_over_with_the_score_of_their_lines(app: Flask, tmp_path: Path) -> None:
    everything(tmp_path)
    games = {
        state.game_id: (state.status, state.home_score, state.away_score)
        for state in db.session.scalars(select(GameState))
    }
    assert games == {"one": ("final", 2, 1), "ghana-2026-01-TEM-CAP": ("final", 0, 1)}
    gameweek = db.session.scalars(select(Gameweek)).one()
    assert gameweek.deadline == KICKOFF


def standings() -> tuple[dict[str, tuple[str, int, int]], dict[str, tuple[str, str]]]:
    """The score of each game, and for each footballer the game and the club of their line."""
    db.session.expire_all()
    scores = {
        state.game_id: (state.status, state.home_score, state.away_score)
        for state in all_of(GameState)
    }
    return scores, {line.player_id: (line.game_id, line.team) for line in all_of(ImportedLine)}


def test_a_transfer_in_mid_season_moves_no_goal_of_games_before_it(
    app: Flask, tmp_path: Path
) -> None:
    """Law 10 of the IFAB's Laws of the Game: the goal is the team's that scored it.

    Sources give whole seasons again, with today's clubs: both goals of Kwesi left the score when he
    did, and Nikhil's line looked for another game.
    """
    everything(tmp_path)
    before = standings(), points()
    clubs = {"KwesiManu#9": "CAP", "NikhilJayahankar#17": "ACC"}
    moved = [
        {
            **footballer,
            "club": clubs.get(
                bare_id(str(footballer.get("id", footballer.get("PK")))), footballer["club"]
            ),
        }
        for footballer in FOOTBALLERS
    ]
    load(tmp_path, footballers=moved, fixtures=FIXTURES, lines=LINES)
    assert (standings(), points()) == before


def test_a_line_of_a_club_that_does_not_play_in_its_game_is_refused(
    app: Flask, tmp_path: Path
) -> None:
    """Its goals would be nobody's, and the score wrong without a word."""
    with pytest.raises(
        FileError,
        match="KwesiManu#9 is of TEM, which does not play in game one; say in the column club",
    ):
        everything(tmp_path, [{**LINES[0], "club": "TEM"}])
    everything(tmp_path, [{**LINES[0], "club": "KUM"}])
    assert standings()[0]["one"] == ("final", 0, 2)


def test_the_sources_team_sheet_is_saved_and_scored(
    app: Flask, tmp_path: Path, member: Callable[..., Member]
) -> None:
    load(tmp_path, footballers=FOOTBALLERS, fixtures=FIXTURES)
    tito = member("tito12121")
    league = db.session.scalars(select(League).where(League.is_overall)).one()
    gameweek = db.session.scalars(select(Gameweek)).one()
    draft = sheets.Draft(SHEET, captain=2, vice_captain=3)
    saved = sheets.save(tito.id, league.team_rules_id, gameweek.id, draft, clock.now())
    assert isinstance(saved, sheets.Saved), saved
    load(tmp_path, lines=LINES)
    # Paulo Santos did not play and John Stiles has no line: the second substitute comes on. The
    # captain counts twice.
    assert total(league, tito) == 3000 + 2 * 6000 + 13000 + 1000 + 4000
    load(tmp_path, lines=[LINES[0] | {"goals": 1}, *LINES[1:]])
    assert total(league, tito) == 29000


def total(league: League, member: Member) -> int:
    db.session.expire_all()
    places = season_places(league.id) or {}
    return places[member.id].total


def test_the_same_files_again_change_nothing(app: Flask, tmp_path: Path) -> None:
    first = everything(tmp_path)
    assert set(first.games) == {"one", "ghana-2026-01-TEM-CAP"}
    before = points()
    assert everything(tmp_path).games == ()
    assert points() == before


def test_who_is_not_in_a_games_lines_any_more_loses_theirs(app: Flask, tmp_path: Path) -> None:
    everything(tmp_path)
    assert load(tmp_path, lines=LINES[:2]).games == ("one",)
    assert points().keys() == {
        "KwesiManu#9",
        "JorgeSouza#7",
        "ArnavDesai#20",
        "NikhilJayahankar#17",
    }
    assert len(db.session.scalars(select(ImportedLine)).all()) == 4


def test_a_game_that_is_said_to_be_live_stays_so_until_it_is_final(
    app: Flask, tmp_path: Path
) -> None:
    load(
        tmp_path,
        footballers=FOOTBALLERS,
        fixtures=[FIXTURES[0] | {"status": "live"}, FIXTURES[1]],
        lines=LINES,
    )
    load(tmp_path, lines=[LINES[0] | {"goals": 3}, *LINES[1:3]])
    state = db.session.get_one(GameState, "one")
    assert (state.status, state.home_score) == ("live", 3)
    load(tmp_path, fixtures=[FIXTURES[0] | {"status": "final", "home_score": 4, "away_score": 1}])
    db.session.refresh(state)
    assert (state.status, state.home_score) == ("final", 4)


def test_nothing_of_a_cancelled_match_counts_and_a_new_word_brings_it_back(
    app: Flask, tmp_path: Path
) -> None:
    everything(tmp_path)
    counted = select(func.count()).where(PlayerPoints.game_id == "one")
    before = db.session.scalar(counted)
    assert before
    load(tmp_path, fixtures=[FIXTURES[0] | {"status": "cancelled"}])
    assert db.session.scalar(counted) == 0
    assert db.session.get_one(GameState, "one", populate_existing=True).status == "cancelled"
    load(tmp_path, fixtures=[FIXTURES[0] | {"status": "final"}], lines=LINES)
    assert db.session.scalar(counted) == before


def test_csv_files_are_known_by_their_columns(app: Flask, tmp_path: Path) -> None:
    paths = [
        written(tmp_path, name, text)
        for name, text in (
            ("players.csv", "id,position,club\nAda#1,GK,ACC\n"),
            ("fixtures.csv", "gameweek,kickoff,home,away\n3,2026-08-15T16:00,ACC,KUM\n"),
            ("gw3.csv", "footballer,gameweek,minutes,saves\nAda#1,3,90,3\n"),
        )
    ]
    import_soccer(
        read_soccer(paths, ZoneInfo("Europe/London")),
        SoccerSeason("cup", 2026, "Europe/London"),
        clock.now(),
    )
    game = db.session.scalars(select(Game)).one()
    assert game.kickoff == datetime.fromisoformat("2026-08-15T15:00+00:00")
    assert points() == {"Ada#1": 3000}


def test_a_club_of_another_competition_is_refused(app: Flask, tmp_path: Path) -> None:
    db.session.add_all(
        [Club(id=club, name=club, nickname="", colour="#444444") for club in ("ACC", "QRY")]
    )
    db.session.flush()
    db.session.add(
        Game(
            id="g",
            season=2026,
            season_type="REG",
            week=1,
            kickoff=KICKOFF,
            home_id="ACC",
            away_id="QRY",
        )
    )
    db.session.commit()
    with pytest.raises(ImportRefusedError, match="ACC plays in another competition"):
        everything(tmp_path)
    assert db.session.scalars(select(FootballerSeason)).all() == []


@pytest.mark.parametrize(
    ("kind", "broken", "says"),
    [
        (
            "footballers",
            {"id": "A#1", "position": "Libero"},
            ["footballers 1", "position", "Libero", "Goalkeeper"],
        ),
        ("footballers", {"id": "A#1", "position": "GK", "price": "9.55"}, ["price", "9.55", "9.5"]),
        (
            "footballers",
            {"id": "A#1", "position": "GK", "status": "ill"},
            ["status", "ill", "injured"],
        ),
        ("footballers", {"position": "GK"}, ["id", "empty"]),
        (
            "fixtures",
            {"gameweek": 1, "kickoff": "soon", "home": "A", "away": "B"},
            ["fixtures 1", "kickoff", "soon"],
        ),
        (
            "fixtures",
            {"gameweek": 0, "kickoff": "2026-08-15T16:00", "home": "A", "away": "B"},
            ["gameweek", "from 1"],
        ),
        (
            "fixtures",
            {"gameweek": 1, "kickoff": "2026-08-15T16:00", "home": "A", "away": "A"},
            ["away", "two clubs"],
        ),
        ("lines", {"footballer": "A#1", "minutes": 90}, ["lines 1", "game", "fixture"]),
        (
            "lines",
            {"footballer": "A#1", "game": "one", "minutes": -3},
            ["minutes", "-3", "whole number"],
        ),
        (
            "lines",
            {"footballer": "Nobody#1", "game": "one", "minutes": 9},
            ["footballer", "Nobody#1", "market"],
        ),
        (
            "lines",
            {"footballer": "KwesiManu#9", "game": "two", "minutes": 9},
            ["game", "two", "import it first"],
        ),
        (
            "lines",
            {"footballer": "KwesiManu#9", "gameweek": 7, "minutes": 9},
            ["game", "0 games", "fixture's id"],
        ),
    ],
    ids=[
        "position",
        "price",
        "status",
        "id",
        "kickoff",
        "week",
        "one club",
        "no game",
        "number",
        "who",
        "which",
        "bye",
    ],
)
def test_a_broken_entry_is_refused_with_its_place_and_nothing_is_stored(
    app: Flask, tmp_path: Path, kind: str, broken: dict[str, Any], says: list[str]
) -> None:
    load(tmp_path, footballers=FOOTBALLERS, fixtures=FIXTURES)
    with pytest.raises(FileError) as raised:
        load(tmp_path, **{kind: [broken]})
    for words in [*says, "soccer.json"]:
        assert words in str(raised.value)
    assert (points(), len(db.session.scalars(select(Game)).all())) == ({}, 2)


def test_the_example_of_the_documentation_is_true(app: Flask, tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "soccer.md").read_text()
    (example,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    load(tmp_path, **json.loads(example))
    assert points() == {"KwesiManu#9": 13000, "RichardRoe#1": 3000}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"price": "1e999999999"}, "price: is 1e999999999; it should be millions"),
        ({"price": "sNaN"}, "price: is sNaN; it should be millions"),
        ({"news": "a\x00b"}, "U\\+0000"),
        ({"news": "\ud800"}, "is not JSON"),
    ],
)
def test_a_footballer_that_cannot_be_stored_is_refused(
    tmp_path: Path, changed: dict[str, str], sentence: str
) -> None:
    text = json.dumps({"footballers": [FOOTBALLERS[2] | changed]})
    with pytest.raises(FileError, match=sentence):
        read_soccer([written(tmp_path, "soccer.json", text)], ZONE)


def test_a_number_on_a_shirt_is_of_plain_digits(tmp_path: Path) -> None:
    text = json.dumps({"footballers": [FOOTBALLERS[2] | {"id": "JorgeSouza#\u00b2"}]})
    (footballer,) = read_soccer([written(tmp_path, "soccer.json", text)], ZONE).footballers
    assert footballer.number is None


def test_a_kickoff_at_the_end_of_the_calendar_is_refused(tmp_path: Path) -> None:
    text = json.dumps({"fixtures": [FIXTURES[0] | {"kickoff": "9999-12-31T23:59:59-12:00"}]})
    with pytest.raises(FileError, match="kickoff: is '9999"):
        read_soccer([written(tmp_path, "soccer.json", text)], ZONE)


def test_json_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is not JSON"):
        read_soccer([written(tmp_path, "soccer.json", "[" * 100_000 + "]" * 100_000)], ZONE)
