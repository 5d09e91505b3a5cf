"""The parts of what just happened in a league that begin with the viewer's own team.

The rest is the same for all members of the league, and so is rendered once
(page_cache/own_parts.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import msgspec
from flask import Flask, current_app

from app.core.page_cache.own_parts import Fillings, OwnParts, add_own_parts
from app.core.page_cache.placeholders import placeholder
from app.fantasy.scoring.swings.cache import (
    NOTHING_OWN,
    Latest,
    LatestOfAll,
    decode_latest,
    decode_own,
)

if TYPE_CHECKING:
    from jinja2 import Environment

NAME = "swings"
_TEMPLATE = "leagues/_now_own.html"

# Of the leagues that many watch now. Each has some 25 KiB, and is outdated by the next play.
_shared = lru_cache(maxsize=16)(decode_latest)


def texts_for(latest: Latest, me: int) -> dict[str, str]:
    """Return the texts of the own parts by name. `latest`: as the viewer `me` sees it."""
    fillings = _fillings(current_app.jinja_env, latest, me)
    return {name: fill() for name, fill in fillings.items()}


def placeholders_for(latest: Latest) -> dict[str, str]:
    """Return the placeholders of the own parts by name."""
    return {name: placeholder(name) for name in _names(latest)}


def own_parts(of_all: LatestOfAll) -> OwnParts:
    """Return the own parts of the page that shows this."""
    return OwnParts(NAME, of_all.key, msgspec.json.encode(of_all.latest).decode(), of_all.own)


def init_app(app: Flask) -> None:
    """Register what fills the placeholders."""
    add_own_parts(app, NAME, partial(_fill, app.jinja_env))


def _fill(environment: Environment, shared: str, data: bytes | None, member_id: str) -> Fillings:
    latest = _shared(shared).seen_by(NOTHING_OWN if data is None else decode_own(data))
    return _fillings(environment, latest, int(member_id))


def _names(latest: Latest) -> list[str]:
    names = ["said", "moved", *(f"moved-{number}" for number in range(1, len(latest.swings)))]
    return (names if latest.swings else []) + (["balance"] if latest.balance else [])


def _fillings(environment: Environment, latest: Latest, me: int) -> Fillings:
    macros: Any = environment.get_template(_TEMPLATE).module
    fillings: list[Callable[[], str]] = []
    if latest.swings:
        newest, *earlier = latest.swings
        fillings += partial(macros.said, newest), partial(macros.moved, newest, me)
        fillings += [partial(macros.most_moved, swing) for swing in earlier]
    if latest.balance:
        fillings.append(partial(macros.tables, latest.balance, me))
    return dict(zip(_names(latest), fillings, strict=True))
