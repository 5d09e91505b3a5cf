"""Serves a WSGI application on a bound socket until SIGTERM or SIGINT.

Then it accepts no more connections, answers the requests that it has received whole, and ends.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
from typing import Any

import uvicorn
from flask import Flask

from app.core.serving import stream_source
from workers.web import connection
from workers.web.connection import LimitedProtocol
from workers.web.gateway import Gateway

CONNECTIONS = 4000  # open at once; further requests get 503
BACKLOG = 1024
TICK_SECONDS = 0.5
STOP_SECONDS = 8  # to answer the requests received so far; the supervisor kills after 10


class WebServer(uvicorn.Server):
    """uvicorn with one gateway on one socket."""

    def __init__(self, gateway: Gateway, listening: socket.socket) -> None:
        config = uvicorn.Config(
            gateway,
            http=LimitedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # Flask's ProxyFix reads them if TRUSTED_PROXIES says so
            server_header=False,
            limit_concurrency=min(CONNECTIONS, _raise_file_limit() - 100),
            backlog=BACKLOG,
            timeout_keep_alive=int(connection.IDLE_SECONDS),
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        super().__init__(config)
        self.gateway = gateway
        self._listening = listening

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer until a signal, or until `should_exit` is set."""
        # LimitedProtocol logs refusals itself, without the client's input.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        super().run(sockets or [self._listening])

    async def main_loop(self) -> None:
        """Look every TICK_SECONDS whether to exit; uvicorn itself does ten times a second."""
        tenths = 0  # on_tick renews the Date header when ten of them are over
        while not await self.on_tick(tenths):
            tenths += round(10 * TICK_SECONDS)
            await asyncio.sleep(TICK_SECONDS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no new requests, and answer those that were received whole."""
        self.gateway.stop()
        await super().shutdown(sockets)
        await self.gateway.close()


def make_server(application: Any, listening: socket.socket, *, slots: int) -> WebServer:
    """Return a server that answers in `run`.

    Args:
        application: a WSGI application. If it is a Flask application, its streams are held open.
        listening: a bound socket, see `bind`.
        slots: how many requests it works on at once, not counting the console's and those that
            have released their slot.
    """
    streams = stream_source(application) if isinstance(application, Flask) else None
    return WebServer(Gateway(application, slots=slots, stream_source=streams), listening)


def bind(host: str, port: int) -> socket.socket:
    """Return the socket that all web processes share."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listening.setblocking(False)
    return listening


def _raise_file_limit() -> int:
    """Let this process open 2 * CONNECTIONS files, or as many as it may; return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * CONNECTIONS if hard == resource.RLIM_INFINITY else min(2 * CONNECTIONS, hard)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return needed
