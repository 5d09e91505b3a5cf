"""When somebody last used the site, and how fast and how well requests were answered.

In Redis, to a few seconds.
"""

from __future__ import annotations

import contextlib
import time

import redis
from flask import Flask, Response, g, request

from app.core import metrics
from app.core.redis.clients import jobs_redis
from app.scores.submission.claims import SCORES_FAILED

LAST_USED = "pressbox:last_used"  # seconds since 1970
EVERY_SECONDS = 10.0
NOT_PEOPLE = frozenset({"ops.healthz", "ops.metrics", "static"})
# Whose answers the service level objectives are about.
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


def init_app(app: Flask) -> None:
    """Note who uses the site."""
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
            response.status_code < 400 or response.status_code >= 500
        ):
            good = response.status_code < 500 and not g.get(SCORES_FAILED, False)
            metrics.count(metrics.SCORE_API, good=good)
        elif request.endpoint in READS and response.status_code < 500 and "began" in g:
            metrics.observe(metrics.READ, time.perf_counter() - g.began)
        return response
