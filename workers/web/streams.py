"""A response that stays open: other threads send to it, and the event loop writes it."""

from __future__ import annotations

import asyncio
import threading


class OpenResponse:
    """An OpenStream (app/core/serving.py). Created and read in the event loop, written anywhere."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._unsent = 0
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether the client has left or the response has ended."""
        return self._closed

    @property
    def unsent_bytes(self) -> int:
        """How much the client has not read yet."""
        return self._unsent

    def send(self, data: bytes) -> None:
        """Send the data after earlier data. Does nothing if the response is closed."""
        with self._lock:
            if self._closed:
                return
            self._unsent += len(data)
            self._put(data)

    def end(self) -> None:
        """End the response after all earlier data."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._put(None)

    def drop(self) -> None:
        """End the response and discard the data that the client has not read yet."""
        with self._lock:
            self._closed = True
            self._unsent = 0
            self._put(None)

    async def next_chunk(self) -> bytes | None:
        """Return the next bytes to write; None at the end."""
        chunk = await self._queue.get()
        return None if self._closed and not self._unsent else chunk

    def note_written(self, size: int) -> None:
        """Note that the connection has accepted this many bytes."""
        with self._lock:
            self._unsent = max(0, self._unsent - size)

    def _put(self, data: bytes | None) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, data)
