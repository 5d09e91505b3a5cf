"""Sends pictures of shared pages, each drawn once per version of what it shows.

They are in the colours of the clubs, which are loaded here too.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, make_response

from app.core.redis.clients import RedisAway, jobs_redis
from app.core.restore_epoch import key_of
from app.fantasy.pages.share.canvas import TYPE, ClubColours
from app.record import queries as record
from app.record.pages.club_colours import shown_colours

CACHE_SECONDS = 3600  # how long a picture is cached in Redis
BROWSER_SECONDS = 300  # how long messengers may cache it, also after the link was removed


def cached_picture(name: str, draw: Callable[[], bytes]) -> bytes:
    """The picture of this name, which says what it shows and in which version."""
    key = key_of(name)
    try:
        cached = jobs_redis().get(key)
    except RedisAway:
        cached = None
    if isinstance(cached, bytes):
        return cached
    png = draw()
    try:
        jobs_redis().set(key, png, ex=CACHE_SECONDS)
    except RedisAway:
        return png
    return png


def picture_response(png: bytes) -> Response:
    """The answer with a picture that everybody who has the link may see."""
    response: Response = make_response(png)
    response.content_type = TYPE
    response.cache_control.public = True
    response.cache_control.max_age = BROWSER_SECONDS
    return response


def load_club_colours() -> ClubColours:
    """The two colours of every club."""
    return {club.id: shown_colours(club.id, club.colour) for club in record.clubs()}
