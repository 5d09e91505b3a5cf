"""A page whose figures come from several reads shows the database as it was at one moment."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Member
from app.core.db import db
from app.record import queries as record
from tests.worlds.games import ingest, make_game, messages, touchdown_drive
from tests.worlds.played_league import played_league

SignIn = Callable[..., FlaskClient]


@pytest.mark.parametrize("mode", ["total", "head_to_head"])
def test_a_table_is_of_the_moment_of_its_games(
    sign_in: SignIn, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Ann's 10.00 become 510.00 after the page has read the games.

    Beside these games it shows 10.00.
    """
    ids = {name: member(name).id for name in ("ann", "bob", "cat")}
    league = played_league(ids, ({"ann": 50, "bob": 40, "cat": 30},), mode=mode, settled=0).league
    total = text(
        "UPDATE league_members SET total_points = total_points + 500000 WHERE member_id = :ann"
    )
    read_games = record.gameweek_games

    def score_after(*gameweek: object) -> list[record.GameRow]:
        games = read_games(*gameweek)  # type: ignore[arg-type]
        with db.engine.begin() as writer:
            writer.execute(total, {"ann": ids["ann"]})
        return games

    ann, path = sign_in(username="ann"), f"/leagues/{league.slug}"
    monkeypatch.setattr(record, "gameweek_games", score_after)
    page = ann.get(path).text
    assert "10.00" in page
    assert "510.00" not in page


@pytest.mark.parametrize("path", ["/games/g1/box", "/games/g1/export.json"])
def test_a_game_is_of_the_moment_of_its_score(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The runner's 10 yards become 777 after the score is read: beside this score he has 10."""
    make_game()
    ingest(messages(touchdown_drive()))
    run = text(
        """UPDATE stat_lines SET stats = stats || '{"rushing_yards": 777}' WHERE player_id = 'H3'"""
    )
    read_game = record.game

    def run_after(game_id: str) -> record.GameRow | None:
        game = read_game(game_id)
        with db.engine.begin() as writer:
            writer.execute(run)
        return game

    monkeypatch.setattr(record, "game", run_after)
    number = re.compile(r"\b777\b")  # a hash may have these digits within it
    assert not number.search(client.get(path).text)
    assert number.search(client.get(f"{path}?x=1").text)
