"""Log lines as key=value on standard error, one event a line. No password, token or cookie is ever logged."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(level: str, process: str) -> None:
    """Sends our lines and the libraries' warnings to standard error, each marked with the process's name."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s logger=%(name)s %(message)s")
    structlog.configure(
        processors=[
            _named(process),
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(
                key_order=["timestamp", "level", "event", "process"], bool_as_flag=False
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def _named(process: str) -> structlog.typing.Processor:
    """Marks every line, of whatever thread, with the process."""

    def add(_logger: object, _method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
        line["process"] = process
        return line

    return add
