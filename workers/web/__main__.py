"""`python -m workers.web [HOST:PORT]`: the web processes, which share one socket."""

from __future__ import annotations

import multiprocessing
import signal
import socket
import sys
import threading
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from types import FrameType

import structlog

from app import create_app
from app.embedded.stack import with_running_stack
from app.ops.versions import TooOldError, check_versions
from app.setting_reading import settings_from_env
from app.settings import Settings
from workers.memory import freeze_application
from workers.process import Process
from workers.web.server import bind, make_server

log = structlog.get_logger(__name__)

RESTART_SECONDS = 1.0
SWITCH_SECONDS = 0.001  # how long a thread waits for the interpreter while others compute
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
FORK = multiprocessing.get_context("fork")


def serve(settings: Settings, listening: socket.socket) -> None:
    """Answer requests in this process until a signal, or until its parent is gone."""
    process = Process("web", settings)
    app = create_app(settings)
    with app.app_context():
        try:
            check_versions()
        except TooOldError as error:
            sys.exit(str(error))
    freeze_application()
    sys.setswitchinterval(SWITCH_SECONDS)
    server = make_server(app, listening, slots=settings.web_threads)

    # uvicorn notices neither signals that arrive before it runs nor a parent that is gone
    def exit_with_process() -> None:
        process.stopping.wait()
        server.should_exit = True

    threading.Thread(target=exit_with_process, daemon=True).start()
    server.run()


def serve_in_processes(settings: Settings, listening: socket.socket) -> None:
    """Answer requests in several processes until a signal. One that ends by itself is restarted.

    uvicorn's own supervisor spawns processes that import the application by name.
    """
    running: list[ForkProcess] = []
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()
        listening.close()
        for process in running:
            process.terminate()

    for number in STOP_SIGNALS:
        signal.signal(number, stop)
    while running or not stopping.is_set():
        # Signals wait until each new process is in the list that `stop` terminates.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        while len(running) < settings.web_processes and not stopping.is_set():
            running.append(FORK.Process(target=_serve_in_child, args=(settings, listening)))
            running[-1].start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        wait([process.sentinel for process in running], timeout=RESTART_SECONDS)
        for process in [process for process in running if process.exitcode is not None]:
            running.remove(process)
            if not stopping.is_set():
                log.error("web_process_ended", pid=process.pid, code=process.exitcode)
                # A process that cannot start must not use up the whole CPU.
                stopping.wait(RESTART_SECONDS)


def _serve_in_child(settings: Settings, listening: socket.socket) -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)  # not `stop`, which ends the others
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    serve(settings, listening)


def main() -> None:
    """Run the web processes. The argument `HOST:PORT` replaces the settings HOST and PORT."""
    settings = with_running_stack(settings_from_env())
    default = (settings.host, "", str(settings.port))
    host, _, port = sys.argv[1].rpartition(":") if len(sys.argv) > 1 else default
    listening = bind(host, int(port))
    if settings.web_processes == 1:
        serve(settings, listening)
    else:
        serve_in_processes(settings, listening)


if __name__ == "__main__":
    main()
