"""Senders of scores for benchmarks/submits.py: players with tokens, servers with keys.

They are inserted into PostgreSQL directly if the way through the pages would take longer than the
measurement. Their requests are built as bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import insert

from app.accounts import api_keys, services, tokens
from app.accounts.digests import digest
from app.accounts.models import ApiKey, Integrator, Member, Player
from app.boards.catalogue.rules import NewMode
from app.boards.catalogue.services import create_game, create_mode
from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.scores.submission import attempts

BULK = 1_000  # scores per call
KEYS = 60  # keys per server: each may call 6,000 times a minute, and send 60,000 scores in bulk


class World:
    """Players with their tokens, and servers' keys; created in an application context."""

    def __init__(self, players: int, bulk_players: int) -> None:
        owner = services.register(
            "benchmark-owner", "Owner", "a-long-one-for-benchmarks", ["operator"]
        )
        assert isinstance(owner, Member), owner
        integrators = [
            api_keys.create_integrator(f"Benchmark {number}", owner.id) for number in range(2)
        ]
        self.integrator, self.bulk_integrator = [
            integrator for integrator in integrators if isinstance(integrator, Integrator)
        ]
        self.keys = self._keys(self.integrator, "scores:write")
        self.bulk_keys = self._keys(self.bulk_integrator, "scores:submit")
        self.mode = self._mode("dice", self.integrator)
        self.bulk_mode = self._mode("bulk", self.bulk_integrator)
        self.players = self._players(self.integrator, players)
        self.bulk_players = self._players(self.bulk_integrator, bulk_players)
        now = clock.now()
        self.tokens = [tokens.issue(player, now).access for player in self.players]
        self._sent = 0

    @staticmethod
    def _keys(integrator: Integrator, scope: str) -> list[str]:
        secrets = [f"{api_keys.PREFIX}{uuid4().hex}" for _ in range(KEYS)]
        rows = [
            {
                "integrator_id": integrator.id,
                "name": "",
                "prefix": secret,
                "digest": digest(secret),
                "scopes": [scope],
            }
            for secret in secrets
        ]
        db.session.execute(insert(ApiKey), rows)
        db.session.commit()
        return secrets

    @staticmethod
    def _mode(slug: str, integrator: Integrator) -> Mode:
        game = create_game(slug, slug.title(), integrator.id)
        assert not isinstance(game, list), game
        mode = create_mode(
            game, NewMode("ranked", "Ranked", "highest", "shared", 0, 10**6), clock.now()
        )
        assert not isinstance(mode, list), mode
        return mode

    @staticmethod
    def _players(integrator: Integrator, count: int) -> list[UUID]:
        ids = [uuid4() for _ in range(count)]
        rows = [
            {
                "id": player_id,
                "integrator_id": integrator.id,
                "external_id": str(n),
                "display_name": f"Player {n}",
            }
            for n, player_id in enumerate(ids)
        ]
        db.session.execute(insert(Player), rows)
        db.session.commit()
        return ids

    def _next(self) -> int:
        self._sent += 1
        return self._sent

    def points(self, count: int) -> list[bytes]:
        """Return so many requests of servers that add points."""
        requests = []
        for _ in range(count):
            n = self._next()
            body = {"user_id": str(self.players[n % len(self.players)]), "points": 1 + n % 50}
            requests.append(
                post(
                    "/v1/scores",
                    self.keys[n % len(self.keys)],
                    n,
                    body,
                    {"Idempotency-Key": str(uuid4())},
                )
            )
        return requests

    def own(self, wait: str) -> Callable[[int], list[bytes]]:
        """Return a function that builds requests of players' own scores."""

        def make(count: int) -> list[bytes]:
            requests = []
            for _ in range(count):
                n = self._next()
                player = self.players[n % len(self.players)]
                grant, token = attempts.issue(
                    attempts.AttemptRequest(self.mode.id, player, 10**6, timedelta(hours=1)),
                    clock.now(),
                )
                body = {
                    "attempt_id": str(grant.attempt_id),
                    "raw_score": n % 1000,
                    "attempt_token": token,
                }
                path = f"/v1/games/dice/modes/ranked/scores?wait={wait}"
                requests.append(
                    post(path, self.tokens[n % len(self.players)], n % len(self.players), body, {})
                )
            return requests

        return make

    def bulk(self, wait: str) -> Callable[[int], list[bytes]]:
        """Return a function that builds requests of BULK scores each, vouched for by a server."""

        def make(count: int) -> list[bytes]:
            requests = []
            for _ in range(count):
                n = self._next()
                scores = [
                    {
                        "player_id": str(
                            self.bulk_players[(n * BULK + place) % len(self.bulk_players)]
                        ),
                        "attempt_id": str(uuid4()),
                        "raw_score": (n + place) % 1000,
                    }
                    for place in range(BULK)
                ]
                path = f"/v1/games/bulk/modes/ranked/scores/bulk?wait={wait}"
                requests.append(
                    post(path, self.bulk_keys[n % len(self.bulk_keys)], n, {"scores": scores}, {})
                )
            return requests

        return make


def post(path: str, secret: str, number: int, body: object, headers: dict[str, str]) -> bytes:
    """Build a request; each number has its own address."""
    data = json.dumps(body).encode()
    own_headers = {
        "Host": "localhost",
        "Authorization": f"Bearer {secret}",
        "X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "Content-Type": "application/json",
        "Content-Length": str(len(data)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in (own_headers | headers).items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + data
