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
        self.unsent_bytes = 0  # how much the client has not read yet
        self.is_closed = False  # whether the client has left or the response has ended

    def send(self, data: bytes) -> None:
        """Send the data after earlier data. Does nothing if the response is closed."""
        with self._lock:
            if not self.is_closed:
                self.unsent_bytes += len(data)
                self._put(data)

    def end(self) -> None:
        """End the response after all earlier data."""
        with self._lock:
            self.is_closed = True
            self._put(None)

    def drop(self) -> None:
        """End the response and discard the data that the client has not read yet."""
        with self._lock:
            self.is_closed, self.unsent_bytes = True, 0
            self._put(None)

    async def next_chunk(self) -> bytes | None:
        """Return the next bytes to write; None at the end."""
        chunk = await self._queue.get()
        return None if self.is_closed and not self.unsent_bytes else chunk

    def note_written(self, size: int) -> None:
        """Note that the connection has accepted this many bytes."""
        with self._lock:
            self.unsent_bytes = max(0, self.unsent_bytes - size)

    def _put(self, data: bytes | None) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, data)
