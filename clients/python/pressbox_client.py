"""A client of Pressbox's API in one file, on Python's standard library alone: copy it into your project.

One method an operation, named as in the OpenAPI document; answers are dicts as the document says, {} without a body. A
429 or 503 is tried again after its Retry-After, with the same body and key, so that nothing counts twice. Everything
else above 399 raises ApiError.

    client = Client("https://scores.example", key="pbk_...")
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from http.client import HTTPResponse
from typing import Any, TypedDict, TypeVar, Unpack

Json = dict[str, Any]
Read = TypeVar("Read")
LONGEST_WAIT = 60.0


class Page(TypedDict, total=False):
    limit: int | None
    offset: int | None


class AroundPage(Page, total=False):
    around_player_id: str | None
    nearby: int | None


class FootballerPage(Page, total=False):
    season: str | None
    sort: str | None
    search: str | None
    club: str | None


class ModeSettings(TypedDict, total=False):
    aggregation: str | None
    ties: str | None
    time_zone: str | None
    decimals: int | None
    windows: list[str] | None
    keep_days: dict[str, int] | None
    min_score: int | None
    max_score: int | None
    shards: int | None


class AttemptNew(TypedDict, total=False):
    attempt_id: str
    score_cap: int | None
    expires_in: int | None


class ScoreContext(TypedDict, total=False):
    client_meta: dict[str, str | int | bool] | None
    replay: str | None
    wait: str | None


class Sheet(TypedDict, total=False):
    goal_keeper: str | None
    vice_captain: str | None
    edition: int | None
    league: str | None


class ApiError(Exception):
    """An answer above 399: `status`, `detail` (what to do) and `errors` (each field), as the problem says."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail', 'no detail')}")
        self.status = status
        self.detail = str(problem.get("detail", ""))
        self.errors = list(problem.get("errors", ()))


@dataclass(repr=False)
class Client:
    """`key`: an integrator's key, for a game server. `token`: a player's access token, for their own scores.

    `tries`: how often a request is sent at most while the answer is 429 or 503 or nobody answers.
    """

    url: str
    _: KW_ONLY
    key: str = ""
    token: str = ""
    tries: int = 5
    timeout: float = 15.0
    sleep: Callable[[float], object] = time.sleep

    def list_games(self) -> Json:
        return self._call("GET", "/v1/games")

    def create_game(self, *, slug: str, title: str) -> Json:
        return self._call("POST", "/v1/games", body={"slug": slug, "title": title})

    def list_modes(self, game: str) -> Json:
        return self._call("GET", f"/v1/games/{_part(game)}/modes")

    def create_mode(self, game: str, *, slug: str, title: str, **settings: Unpack[ModeSettings]) -> Json:
        body = {"slug": slug, "title": title} | _known(ModeSettings, settings)
        return self._call("POST", f"/v1/games/{_part(game)}/modes", body=body)

    def register_player(self, game: str, *, external_id: str, display_name: str) -> Json:
        body = {"external_id": external_id, "display_name": display_name}
        return self._call("POST", f"/v1/games/{_part(game)}/players", body=body)

    def create_token(self, *, player_id: str) -> Json:
        return self._call("POST", "/v1/tokens", body={"player_id": player_id})

    def refresh_token(self, *, refresh_token: str) -> Json:
        """Tried once only: a refresh token is good for one use."""
        return self._call("POST", "/v1/tokens/refresh", body={"refresh_token": refresh_token}, tries=1)

    def issue_attempt(self, game: str, mode: str, *, player_id: str, **limits: Unpack[AttemptNew]) -> Json:
        # With an id, so that a second try is the same attempt.
        body = {"player_id": player_id, "attempt_id": str(uuid.uuid4())} | _known(AttemptNew, limits)
        return self._call("POST", f"/v1/games/{_part(game)}/modes/{_part(mode)}/attempts", body=body)

    def submit_score(
        self,
        game: str,
        mode: str,
        *,
        attempt_id: str,
        attempt_token: str,
        raw_score: int,
        idempotency_key: str | None = None,
        x_device_id: str | None = None,
        **context: Unpack[ScoreContext],
    ) -> Json:
        """The `idempotency_key` is the attempt's id if left out."""
        given = _known(ScoreContext, context)
        query = {"wait": given.pop("wait", None)}
        headers = {"Idempotency-Key": idempotency_key or attempt_id, "X-Device-Id": x_device_id}
        body = {"attempt_id": attempt_id, "attempt_token": attempt_token, "raw_score": raw_score} | given
        path = f"/v1/games/{_part(game)}/modes/{_part(mode)}/scores"
        return self._call("POST", path, query=query, headers=headers, body=body)

    def submit_scores(self, game: str, *, scores: list[dict[str, Any]], **context: Unpack[ScoreContext]) -> Json:
        """`scores`: each a dict of mode, attempt_id, attempt_token and raw_score. One outcome each, in their order."""
        given = _known(ScoreContext, context)
        query = {"wait": given.pop("wait", None)}
        return self._call("POST", f"/v1/games/{_part(game)}/scores", query=query, body={"scores": scores} | given)

    def get_leaderboard(self, game: str, mode: str, window: str, **page: Unpack[AroundPage]) -> Json:
        return self._call("GET", _board(game, mode, window), query=_known(AroundPage, page))

    def get_player_rank(self, game: str, mode: str, window: str, player_id: str, *, nearby: int | None = None) -> Json:
        return self._call("GET", f"{_board(game, mode, window)}/players/{_part(player_id)}", query={"nearby": nearby})

    def get_score_band(self, game: str, mode: str, window: str, *, low: int, high: int, **page: Unpack[Page]) -> Json:
        query = {"low": low, "high": high} | _known(Page, page)
        return self._call("GET", f"{_board(game, mode, window)}/band", query=query)

    def get_player_history(self, game: str, mode: str, window: str, player_id: str, **page: Unpack[Page]) -> Json:
        place = f"{_board(game, mode, window)}/players/{_part(player_id)}"
        return self._call("GET", f"{place}/history", query=_known(Page, page))

    def get_leaderboard_at(self, game: str, mode: str, window: str, *, at: str, **page: Unpack[Page]) -> Json:
        return self._call("GET", f"{_board(game, mode, window)}/at", query={"at": at} | _known(Page, page))

    def get_rank_movement(
        self, game: str, mode: str, window: str, *, since: str, until: str | None = None, **page: Unpack[Page]
    ) -> Json:
        query = {"since": since, "until": until} | _known(Page, page)
        return self._call("GET", f"{_board(game, mode, window)}/movement", query=query)

    def list_friends(self, player_id: str) -> Json:
        return self._call("GET", f"/v1/players/{_part(player_id)}/friends")

    def read_friends_board(self, player_id: str, window: str, *, game: str, mode: str, **page: Unpack[Page]) -> Json:
        query = {"game": game, "mode": mode} | _known(Page, page)
        return self._call("GET", f"/v1/players/{_part(player_id)}/friends/leaderboards/{_part(window)}", query=query)

    def ask_friend(self, player_id: str, other_id: str) -> Json:
        return self._call("PUT", f"/v1/players/{_part(player_id)}/friends/requests/{_part(other_id)}")

    def withdraw_request(self, player_id: str, other_id: str) -> Json:
        return self._call("DELETE", f"/v1/players/{_part(player_id)}/friends/requests/{_part(other_id)}")

    def accept_request(self, player_id: str, other_id: str) -> Json:
        return self._call("POST", f"/v1/players/{_part(player_id)}/friends/requests/{_part(other_id)}/accept")

    def decline_request(self, player_id: str, other_id: str) -> Json:
        return self._call("POST", f"/v1/players/{_part(player_id)}/friends/requests/{_part(other_id)}/decline")

    def end_friendship(self, player_id: str, other_id: str) -> Json:
        return self._call("DELETE", f"/v1/players/{_part(player_id)}/friends/{_part(other_id)}")

    def block_player(self, player_id: str, other_id: str) -> Json:
        return self._call("PUT", f"/v1/players/{_part(player_id)}/blocks/{_part(other_id)}")

    def unblock_player(self, player_id: str, other_id: str) -> Json:
        return self._call("DELETE", f"/v1/players/{_part(player_id)}/blocks/{_part(other_id)}")

    def read_feed(self, *, since: str | None = None, limit: int | None = None, wait: int | None = None) -> Json:
        """With a `wait` near the client's `timeout`, make the timeout longer."""
        return self._call("GET", "/v1/feed", query={"since": since, "limit": limit, "wait": wait})

    def stream_feed(self, *, since: str | None = None) -> Iterator[Json]:
        """The lines as they come, for up to 30 s: go on with the last one's `next` as `since`."""
        with self._send("GET", "/v1/feed/stream", lambda answer: answer, query={"since": since}) as lines:
            yield from map(json.loads, lines)

    def create_webhook(self, *, url: str, events: list[str] | None = None) -> Json:
        """Tried once only: a second try after a lost answer would make a second webhook."""
        return self._call("POST", "/v1/webhooks", body={"url": url, "events": events}, tries=1)

    def list_webhooks(self) -> Json:
        return self._call("GET", "/v1/webhooks")

    def delete_webhook(self, webhook_id: str) -> Json:
        return self._call("DELETE", f"/v1/webhooks/{_part(webhook_id)}")

    def list_deliveries(self, webhook_id: str, *, state: str | None = None, limit: int | None = None) -> Json:
        return self._call("GET", f"/v1/webhooks/{_part(webhook_id)}/deliveries", query={"state": state, "limit": limit})

    def replay_delivery(self, webhook_id: str, number: int) -> Json:
        return self._call("POST", f"/v1/webhooks/{_part(webhook_id)}/deliveries/{number}/replay")

    def add_points(
        self, *, user_id: str, points: int, idempotency_key: str | None = None, x_device_id: str | None = None
    ) -> Json:
        """The `idempotency_key` is made up if left out, so that a second try of this call counts once."""
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4()), "X-Device-Id": x_device_id}
        return self._call("POST", "/v1/scores", headers=headers, body={"user_id": user_id, "points": points})

    def get_top_ten(self) -> Json:
        return self._call("GET", "/v1/scores")

    def get_user_score(self, user_id: str) -> Json:
        return self._call("GET", f"/v1/scores/{_part(user_id)}")

    def get_gamer(self, gamer_id: str, *, season: str | None = None) -> Json:
        return self._call("GET", f"/api/v1/gamers/{_part(gamer_id)}", query={"season": season})

    def get_team_sheet(self, gamer_id: str, gameweek: str, *, league: str | None = None) -> Json:
        return self._call(
            "GET", f"/api/v1/gamers/{_part(gamer_id)}/teamsheets/{_part(gameweek)}", query={"league": league}
        )

    def put_team_sheet(
        self, gamer_id: str, gameweek: str, *, captain: str, players: list[str], subs: list[str], **more: Unpack[Sheet]
    ) -> Json:
        """Footballers by their ids; whole or not at all. With `edition`: only if no other was saved since."""
        given = _known(Sheet, more)
        query = {"league": given.pop("league", None)}
        path = f"/api/v1/gamers/{_part(gamer_id)}/teamsheets/{_part(gameweek)}"
        body = {"Captain": captain, "Players": players, "Subs": subs}
        body |= {name.title().replace("_", ""): value for name, value in given.items()}  # goal_keeper is GoalKeeper
        return self._call("PUT", path, query=query, body=body)

    def get_footballer(self, footballer_id: str, *, season: str | None = None) -> Json:
        return self._call("GET", f"/api/v1/footballers/{_part(footballer_id)}", query={"season": season})

    def list_footballers(self, position: str, **page: Unpack[FootballerPage]) -> Json:
        return self._call("GET", f"/api/v1/positions/{_part(position)}/footballers", query=_known(FootballerPage, page))

    def list_league_gamers(self, league: str, **page: Unpack[Page]) -> Json:
        return self._call("GET", f"/api/v1/leagues/{_part(league)}/gamers", query=_known(Page, page))

    def list_tournaments(self) -> Json:
        return self._call("GET", "/api/v2/tournaments")

    def get_round_matches(self, tournament_id: str, round_slug: str) -> Json:
        return self._call("GET", f"/api/v2/tournaments/{_part(tournament_id)}/matches/{_part(round_slug)}")

    def get_tournament_standings(self, tournament_id: str) -> Json:
        return self._call("GET", f"/api/v2/tournaments/{_part(tournament_id)}/standings")

    def get_tournament_leaderboard(self, tournament_id: str) -> Json:
        return self._call("GET", f"/api/v2/tournaments/{_part(tournament_id)}/leaderboard")

    def _call(self, method: str, path: str, **parts: Any) -> Json:
        return self._send(method, path, _whole, **parts)

    def _send(
        self,
        method: str,
        path: str,
        read: Callable[[HTTPResponse], Read],
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Mapping[str, object] | None = None,
        tries: int | None = None,
    ) -> Read:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.url.rstrip('/')}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if self.key or self.token:
            sent["Authorization"] = f"Bearer {self.key or self.token}"
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        last = (tries or self.tries) - 1
        for number in range(last + 1):
            request = urllib.request.Request(url, data, sent, method=method)  # noqa: S310  (the caller's own address)
            try:
                return read(urllib.request.urlopen(request, timeout=self.timeout))  # noqa: S310
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in (429, 503) or number == last:
                        raise ApiError(error.code, _problem(error.read())) from None
                    self.sleep(min(float(error.headers.get("Retry-After", 2**number)), LONGEST_WAIT))
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                if number == last:
                    raise
                self.sleep(min(float(2**number), LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")


def _known(kind: type, given: Mapping[str, Any]) -> Json:
    """What was given by keyword. Raises TypeError for a name that `kind` has not, as any function does."""
    if unknown := given.keys() - kind.__annotations__.keys():
        raise TypeError(f"unexpected keyword argument: {', '.join(sorted(unknown))}")
    return dict(given)


def _whole(answer: HTTPResponse) -> Json:
    with answer:
        return json.loads(answer.read() or b"{}")  # no body: 204


def _problem(data: bytes) -> Json:
    with suppress(TypeError, ValueError):  # a proxy's own page is no problem document
        return dict(json.loads(data))
    return {}


def _part(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _board(game: str, mode: str, window: str) -> str:
    return f"/v1/games/{_part(game)}/modes/{_part(mode)}/leaderboards/{_part(window)}"
