"""A stand-alone provider of matches for tests and trials.

Its clock can be moved, and faults can be caused. It serves one season, read from a JSON file
(docs/providers.md) or from a schedule in CSV, as it stood at the time of its clock: before kickoff
a match is scheduled, then in progress, and finished at its `finishedAt`.

    python examples/fake_provider.py schedule.csv --port 8900 --clock 2019-09-01T00:00:00Z

    GET  /season.json     the season as Pressbox's http-json provider reads it, with an ETag
    GET  /games.csv       the same as nflverse's games.csv
    GET  /images/ID.png   a picture of the team, in a colour of its own
    POST /clock           {"now": "2019-09-09T12:00:00Z"}, or {"seconds": 3600} to move it on
    POST /fault           {"kind": "down"}: the connection is closed; "slow": the answer waits;
                          "error": status 500; "broken": half of the JSON; "": no fault
    POST /matches/ID      {"status": "inprogress", "homeScore": 7}: the match is offered so from
                          now on, whatever the clock says; {} takes that back

Standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import json
import struct
import threading
import zlib
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

EASTERN = ZoneInfo("America/New_York")
LENGTH = timedelta(hours=3, minutes=10)  # of a game whose end the schedule does not say
SLOW_SECONDS = 60.0
FIRST_MONTH_OF_A_SEASON = 3
FAULTS = ("", "down", "slow", "error", "broken")
# of a match that went beyond 90 minutes
PARTS = ("regulation", "afterExtraTime", "shootout", "duration")


def read_season(path: Path) -> dict[str, Any]:
    """The season as it will have been in the end."""
    if path.suffix == ".json":
        season: dict[str, Any] = json.loads(path.read_text())
        return season
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    teams = sorted({row[side] for row in rows for side in ("home_team", "away_team")})
    weeks = sorted({int(row["week"]) for row in rows})
    return {
        "teams": [{"id": team, "name": team} for team in teams],
        "rounds": [
            {"slug": f"week-{week}", "name": f"Week {week}", "position": week} for week in weeks
        ],
        "matches": [_match(row) for row in rows],
    }


def _match(row: dict[str, str]) -> dict[str, Any]:
    time = row.get("kickoff_et") or row["gametime"]
    kickoff = (
        datetime.fromisoformat(f"{row['gameday']}T{time}").replace(tzinfo=EASTERN).astimezone(UTC)
    )
    return {
        "id": row["game_id"],
        "round": f"week-{int(row['week'])}",
        "home": row["home_team"],
        "away": row["away_team"],
        "status": "finished",
        "kickoff": _iso(kickoff),
        "homeScore": int(row["home_score"]),
        "awayScore": int(row["away_score"]),
        "finishedAt": _iso(kickoff + LENGTH),
    }


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


class FakeProvider:
    """A season at a time.

    `now`: its clock; `fault`: one of FAULTS; `images`: where its pictures are, "" for none.

    `asked`: path and status of the GET requests so far, status 0 where none was given.
    """

    def __init__(self, season: dict[str, Any], now: datetime, images: str = "") -> None:
        self.season = season
        self.now = now
        self.fault = ""
        self.overrides: dict[str, dict[str, Any]] = {}
        self.asked: list[tuple[str, int]] = []
        self.over = threading.Event()  # ends slow answers
        self.images = images

    def offer(self) -> dict[str, Any]:
        """The season as it stands."""
        teams = [
            team | ({"image": f"{self.images}/images/{team['id']}.png"} if self.images else {})
            for team in self.season["teams"]
        ]
        return self.season | {
            "teams": teams,
            "matches": [self._at(match) for match in self.season["matches"]],
        }

    def _at(self, match: dict[str, Any]) -> dict[str, Any]:
        visible = dict(match)
        kickoff, end = (
            match.get(name) and datetime.fromisoformat(match[name])
            for name in ("kickoff", "finishedAt")
        )
        if match["status"] == "finished" and end is not None and self.now < end:
            for name in ("finishedAt", "homeScore", "awayScore", *PARTS):
                visible.pop(name, None)
            visible["status"] = "scheduled"
            if kickoff is not None and self.now >= kickoff:
                played = (self.now - kickoff) / (end - kickoff)
                scores = {name: int(match[name] * played) for name in ("homeScore", "awayScore")}
                visible |= {"status": "inprogress"} | scores
        changed = visible | self.overrides.get(match["id"], {})
        return {name: value for name, value in changed.items() if value is not None}

    def games_csv(self) -> str:
        """The season in nflverse's format.

        A match is of the season in which its year began in March.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(
            [
                "game_id",
                "season",
                "game_type",
                "week",
                "gameday",
                "weekday",
                "gametime",
                "away_team",
                "away_score",
                "home_team",
                "home_score",
            ]
        )
        for match in map(self._at, self.season["matches"]):
            local = datetime.fromisoformat(match["kickoff"]).astimezone(EASTERN)
            is_over = match["status"] == "finished"
            writer.writerow(
                [
                    match["id"],
                    local.year if local.month >= FIRST_MONTH_OF_A_SEASON else local.year - 1,
                    "REG",
                    match["round"].removeprefix("week-"),
                    f"{local:%Y-%m-%d}",
                    f"{local:%A}",
                    f"{local:%H:%M}",
                    match["away"],
                    match["awayScore"] if is_over else "NA",
                    match["home"],
                    match["homeScore"] if is_over else "NA",
                ]
            )
        return out.getvalue()

    def change(self, path: str, body: dict[str, Any]) -> str | None:
        """Does what a POST asks for; returns what is wrong with it."""
        if path == "/clock":
            self.now = datetime.fromisoformat(body["now"]) if "now" in body else self.now
            self.now += timedelta(seconds=body.get("seconds", 0))
        elif path == "/fault":
            if body.get("kind") not in FAULTS:
                return f"kind must be one of {FAULTS}"
            self.fault = body["kind"]
        elif path.startswith("/matches/"):
            self.overrides[path.removeprefix("/matches/")] = body
        else:
            return "there is nothing to post to there"
        return None


def picture(name: str, side: int = 64) -> bytes:
    """A PNG of one colour, which the name decides."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = (b"\0" + hashlib.sha256(name.encode()).digest()[:3] * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


class _Handler(BaseHTTPRequestHandler):
    provider: FakeProvider

    def do_GET(self) -> None:
        if self.provider.fault == "down":
            self.provider.asked.append((self.path, 0))
            self.close_connection = True
            return
        if self.provider.fault == "slow":
            self.provider.over.wait(SLOW_SECONDS)
        content = self._content()
        if self.provider.fault == "error":
            self._answer(500, b"", "text/plain")
        elif content is None:
            self._answer(404, b"", "text/plain")
        else:
            self._give(*content)

    def _content(self) -> tuple[bytes, str] | None:
        if self.path == "/season.json":
            return json.dumps(self.provider.offer()).encode(), "application/json"
        if self.path == "/games.csv":
            return self.provider.games_csv().encode(), "text/csv"
        if self.path.startswith("/images/"):
            return picture(self.path.removeprefix("/images/")), "image/png"
        return None

    def _give(self, body: bytes, kind: str) -> None:
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        if self.headers.get("If-None-Match") == etag:
            self._answer(HTTPStatus.NOT_MODIFIED, b"", kind, etag)
            return
        self._answer(
            200, body[: len(body) // 2] if self.provider.fault == "broken" else body, kind, etag
        )

    def do_POST(self) -> None:
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            wrong = self.provider.change(self.path, body)
        except (ValueError, TypeError, AttributeError) as error:
            wrong = str(error)
        answer = (
            {"error": wrong}
            if wrong
            else {"now": _iso(self.provider.now), "fault": self.provider.fault}
        )
        self._answer(400 if wrong else 200, json.dumps(answer).encode(), "application/json")

    def _answer(self, status: int, body: bytes, kind: str, etag: str = "") -> None:
        if self.command == "GET":
            self.provider.asked.append((self.path, status))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if etag:
            self.send_header("ETag", etag)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        with contextlib.suppress(ConnectionError):  # who asked has gone
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing: `asked` has the requests."""


def serve(provider: FakeProvider, host: str = "127.0.0.1", port: int = 0) -> ThreadingHTTPServer:
    """A server that is bound and not running yet; port 0 takes a free one (`server_port`)."""
    server = ThreadingHTTPServer(
        (host, port), type("BoundHandler", (_Handler,), {"provider": provider})
    )
    server.daemon_threads = True
    return server


def main() -> None:
    """Serve the season that the command line names, until Ctrl-C."""
    parser = argparse.ArgumentParser(
        description="A provider of matches for trials; see the head of this file."
    )
    parser.add_argument(
        "season", type=Path, help="a JSON file of docs/providers.md, or a schedule in CSV"
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8900)
    parser.add_argument(
        "--clock", type=datetime.fromisoformat, help="with its offset, as 2019-09-01T00:00:00Z"
    )
    arguments = parser.parse_args()
    images = f"http://{arguments.host}:{arguments.port}"
    provider = FakeProvider(
        read_season(arguments.season), arguments.clock or datetime.now(UTC), images
    )
    server = serve(provider, arguments.host, arguments.port)
    print(f"{images}/season.json  (stop with Ctrl-C)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
