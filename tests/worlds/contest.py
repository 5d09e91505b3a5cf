"""An integrator's game whose players send scores over the API.

And what its boards show, wherever they are read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID

from playwright.sync_api import Page

from app.accounts import api_keys, friends, tokens
from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.boards.windows.rules import windows_of
from app.core import clock
from app.core.db import db
from tests.waiting import until
from tests.worlds.callers import new_key
from tests.worlds.score_games import make_integrator
from tests.worlds.score_log import check_boards

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))

from pressbox_client import ApiError, Client

__all__ = ["ApiError", "Contest"]

WINDOWS = ("daily", "weekly", "all-time")
Row = tuple[int, str, str]  # rank, name, score
STANDINGS = re.compile(r"<table class=\"standings.*?<tbody>(.*?)</tbody>", re.DOTALL)
ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)


def rows_of(page: Page, path: str) -> list[Row]:
    """The rows of the first table of ranks on that page."""
    cells = [row[:3] for row in table_of(page, path)]
    return [(int(rank), name.removesuffix(" You"), score) for rank, name, score in cells]


def table_of(page: Page, path: str) -> list[list[str]]:
    """The texts of the first table of ranks under that path, as this browser is sent it.

    It is read from the answer: nothing is drawn, for it is asked very often.
    """
    answer = page.request.get(path)
    assert answer.ok, (path, answer.status)
    table = STANDINGS.search(answer.text())
    assert table is not None, path
    return [[_text(cell) for cell in CELL.findall(row)] for row in ROW.findall(table[1])]


def _text(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", markup)).split())


def among(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Those of these names ranked among themselves; no score is held twice."""
    chosen_rows = [row for row in rows if row[1] in names]
    return [(number, name, score) for number, (_, name, score) in enumerate(chosen_rows, start=1)]


def midday_zone() -> str:
    """A time zone in which it is between twelve and one, so that no day ends under a story."""
    # their sign is the other way round: Etc/GMT-12 is twelve hours ahead
    return f"Etc/GMT{clock.now().hour - 12:+d}"


class Contest:
    """The mode `solo`, the highest score counts.

    Ann, Bob and Cat are members, Ann and Bob are friends; Dee is a player of the integrator.
    `tokens` are those of their apps.
    """

    def __init__(self, site: str, member: Callable[..., Member]) -> None:
        self.site = site
        owner = member("owner")
        integrator = make_integrator("Nova House", owner.id)
        self.server = Client(site, key=new_key(integrator, owner, *api_keys.scopes_for(owner)))
        self.server.create_game(slug="nova-run", title="Nova Run")
        self.zone = midday_zone()
        self.server.create_mode(
            "nova-run",
            slug="solo",
            title="Solo",
            windows=list(WINDOWS),
            max_score=100_000,
            time_zone=self.zone,
        )
        self.ids = {name: player_of(member(name.lower())).id for name in ("Ann", "Bob", "Cat")}
        friends.ask(self.ids["Ann"], self.ids["Bob"], clock.now())
        friends.ask(self.ids["Bob"], self.ids["Ann"], clock.now())
        dee = self.server.register_player("nova-run", external_id="p-1", display_name="Dee")
        self.ids["Dee"] = UUID(dee["player_id"])
        self.tokens = {
            name: tokens.issue(player_id, clock.now()).access
            for name, player_id in self.ids.items()
        }

    @property
    def mode(self) -> Mode:
        game = catalogue.find_game("nova-run")
        assert game is not None
        mode = catalogue.find_mode(game, "solo")
        assert mode is not None
        return mode

    def app_of(self, name: str) -> Client:
        """What runs on the player's own device."""
        return Client(self.site, token=self.tokens[name])

    def attempt(self, name: str, score: int) -> Mapping[str, Any]:
        """A score that may be sent once; sent again it is answered again."""
        issued = self.server.issue_attempt("nova-run", "solo", player_id=str(self.ids[name]))
        return {
            "attempt_id": issued["attempt_id"],
            "attempt_token": issued["attempt_token"],
            "raw_score": score,
        }

    def send(self, name: str, attempt: Mapping[str, Any]) -> dict[str, Any]:
        return self.app_of(name).submit_score("nova-run", "solo", wait="committed", **attempt)

    def _board_in_redis(self, window: str) -> dict[str, Any]:
        """The board, once Redis answers for it: PostgreSQL does while it is rebuilt."""
        boards: list[dict[str, Any]] = []

        def is_in_redis() -> bool:
            boards.append(self.server.get_leaderboard("nova-run", "solo", window))
            return bool(boards[-1]["source"] == "redis")

        until(is_in_redis, f"Redis has the board of {window}")
        return boards[-1]

    def check(self, viewer: Page, league: str, rows: Sequence[Row]) -> None:
        """Every board shows these rows: global in each window, friends, the league's.

        Pages and API; and Redis and PostgreSQL hold what the attempts that count come to.

        `viewer`: Ann's browser. `league`: the slug of one of hers, of all three members.
        """
        db.session.rollback()
        players = {str(player_id): name for name, player_id in self.ids.items()}
        ann = str(self.ids["Ann"])
        for window in windows_of(WINDOWS, clock.now(), self.zone):
            here = f"/boards/nova-run/solo/{window.window_id}"
            assert rows_of(viewer, here) == rows, window.window_id
            assert rows_of(viewer, f"{here}/friends") == among(rows, ("Ann", "Bob")), (
                window.window_id
            )
            assert rows_of(viewer, f"{here}/leagues/{league}") == among(
                rows, ("Ann", "Bob", "Cat")
            ), window.window_id
            board = self._board_in_redis(window.window_id)
            assert board["total_ranked"] == len(rows)
            standings = [
                (entry["rank"], players[entry["player_id"]], f"{entry['score']:,}")
                for entry in board["entries"]
            ]
            assert standings == rows, window.window_id
            small = self.app_of("Ann").read_friends_board(
                ann, window.window_id, game="nova-run", mode="solo"
            )
            standings = [
                (entry["rank"], players[entry["player_id"]], f"{entry['score']:,}")
                for entry in small["entries"]
            ]
            assert standings == among(rows, ("Ann", "Bob")), window.window_id
        check_boards(self.mode)
