"""A mail server of a test's own.

Takes mail over SMTP as RFC 5321 has it, without TLS, and keeps it.
"""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast


class _Conversation(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self._say("220 test")
        while line := self.rfile.readline():
            command = line.strip().upper()
            if command == b"DATA":
                self._say("354 go on")
                cast(_Server, self.server).taken.append(self._message())
                self._say("250 taken")
            elif command == b"QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 fine")

    def _message(self) -> EmailMessage:
        lines = iter(self.rfile.readline, b".\r\n")
        return cast(EmailMessage, message_from_bytes(b"".join(lines), policy=policy.default))

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    taken: list[EmailMessage]


@contextmanager
def smtp_server() -> Iterator[tuple[str, list[EmailMessage]]]:
    """Its SMTP_URL, and the mail that it has taken."""
    with _Server(("127.0.0.1", 0), _Conversation) as server:
        server.taken = []
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        yield f"smtp://127.0.0.1:{server.server_address[1]}", server.taken
        server.shutdown()
