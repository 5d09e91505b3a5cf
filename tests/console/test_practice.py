"""A practice game: entered like any other, published nowhere (PRODUCT A13)."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient
from sqlalchemy import select

from app.core.db import db
from app.record.models import Game
from app.stream.models import OutboxMessage
from tests.console.conftest import CONSOLE, RUN, SNAP
from tests.console.test_views import one_snap


def begin(scorer: FlaskClient) -> str:
    answer = scorer.post("/console/practice", data={"home": "SF", "away": "DAL"})
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
    assert "Nothing that you enter here is published" in scorer.get(f"/console/{practice}").text
    member = sign_in("member")
    assert practice not in member.get("/games").text
    assert member.get(f"/games/{practice}").status_code == 404


def test_a_practice_game_can_be_thrown_away_and_a_real_one_cannot(scorer: FlaskClient, game: str) -> None:
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
