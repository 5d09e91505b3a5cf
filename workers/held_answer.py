"""Answers of the web server that stay open when their thread is done: streams of events."""

from __future__ import annotations

import threading
from contextlib import suppress

from waitress.channel import ClientDisconnected, HTTPChannel


class HeldAnswer:
    """An answer that stays open when its thread is done (app/core/holding.py)."""

    def __init__(self, channel: HTTPChannel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._early: list[bytes] | None = []  # what is sent before the head is out
        self._chunked = False
        self._ended = False  # nothing more is sent; before the head is out, it ends with it

    @property
    def closed(self) -> bool:
        return self._ended or not self._channel.connected or self._channel.will_close

    @property
    def unsent(self) -> int:
        return int(self._channel.total_outbufs_len)

    def send(self, data: bytes) -> None:
        with self._lock:
            if self._early is not None:
                self._early.append(data)
            else:
                self._write(data)

    def open(self, *, chunked: bool) -> None:
        """The head is out: what was sent meanwhile follows."""
        with self._lock:
            early, self._early, self._chunked = self._early or [], None, chunked
            for data in early:
                self._write(data)
            if self._ended:
                self._finish()

    def end(self) -> None:
        with self._lock:
            if not self.closed:
                self._ended = True
                if self._early is None:
                    self._finish()

    def _finish(self) -> None:
        self._write(b"")
        self._channel.close_when_flushed = True
        self._channel.server.pull_trigger()

    def drop(self) -> None:
        self._channel.will_close = True
        self._channel.server.pull_trigger()

    def _write(self, data: bytes) -> None:
        """In chunks, of which the empty one is the last.

        Never waits: the hub drops long before the high watermark.
        """
        with suppress(ClientDisconnected):
            self._channel.write_soon(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)
