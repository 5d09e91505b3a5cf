"""When the site was last used (in Redis, to a few seconds), and how requests were answered."""

from __future__ import annotations

import contextlib
import time
from http import HTTPStatus

import redis
from flask import Flask, Response, g, request

from app.core import metrics
from app.core.redis.clients import jobs_redis
from app.scores.submission.claims import SCORES_FAILED

LAST_USED = "pressbox:last_used"  # seconds since 1970
EVERY_SECONDS = 10.0
NOT_PEOPLE = frozenset({"ops.healthz", "ops.metrics", "static"})
# Endpoints that the service level objectives are about.
SCORES = frozenset({"api.submit_score", "api.submit_scores", "api.submit_bulk", "api.add_points"})
READS = frozenset(
    {
        "api.get_leaderboard",
        "api.get_player_rank",
        "api.get_score_band",
        "api.get_top_ten",
        "api.rank_players",
        "api.read_friends_board",
    }
)


def _is_server_error(response: Response) -> bool:
    return response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR


def init_app(app: Flask) -> None:
    """Note when the site is used, and measure its answers."""
    noted = 0.0

    @app.before_request
    def note_use() -> None:
        nonlocal noted
        now = time.time()
        if now - noted < EVERY_SECONDS or request.endpoint in NOT_PEOPLE:
            return
        noted = now
        with contextlib.suppress(redis.RedisError):  # a page must not fail because of this
            jobs_redis().set(LAST_USED, now)

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def measure(response: Response) -> Response:
        if request.endpoint in SCORES and (
            response.status_code < HTTPStatus.BAD_REQUEST or _is_server_error(response)
        ):
            good = not _is_server_error(response) and not g.get(SCORES_FAILED, False)
            metrics.count(metrics.SCORE_API, good=good)
        elif request.endpoint in READS and not _is_server_error(response) and "began" in g:
            metrics.observe(metrics.READ, time.perf_counter() - g.began)
        return response
