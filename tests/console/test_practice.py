"""A practice game: entered like any other, published nowhere (PRODUCT A13)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from flask.testing import FlaskClient
from sqlalchemy import select

from app.core.db import db
from app.record.models import Game
from app.record.rules.football.rulebook import rulebook_of
from app.stream.models import OutboxMessage
from scorer_console import queries
from scorer_console.entry import services
from scorer_console.entry.page import screen
from tests.console.conftest import CONSOLE, RUN, SNAP
from tests.console.test_views import one_snap


def begin(scorer: FlaskClient, **more: str) -> str:
    answer = scorer.post("/console/practice", data={"home": "SF", "away": "DAL"} | more)
    assert answer.status_code == 303
    return answer.location.rsplit("/", 1)[1]


def test_a_practice_game_is_entered_like_any_other_and_shown_to_scorers_alone(
    scorer: FlaskClient, game: str, sign_in: Callable[..., FlaskClient]
) -> None:
    practice = begin(scorer)
    assert scorer.post(f"/console/{practice}/lease", json={"console": CONSOLE}).status_code == 200
    entry = one_snap() | {"entries": [{"body": SNAP}, {"body": RUN}]}
    answer = scorer.post(f"/console/{practice}/events", json=entry)
    assert answer.json["situation"]["suggestion"]["distance"] == 6
    assert "Nothing you enter here is published" in scorer.get(f"/console/{practice}").text
    member = sign_in("member")
    assert practice not in member.get("/games").text
    assert member.get(f"/games/{practice}").status_code == 404


def test_a_practice_game_can_be_thrown_away_and_a_real_one_cannot(
    scorer: FlaskClient, game: str
) -> None:
    practice = begin(scorer)
    assert scorer.post(f"/console/{practice}/lease", json={"console": CONSOLE}).status_code == 200
    assert scorer.post(f"/console/{practice}/events", json=one_snap()).status_code == 200
    assert scorer.post(f"/console/{practice}/throw-away").status_code == 303
    assert db.session.scalars(select(OutboxMessage.id)).all() == []
    assert scorer.post(f"/console/{game}/throw-away").status_code == 404
    assert db.session.scalars(select(Game.id)).all() == [game]


def test_two_clubs_are_needed(scorer: FlaskClient, game: str) -> None:
    answer = scorer.post("/console/practice", data={"home": "SF", "away": "SF"})
    assert answer.status_code == 422
    assert "A club cannot play itself" in answer.text


def test_a_practice_game_is_played_by_the_rules_of_its_day_and_of_the_competition_chosen(
    scorer: FlaskClient, game: str
) -> None:
    """NFL 2025 (6-1-1, 11-3-2): kickoff 35, touchback 35, tries from the 15.

    NCAA and NFHS 6-1 and 8-3.
    """
    for second, (competition, spots) in enumerate(
        {"nfl": (35, 35, 85), "ncaa": (35, 25, 97), "nfhs": (40, 20, 97)}.items()
    ):
        begun = datetime(2026, 10, 4, 18, 0, second, tzinfo=UTC)
        practice = services.begin_practice(services.Practice("SF", "DAL", competition), "7", begun)
        book = rulebook_of(queries.game(practice.id))
        assert (book.kickoff, book.kickoff_touchback, book.try_spot) == spots
        started = screen(queries.desk(practice.id, begun), [], begun).situation["suggestion"]
        assert started["spot"] == spots[0]


def test_the_form_offers_each_competition_whose_rules_are_known(
    scorer: FlaskClient, game: str
) -> None:
    page = scorer.get("/console/").text
    assert all(f'value="{name}"' in page for name in ("nfl", "ncaa", "nfhs"))
    practice = begin(scorer, competition="ncaa")
    assert db.session.get(Game, practice).competition == "ncaa"


def test_a_competition_without_rules_is_refused(scorer: FlaskClient, game: str) -> None:
    answer = scorer.post(
        "/console/practice", data={"home": "SF", "away": "DAL", "competition": "cricket"}
    )
    assert answer.status_code == 422
    assert "There are no rules for the competition" in answer.text
