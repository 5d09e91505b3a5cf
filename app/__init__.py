"""Pressbox: a fantasy football platform on the official record of the game.

Every process imports this file: what it needs besides is imported when it is called for.
"""

from __future__ import annotations

import gc
import zoneinfo
from typing import TYPE_CHECKING

# Starting makes hundreds of thousands of objects and hardly any garbage: looking for it after each
# 700, as Python does by itself, takes a seventh of the time in which a process starts.
gc.set_threshold(50_000, 20, 20)

# Windows, deadlines and waiver times must not depend on the machine: the rules of time zones come
# from the pinned tzdata package alone, never from the system's database.
zoneinfo.reset_tzpath(to=())

if TYPE_CHECKING:
    from flask import Flask

    from app.core.postgres.timeouts import Use
    from app.settings import Settings


def create_app(settings: Settings | None = None, use: Use | None = None) -> Flask:
    """Create the web application with all pages.

    Args:
        settings: Default: from the environment, then the running stack.
        use: What its connections to PostgreSQL are for, which decides their timeouts.
    """
    from app.core.postgres.timeouts import Use
    from app.web_app import web_app

    return web_app(settings, use or Use.WEB)


def create_worker_app(settings: Settings | None, use: Use, threads: int = 1) -> Flask:
    """The same stores, tables and configuration for a process that shows no page.

    `threads`: how many use them.
    """
    from app.worker_app import worker_app

    return worker_app(settings, use, threads)
