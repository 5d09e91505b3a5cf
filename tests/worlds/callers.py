"""Everybody who calls the API, each with what they sign their requests with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient

from app.accounts import api_keys, players, tokens
from app.accounts.api_keys import NewKey
from app.accounts.models import Integrator, Member
from app.boards.catalogue.rules import NewMode
from app.boards.models import Mode, ScoreGame
from app.core.clock import now
from tests.worlds.score_games import make_integrator, make_score_game, make_score_mode


@dataclass
class Callers:
    """A game server with every scope, and one of its players with a token.

    The game `dice` has the mode `ranked` (highest, daily and all-time).
    """

    app: Flask
    integrator: Integrator
    owner: Member
    key: str
    game: ScoreGame
    mode: Mode
    player_id: UUID
    token: str

    @property
    def game_server(self) -> FlaskClient:
        return self.signed(self.key)

    @property
    def player(self) -> FlaskClient:
        return self.signed(self.token)

    @property
    def mode_path(self) -> str:
        return f"/v1/games/{self.game.slug}/modes/{self.mode.slug}"

    @property
    def board(self) -> str:
        return f"{self.mode_path}/leaderboards/all-time"

    def signed(self, secret: str) -> FlaskClient:
        client = self.app.test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
        return client

    def register(self, external_id: str, display_name: str) -> UUID:
        """The id of one more player of the integrator."""
        return players.register_player(self.integrator.id, external_id, display_name)[0].id


def make_callers(
    app: Flask, owner: Member, name: str = "Dice House", slug: str = "dice"
) -> Callers:
    integrator = make_integrator(name, owner.id)
    key = new_key(integrator, owner, *api_keys.scopes_for(owner))
    game = make_score_game(slug, name, integrator.id)
    new = NewMode(
        "ranked", "Ranked", "highest", "shared", 0, 1_000_000, windows=("daily", "all-time")
    )
    mode = make_score_mode(game, new, now())
    player, _ = players.register_player(integrator.id, "p-1", "Nova")
    return Callers(
        app, integrator, owner, key, game, mode, player.id, tokens.issue(player.id, now()).access
    )


def new_key(integrator: Integrator, owner: Member, *scopes: str) -> str:
    key = api_keys.create_key(integrator, "server", scopes, owner)
    assert isinstance(key, NewKey), key
    return key.secret


def got(client: FlaskClient, path: str, status: int = 200) -> dict[str, Any]:
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.json is not None
    return answer.json
