"""Clubs by hand, games between them, and what is put right about a game's registration."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.audit.models import AuditEntry
from app.cli import game as commands
from app.core import clock
from app.core.db import db
from app.core.errors import UserError
from app.record.models import Club, Footballer, Game
from scorer_console.entry import services
from scorer_console.games import registering
from scorer_console.games.registering import RegisteredAs
from scorer_console.lease.leases import UnknownGameError
from tests.commands import use_here
from tests.console.conftest import SNAP, Enter
from tests.worlds.team_sheets import make_world

CLUB = {"short": "hrt", "name": "Hartwell", "nickname": "Hares", "colour": "#0B5C8A"}
GAME = {
    "kickoff": "2026-11-29T13:00",
    "zone": "America/New_York",
    "week": "12",
    "season_type": "REG",
}


def audited(act: str) -> list[AuditEntry]:
    return list(
        db.session.scalars(select(AuditEntry).where(AuditEntry.act == act).order_by(AuditEntry.id))
    )


def test_a_scorer_registers_two_clubs_and_a_game_of_theirs(scorer: FlaskClient) -> None:
    assert scorer.get("/console/clubs/").status_code == 200
    assert scorer.post("/console/clubs/", data=CLUB).status_code == 303
    assert (
        scorer.post("/console/clubs/", data=CLUB | {"short": "MIL", "name": "Milford"}).status_code
        == 303
    )
    club = db.session.get_one(Club, "HRT")
    assert (club.name, club.nickname, club.colour) == ("Hartwell", "Hares", "#0b5c8a")
    assert db.session.get_one(Footballer, "HRT-DST").club_id == "HRT"
    assert [entry.subject for entry in audited("operations.club_registered")] == [
        "club:HRT",
        "club:MIL",
    ]
    answer = scorer.post(
        "/console/", data=GAME | {"home": "HRT", "away": "MIL", "competition": "city-league"}
    )
    assert answer.headers["Location"] == "/console/20261129-MIL-HRT"
    game = db.session.get_one(Game, "20261129-MIL-HRT")
    assert (game.competition, game.time_zone) == ("city-league", "America/New_York")
    assert scorer.get("/console/20261129-MIL-HRT").status_code == 200


@pytest.mark.parametrize(
    ("field", "typed", "fault"),
    [
        ("short", "x", "2 to 8 letters or digits"),
        ("short", "<b>", "2 to 8 letters or digits"),
        ("short", "sf", "There is already a club SF"),
        ("name", " ", "Enter the club&#39;s name"),
        ("name", "x" * 81, "up to 80 characters"),
        ("nickname", "x" * 81, "up to 80 characters"),
        ("colour", "blue", "# and six digits"),
    ],
)
def test_what_is_wrong_with_a_club_is_said_at_its_field(
    scorer: FlaskClient, game: str, field: str, typed: str, fault: str
) -> None:
    answer = scorer.post("/console/clubs/", data=CLUB | {field: typed})
    assert answer.status_code == 422
    assert fault in answer.text
    assert db.session.get(Club, "HRT") is None
    assert audited("operations.club_registered") == []


def test_an_odd_competition_is_refused(scorer: FlaskClient, game: str) -> None:
    answer = scorer.post(
        "/console/", data=GAME | {"home": "SF", "away": "DAL", "competition": "City League"}
    )
    assert answer.status_code == 422
    assert "lowercase letters, digits and hyphens" in answer.text


def correct(
    home: str = "SF", away: str = "DAL", competition: str = "nfl"
) -> dict[str, tuple[str, str]]:
    return registering.correct_registration(
        "g1", RegisteredAs(home, away, competition), "typed wrongly", None
    )


def test_home_and_visitors_are_exchanged_before_the_first_event_with_audit(game: str) -> None:
    assert correct("DAL", "SF") == {"home_id": ("SF", "DAL"), "away_id": ("DAL", "SF")}
    game_row = db.session.get_one(Game, "g1", populate_existing=True)
    assert (game_row.home_id, game_row.away_id) == ("DAL", "SF")
    (entry,) = audited("operations.game_corrected")
    assert (entry.subject, entry.reason) == ("game:g1", "typed wrongly")
    assert entry.details["home_id"] == {"before": "SF", "after": "DAL"}


def test_after_the_first_event_the_clubs_stay_and_the_competition_can_change(enter: Enter) -> None:
    assert enter(SNAP).status_code == 200
    with pytest.raises(registering.CannotCorrectError, match="has events that name its clubs"):
        correct("DAL", "SF")
    assert correct(competition="ncaa") == {"competition": ("nfl", "ncaa")}
    assert db.session.get_one(Game, "g1", populate_existing=True).competition == "ncaa"


@pytest.mark.parametrize(
    ("home", "away", "competition", "fault"),
    [
        ("SF", "DAL", "nfl", "Nothing would change"),
        ("SF", "SF", "nfl", "cannot play itself"),
        ("SF", "XXX", "nfl", "There is no club XXX"),
        ("SF", "DAL", "N F L", "lowercase letters"),
    ],
)
def test_what_makes_no_sense_changes_nothing(
    game: str, home: str, away: str, competition: str, fault: str
) -> None:
    with pytest.raises(registering.CannotCorrectError, match=fault):
        correct(home, away, competition)
    game_row = db.session.get_one(Game, "g1", populate_existing=True)
    assert (game_row.home_id, game_row.away_id, game_row.competition) == ("SF", "DAL", "nfl")
    assert audited("operations.game_corrected") == []


def test_a_game_of_a_gameweek_keeps_its_competition_and_an_unknown_one_is_refused(
    app: Flask,
) -> None:
    make_world(first=clock.now().replace(microsecond=0, second=0) + timedelta(days=3), real=True)
    known = db.session.get_one(Game, "cup-1-AYR")
    with pytest.raises(registering.CannotCorrectError, match="its schedule decides"):
        registering.correct_registration(
            known.id, RegisteredAs(known.home_id, known.away_id, "elsewhere"), "why", None
        )
    with pytest.raises(UnknownGameError):
        registering.correct_registration("nothing", RegisteredAs("SF", "DAL", "nfl"), "why", None)


def test_a_practice_game_is_not_corrected(game: str) -> None:
    practice = services.begin_practice(services.Practice("SF", "DAL"), "1", clock.now())
    with pytest.raises(registering.CannotCorrectError, match="start a new one"):
        registering.correct_registration(practice.id, RegisteredAs("DAL", "SF", "nfl"), "why", None)


def test_an_operator_corrects_it_on_the_games_page(
    game: str, sign_in: Callable[..., FlaskClient]
) -> None:
    operator = sign_in("operator")
    assert "Fix the registration" in operator.get("/ops/games/g1").text
    form = {"home_id": "DAL", "away_id": "SF", "competition": "nfl"}
    silent = operator.post("/ops/games/g1/registration", data=form)
    assert (silent.status_code, "Give a reason" in silent.text) == (422, True)
    same = operator.post(
        "/ops/games/g1/registration", data=form | {"home_id": "SF", "away_id": "DAL", "why": "x"}
    )
    assert (same.status_code, "Nothing would change" in same.text) == (422, True)
    assert (
        operator.post(
            "/ops/games/g1/registration", data=form | {"why": "Typed wrongly"}
        ).status_code
        == 303
    )
    assert audited("operations.game_corrected")[0].reason == "Typed wrongly"


@pytest.fixture
def run(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    use_here(monkeypatch, commands, app)
    return lambda *arguments: CliRunner().invoke(commands.game, list(arguments))


def said(result: Result) -> list[str]:
    """Its lines, without those of the log."""
    return [line for line in result.output.splitlines() if line.startswith(("Club", "Game"))]


def test_the_command_registers_and_corrects(run: Callable[..., Result]) -> None:
    assert said(run("club", "HRT", "--name", "Hartwell")) == ["Club HRT"]
    assert said(run("club", "MIL", "--name", "Milford", "--colour", "#112233")) == ["Club MIL"]
    wrong = run("club", "MIL", "--name", "Milford")
    assert isinstance(wrong.exception, UserError)
    assert str(wrong.exception).startswith("short: There is already a club MIL")
    when = ("--kickoff", "2026-11-29T13:00", "--zone", "America/New_York")
    registered = run(
        "register", "MIL", "HRT", *when, "--week", "12", "--competition", "city-league"
    )
    assert said(registered) == ["Game 20261129-MIL-HRT"]
    corrected = run(
        "correct", "20261129-MIL-HRT", "--home", "MIL", "--away", "HRT", "--reason", "typed wrongly"
    )
    assert said(corrected) == [
        "Game 20261129-MIL-HRT: home HRT -> MIL",
        "Game 20261129-MIL-HRT: away MIL -> HRT",
    ]
    assert isinstance(
        run("correct", "nothing", "--home", "MIL", "--reason", "x").exception, UnknownGameError
    )
