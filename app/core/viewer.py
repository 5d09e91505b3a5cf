"""`current_user`: who looks at a page.

While a page is rendered for everybody (app/core/page_cache) it is nobody in particular: then it
answers only what all viewers of that page have in common. Views and templates use this one instead
of Flask-Login's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import flask_login
from flask import Flask, g
from werkzeug.local import LocalProxy

_VIEWER = "viewer_of_cached_page"  # of flask.g


def viewer_of_now() -> Any:
    """Return who `current_user` is now, for what outlives its change."""
    return g.get(_VIEWER) or flask_login.current_user


current_user: Any = LocalProxy(viewer_of_now)


@contextmanager
def viewed_by(viewer: object) -> Iterator[None]:
    """Let `current_user` be this viewer inside."""
    before = g.get(_VIEWER)
    setattr(g, _VIEWER, viewer)
    try:
        yield
    finally:
        setattr(g, _VIEWER, before)


def init_app(app: Flask) -> None:
    """Give templates this `current_user`. Runs after Flask-Login, whose own it replaces."""
    app.context_processor(lambda: {"current_user": current_user})
