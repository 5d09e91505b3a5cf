"""Log lines as key=value on standard error, one event per line.

Passwords, tokens and cookies are never logged. Repeated warnings and errors are counted, and the
count is written once a minute (deduplication.py). Large files in `var/logs` are rotated
(rotation.py).
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import re
import sys
import threading
import time
from collections.abc import Hashable
from types import TracebackType
from typing import TextIO, cast

import structlog

from app.core.logs.deduplication import Repeats
from app.core.logs.rotation import rotate_own_log

UPKEEP_SECONDS = 10.0
RENDERER = structlog.processors.LogfmtRenderer(
    key_order=["timestamp", "level", "event", "process"], bool_as_flag=False
)
STAMP = structlog.processors.TimeStamper(fmt="iso", utc=True)
_NUMBERS = re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d+")

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class _StandardError:
    """The current standard error; rotates its file first."""

    def write(self, text: str) -> int:
        rotate_own_log()
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


class _Process:
    """What the log lines of this process share."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.repeats = Repeats()
        self.stream = cast("TextIO", _StandardError())

    def mark(
        self, _logger: object, _method: str, line: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        """Add the process's name to every line."""
        line["process"] = self.name
        return line

    def once(
        self, _logger: object, _method: str, line: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        """Drop a repeated warning or error."""
        if line["level"] in ("warning", "error", "critical") and not self.repeats.take(_key(line)):
            raise structlog.DropEvent
        return line

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop a library's repeated line; lines that differ only in numbers are the same."""
        failed = (
            error_signature(record.exc_info[1]) if record.exc_info and record.exc_info[1] else ""
        )
        return self.repeats.take(
            (record.levelname, record.name, _NUMBERS.sub("#", record.getMessage()), failed)
        )

    def write_counts(self, *, all_of_them: bool = False) -> None:
        """Write how often dropped lines were repeated."""
        for key, count in self.repeats.due(all_of_them=all_of_them):
            text = " ".join(str(part) for part in cast("tuple[Hashable, ...]", key))[:300]
            line = {
                "level": "warning",
                "event": "repeated",
                "process": self.name,
                "count": count,
                "line": text,
            }
            self.stream.write(str(RENDERER(None, "", STAMP(None, "", line))) + "\n")
            self.stream.flush()

    def upkeep(self, ended: threading.Event) -> None:
        """Write counts and rotate the log until `ended`."""
        while not ended.wait(UPKEEP_SECONDS):
            self.write_counts()
            rotate_own_log()


def configure_logging(level: str, process: str) -> None:
    """Send our lines and the libraries' warnings to standard error, with the process's name."""
    process_log = _Process(process)
    handler = logging.StreamHandler(process_log.stream)
    handler.addFilter(process_log.filter)
    text = (
        f"timestamp=%(asctime)s level=%(levelname)s process={process} logger=%(name)s %(message)s"
    )
    formatter = logging.Formatter(text, datefmt="%Y-%m-%dT%H:%M:%SZ")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    structlog.configure(
        processors=[
            process_log.mark,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            process_log.once,
            STAMP,
            structlog.processors.format_exc_info,
            RENDERER,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.WriteLoggerFactory(process_log.stream),
        cache_logger_on_first_use=True,
    )
    threading.Thread(
        target=process_log.upkeep, args=(threading.Event(),), name="log-upkeep", daemon=True
    ).start()
    atexit.register(process_log.write_counts, all_of_them=True)


def error_signature(error: BaseException) -> str:
    """Eight hex digits that identify an error and its place in the code, and reveal nothing."""
    parts = [type(error).__qualname__]
    frame = error.__traceback__
    while frame is not None:
        parts.append(f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}")
        frame = frame.tb_next
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def _key(line: structlog.typing.EventDict) -> tuple[str, ...]:
    """Return a line's key for deduplication: all its fields, or the exception and its place."""
    error = _error_of(line.get("exc_info"))
    if error is not None:
        return (line["level"], str(line["event"]), error_signature(error))
    return (
        line["level"],
        *(f"{name}={value}" for name, value in sorted(line.items()) if name != "level"),
    )


def _error_of(exc_info: object) -> BaseException | None:
    if isinstance(exc_info, BaseException):
        return exc_info
    if isinstance(exc_info, tuple):
        return cast("ExcInfo", exc_info)[1]
    return sys.exc_info()[1] if exc_info else None
