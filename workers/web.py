"""The web server: waitress, which reads whole requests in one loop and hands only complete ones to
its threads.

Lives here: limits of slow clients, several processes on one port, stopping. Not here: pages (app/),
the choice of the server (docs/decisions/0014-the-web-server.md). Run it with `python -m
workers.web`.
"""

from __future__ import annotations

import logging as stdlib_logging
import multiprocessing
import resource
import signal
import socket
import sys
import threading
import time
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from types import FrameType
from typing import Any, cast

import structlog
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask

from app import create_app
from app.core.holding import HOLD, RECEIVED, TURN
from app.embedded.stack import with_running_stack
from app.ops.versions import TooOld, check_versions
from app.setting_reading import settings_from_env
from app.settings import Settings
from workers.held_answer import HeldAnswer
from workers.process import Process
from workers.request_parser import RequestParser
from workers.turns import Turns

log = structlog.get_logger(__name__)

CONNECTIONS = 4000  # open at once, whoever holds them; further ones wait in the kernel's queue
HEADER_BYTES = 32 * 1024  # above: 431
# above: 413 before it is read; pages answer 413 themselves from 1 MiB (app/web_app.py)
BODY_BYTES = 4 * 1024 * 1024
# of an answer, kept for a client that reads slowly; above 1 MiB on disk
UNREAD_BYTES = 64 * 1024 * 1024
REQUEST_SECONDS = 30.0  # from a request's first byte to its last, however steadily it drips
IDLE_SECONDS = 60.0  # without a byte in either direction
LOOK_SECONDS = 2.0  # how exact these times are
# requests of the console at once, besides: a scorer does not stand behind a crowd of fans
SCORERS = 4
CONSOLE = "/console"
UNCHANGED = "304 Not Modified"
# requests at once that may wait for others, with their turn lent meanwhile (app/core/holding.py)
WAITING = 64
# what was received whole is answered within this time; the supervisor kills after 10
STOP_SECONDS = 8.0
RESTART_SECONDS = 1.0
STOPS = (signal.SIGTERM, signal.SIGINT)
FORK = multiprocessing.get_context("fork")


def is_scorers(request: RequestParser) -> bool:
    """Whether it is for the console; whoever is no scorer gets no more there than a refusal."""
    path = str(request.path)
    return path == CONSOLE or path.startswith(f"{CONSOLE}/")


def tag_of_poll(request: RequestParser) -> str:
    """The ETag of the fragment that asks what has changed since it.

    '' where it is no poll, or a scorer's, which keeps their hold on the game.
    """
    headers = request.headers
    is_fans = request.command == "GET" and "HX_REQUEST" in headers and not is_scorers(request)
    return str(headers.get("IF_NONE_MATCH", "")) if is_fans else ""


class HoldingTask(WSGITask):
    """Offers a view to hold its answer open."""

    def get_environment(self) -> dict[str, Any]:
        environ = cast("dict[str, Any]", super().get_environment())
        environ[HOLD] = self._hold
        environ[TURN] = self._turns
        environ[RECEIVED] = self.channel.received_at
        return environ

    def execute(self) -> None:
        """As many at once as there are turns.

        There are more threads than that, for those that have lent theirs.
        """
        turns, shown = self._turns, tag_of_poll(self.request)
        if shown and turns.is_crowded(len(self.channel.server.task_dispatcher.queue)):
            turns.put_off()
            self.status, self.response_headers, self.complete = UNCHANGED, [("ETag", shown)], True
            return
        with turns:
            super().execute()

    @property
    def _turns(self) -> Turns:
        server = cast("Server", self.channel.server)
        return server.scorers_turns if is_scorers(self.request) else server.turns

    def _hold(self) -> HeldAnswer:
        self.channel.held = HeldAnswer(self.channel)
        return cast("HeldAnswer", self.channel.held)

    def set_close_on_finish(self) -> None:
        """waitress ends each answer without a length with its connection.

        One that has no body by its status, as an unchanged poll's 304, ends with its head (RFC
        9112, 6.3).
        """
        asked = (
            self.version == "1.0" or self.request.headers.get("CONNECTION", "").lower() == "close"
        )
        if self.has_body or asked:
            super().set_close_on_finish()

    def finish(self) -> None:
        if self.channel.held is None:
            super().finish()
            return
        if not self.wrote_header:
            self.write(b"")
        self.close_on_finish = False
        self.channel.held.open(chunked=self.chunked_response)


class Channel(HTTPChannel):
    """A connection that knows since when it is sending a request.

    `began` is None between two requests; `received_at`: when it had sent the last one whole.
    `held`: its answer stays open, and nothing more is read from it than its end.
    """

    task_class = HoldingTask
    parser_class = RequestParser
    began: float | None = None
    received_at = 0.0
    held: HeldAnswer | None = None

    def readable(self) -> bool:
        if self.held is None:
            return cast("bool", super().readable())
        return not (self.will_close or self.close_when_flushed)

    def handle_write(self) -> None:
        """With a held answer there is a thread that writes although there is no request: take turns
        with it.
        """
        if self.held is None:
            super().handle_write()
            return
        self._flush_exception(self._flush_some_if_lockable)
        if self.close_when_flushed and not self.total_outbufs_len:
            self.will_close = True
        if self.will_close:
            self.handle_close()

    def received(self, data: bytes) -> bool:
        if self.held is not None:
            return False
        if self.request is None:
            self.began = time.time()
        answer = cast("bool", super().received(data))
        if self.request is None:
            self.began = None
        return answer

    @property
    def is_answering(self) -> bool:
        """A whole request is being answered, or its answer is not all sent yet."""
        return bool(self.requests or self.total_outbufs_len)

    def is_too_slow(self, now: float) -> bool:
        if self.began is not None and now - self.began > REQUEST_SECONDS:
            return True
        waits_for_client = not self.requests or self.total_outbufs_len > 0
        return bool(waits_for_client and now - self.last_activity > IDLE_SECONDS)


class Server(TcpWSGIServer):
    """waitress with an end to every wait for a client."""

    channel_class = Channel
    active_channels: dict[int, Channel]
    turns: Turns
    scorers: ThreadedTaskDispatcher
    scorers_turns: Turns

    def add_task(self, task: Channel) -> None:
        """A scorer's request has threads of its own, for the others may all be taken and more be
        waiting.
        """
        task.received_at = time.time()
        if task.requests and (error := task.requests[0].error) is not None:
            # counted within a minute, without the client's words
            log.warning("request_refused", status=error.code)
        if task.requests and is_scorers(task.requests[0]):
            self.scorers.add_task(task)
        else:
            super().add_task(task)

    def maintenance(self, now: float) -> None:
        """Closes the connections of clients that are too slow, those included that do not read
        their answer.
        """
        for channel in list(self.active_channels.values()):
            if channel.is_too_slow(now):
                channel.handle_close()

    def serve(self, stopping: threading.Event) -> None:
        """Answers until `stopping` is set.

        Then takes no more connections and answers what was received whole.
        """
        while not stopping.is_set():
            self._turn(0.5)
        # the listening socket alone: its own close() would end the loop too
        wasyncore.dispatcher.close(self)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            channels = list(self.active_channels.values())
            for channel in channels:
                if not channel.is_answering:
                    channel.handle_close()
            if not any(channel.is_answering for channel in channels):
                break
            self._turn(0.1)
        for dispatcher in (self.scorers, self.task_dispatcher):
            dispatcher.shutdown(timeout=max(0.0, deadline - time.monotonic()))
        wasyncore.close_all(self._map)

    def _turn(self, seconds: float) -> None:
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._map, count=1)


def make_server(application: Any, listening: socket.socket, *, threads: int) -> Server:
    """A server of a WSGI application on a socket that is bound.

    It listens at once and answers in `serve`.

    `threads`: how many requests it works on at once, besides those that wait for others.
    """
    adjustments = Adjustments(
        sockets=[listening],
        threads=threads,
        connection_limit=min(CONNECTIONS, _most_files() - 100),
        max_request_header_size=HEADER_BYTES,
        max_request_body_size=BODY_BYTES,
        outbuf_high_watermark=UNREAD_BYTES,
        cleanup_interval=LOOK_SECONDS,
        # Flask's ProxyFix reads them where TRUSTED_PROXIES says so, and nobody else.
        clear_untrusted_proxy_headers=False,
        ident="",
    )
    adjustments.send_bytes = 1  # a stream's line goes out at once (as an argument it would warn)
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(threads + WAITING)
    address = (listening.family, listening.type, listening.proto, listening.getsockname())
    server = Server(
        application,
        {},
        _sock=listening,
        dispatcher=dispatcher,
        adj=adjustments,
        sockinfo=address,
        bind_socket=False,
    )
    server.turns = Turns(threads)
    server.scorers_turns = Turns(SCORERS)
    server.scorers = ThreadedTaskDispatcher()
    server.scorers.set_thread_count(SCORERS)
    return server


def _most_files() -> int:
    """How many files this process may have open, after asking for as many as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS if hard == resource.RLIM_INFINITY else min(2 * CONNECTIONS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return 2 * CONNECTIONS if soft == resource.RLIM_INFINITY else soft


def bind(host: str, port: int) -> socket.socket:
    """The socket that all our web processes share."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=1024)
    listening.setblocking(False)
    return listening


def _serve(settings: Settings, listening: socket.socket) -> None:
    process = Process("web", settings)
    # else a line for each waiting request
    stdlib_logging.getLogger("waitress.queue").setLevel(stdlib_logging.ERROR)
    app = create_app(settings)
    with app.app_context():
        try:
            check_versions()
        except TooOld as error:
            sys.exit(str(error))
    make_server(app, listening, threads=settings.web_threads).serve(process.stopping)


class Processes:
    """The processes that serve one socket; one that ends by itself is started again.

    Ends with SIGTERM or SIGINT.
    """

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        self.settings = settings
        self.listening = listening
        self.running: list[ForkProcess] = []
        self.stopping = False

    def run(self) -> None:
        for number in STOPS:
            signal.signal(number, self._stop)
        for _ in range(self.settings.web_processes):
            self._start()
        while self.running:
            wait([process.sentinel for process in self.running], timeout=RESTART_SECONDS)
            for process in [process for process in self.running if process.exitcode is not None]:
                self.running.remove(process)
                if not self.stopping:
                    log.error("web_process_ended", pid=process.pid, code=process.exitcode)
                    # one that cannot start must not take the whole machine
                    time.sleep(RESTART_SECONDS)
                    self._start()

    def _start(self) -> None:
        # it is among the running ones before they are ended
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        try:
            if not self.stopping:
                process = FORK.Process(target=self._serve)
                process.start()
                self.running.append(process)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)

    def _serve(self) -> None:
        for number in STOPS:
            signal.signal(number, signal.SIG_DFL)  # not ours, which ends the others
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        _serve(self.settings, self.listening)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping = True
        self.listening.close()
        for process in self.running:
            process.terminate()


def main() -> None:
    """With an argument `HOST:PORT` in place of the settings HOST and PORT."""
    settings = with_running_stack(settings_from_env())
    host, _, port = (
        sys.argv[1].rpartition(":")
        if len(sys.argv) > 1
        else (settings.host, "", str(settings.port))
    )
    listening = bind(host, int(port))
    if settings.web_processes == 1:
        _serve(settings, listening)
    else:
        Processes(settings, listening).run()


if __name__ == "__main__":
    main()
