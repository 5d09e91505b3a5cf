"""`current_user`: who looks at a page.

While a page is rendered for everybody (app/core/page_cache), it has only the attributes that all
viewers of that page have in common. Views and templates use it instead of Flask-Login's.
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
    """Return the viewer that `current_user` stands for now, for code that runs after it changes."""
    return g.get(_VIEWER) or flask_login.current_user


current_user: Any = LocalProxy(viewer_of_now)


@contextmanager
def viewed_by(viewer: object) -> Iterator[None]:
    """Let `current_user` be this viewer inside the block."""
    before = g.get(_VIEWER)
    setattr(g, _VIEWER, viewer)
    try:
        yield
    finally:
        setattr(g, _VIEWER, before)


def init_app(app: Flask) -> None:
    """Give templates this `current_user`. Runs after Flask-Login, to replace its `current_user`."""
    app.context_processor(lambda: {"current_user": current_user})
