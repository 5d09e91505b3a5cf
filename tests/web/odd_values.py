"""Values that requests should not hold.

Each has broken something, or a store, int() or a header cannot take it.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

# Each has broken something before, or stands for what PostgreSQL, Redis, int() or a header cannot
# hold.
NASTY = [
    "a\x00b",
    "²",  # str.isdigit() says yes, int() no
    str(2**63),  # one more than a bigint
    "9" * 5000,  # int() refuses more than 4,300 digits
    "x\r\nX-Injected: y",  # no header that signs: the log of PostgreSQL names refused values
]
MORE = [
    "-1",
    "é\u202e\U0001f3c8" * 3000,  # long, and longer in bytes
    "1e999",
    "",
    " ",
    "0",
    str(2**31),
    str(-(2**63) - 1),
    "٣",
    "NaN",
    "null",
    "[]",
    "{}",
    "%00",
    "../../etc/passwd",
    "\\",
    "'\"<>&",
    "\ufeff",
    "\x1b",
    "1.5",
    "0x10",
    "2026-02-31",
    "x" * 200_000,
    "//evil.example",
    "Infinity",
    "1_000",
]
BODIES = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"\x00",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    b'{"key": "\\u0000"}',
    b'{"key": "\\ud800"}',
    b'{"key": 1e999}',
    b'{"key": ' + b"9" * 5000 + b"}",
    b'{"key": NaN}',
]
HEADERS = [
    {
        "Cookie": "session=\x80\xff; device=%00",
        "If-None-Match": 'W/"f\xe9", *, ""',
        "HX-Request": "true",
        "X-Console": "²\xff" * 500,
        "Accept": "²/*;q=x",
        "Range": "bytes=9-1",
    },
    {
        "If-None-Match": '"' + "f" * 5000 + '"',
        "HX-Request": "\xff",
        "HX-Target": "\xff#'\"",
        "HX-Current-URL": "http://[::1",
        "HX-Trigger": "²",
        "If-Modified-Since": "²",
        "Content-Length": "²",
    },
    {"Authorization": "Bearer \xff", "Host": "evil.example:99999999", "Accept-Language": "²"},
    {"Authorization": "Bearer pbk_" + "x" * 5000, "Idempotency-Key": "x" * 5000},
    {
        "Authorization": "Bearer " + ".".join(["e30"] * 3),
        "Content-Type": "application/json; charset=\xff",
    },
    {
        "Cookie": "session=.eJw; device=..",
        "Content-Type": "multipart/form-data; boundary=" + "x" * 5000,
    },
]


def entries() -> list[bytes]:
    """Entries of a scorer's console, sound but for one value."""
    body: dict[str, Any] = {
        "type": "run",
        "team": "HRB",
        "player": "H3",
        "kind": "rush",
        "start_yard": 25,
        "end_yard": 35,
    }
    encoded = []
    for name in (*body, "play_number", "note"):
        odd: tuple[Any, ...] = (
            "a\x00b",
            2**63,
            -(2**70),
            1e308,
            None,
            [],
            {"a": [1]},
            "x" * 9000,
            "²",
        )
        for value in odd:
            changed = body | ({name: value} if name != "play_number" else {})
            entry = {"body": changed, "play_number": value if name == "play_number" else None}
            encoded.append(
                json.dumps(
                    {"key": str(uuid4()), "console": str(uuid4()), "entries": [entry]}
                ).encode()
            )
    return encoded
