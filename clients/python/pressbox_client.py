"""A client of Pressbox's API in one file, on Python's standard library alone: copy it into your project.

One method an operation, named as in the OpenAPI document; answers are dicts as the document says, {} without a body. A
429 or 503 is tried again after its Retry-After, with the same body and key, so that nothing counts twice. Everything
else above 399 raises ApiError.

    client = Client("https://scores.example", key="pbk_...")
    client.create_game(slug="dice-duel", title="Dice Duel")
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPResponse
from typing import Any, TypeVar

Json = dict[str, Any]
Read = TypeVar("Read")
LONGEST_WAIT = 60.0


class ApiError(Exception):
    """An answer above 399: `status`, `detail` (what to do) and `errors` (each field), as the problem says."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail', 'no detail')}")
        self.status = status
        self.detail = str(problem.get("detail", ""))
        self.errors = list(problem.get("errors", ()))


class Client:
    """`key`: an integrator's key, for a game server. `token`: a player's access token, for his own scores.

    `tries`: how often a request is sent at most while the answer is 429 or 503 or nobody answers. `sleep`: how it
    waits in between.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str = "",
        token: str = "",
        tries: int = 5,
        timeout: float = 15.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._url = url.rstrip("/")
        self._secret = key or token
        self._tries = tries
        self._timeout = timeout
        self._sleep = sleep

    def list_games(self) -> Json:
        return self._call("GET", "/v1/games")

    def create_game(self, *, slug: str, title: str) -> Json:
        return self._call("POST", "/v1/games", body={"slug": slug, "title": title})

    def list_modes(self, game: str) -> Json:
        return self._call("GET", f"/v1/games/{_part(game)}/modes")

    def create_mode(
        self,
        game: str,
        *,
        slug: str,
        title: str,
        aggregation: str | None = None,
        ties: str | None = None,
        time_zone: str | None = None,
        decimals: int | None = None,
        windows: list[str] | None = None,
        keep_days: dict[str, int] | None = None,
        min_score: int | None = None,
        max_score: int | None = None,
        shards: int | None = None,
    ) -> Json:
        body = {
            "slug": slug,
            "title": title,
            "aggregation": aggregation,
            "ties": ties,
            "time_zone": time_zone,
            "decimals": decimals,
            "windows": windows,
            "keep_days": keep_days,
            "min_score": min_score,
            "max_score": max_score,
            "shards": shards,
        }
        return self._call("POST", f"/v1/games/{_part(game)}/modes", body=body)

    def register_player(self, game: str, *, external_id: str, display_name: str) -> Json:
        body = {"external_id": external_id, "display_name": display_name}
        return self._call("POST", f"/v1/games/{_part(game)}/players", body=body)

    def create_token(self, *, player_id: str) -> Json:
        return self._call("POST", "/v1/tokens", body={"player_id": player_id})

    def refresh_token(self, *, refresh_token: str) -> Json:
        """Tried once only: a refresh token is good for one use."""
        return self._call("POST", "/v1/tokens/refresh", body={"refresh_token": refresh_token}, tries=1)

    def issue_attempt(
        self,
        game: str,
        mode: str,
        *,
        player_id: str,
        attempt_id: str | None = None,
        score_cap: int | None = None,
        expires_in: int | None = None,
    ) -> Json:
        body = {
            "player_id": player_id,
            "attempt_id": attempt_id or str(uuid.uuid4()),  # so that a second try is the same attempt
            "score_cap": score_cap,
            "expires_in": expires_in,
        }
        return self._call("POST", f"/v1/games/{_part(game)}/modes/{_part(mode)}/attempts", body=body)

    def submit_score(
        self,
        game: str,
        mode: str,
        *,
        attempt_id: str,
        attempt_token: str,
        raw_score: int,
        client_meta: dict[str, str | int | bool] | None = None,
        replay: str | None = None,
        wait: str | None = None,
        idempotency_key: str | None = None,
        x_device_id: str | None = None,
    ) -> Json:
        """The `idempotency_key` is the attempt's id if left out."""
        body = {
            "attempt_id": attempt_id,
            "attempt_token": attempt_token,
            "raw_score": raw_score,
            "client_meta": client_meta,
            "replay": replay,
        }
        return self._call(
            "POST",
            f"/v1/games/{_part(game)}/modes/{_part(mode)}/scores",
            query={"wait": wait},
            headers={"Idempotency-Key": idempotency_key or attempt_id, "X-Device-Id": x_device_id},
            body=body,
        )

    def submit_scores(
        self,
        game: str,
        *,
        scores: list[dict[str, Any]],
        client_meta: dict[str, str | int | bool] | None = None,
        replay: str | None = None,
        wait: str | None = None,
    ) -> Json:
        """`scores`: each a dict of mode, attempt_id, attempt_token and raw_score. One outcome each, in their order."""
        body = {"scores": scores, "client_meta": client_meta, "replay": replay}
        return self._call("POST", f"/v1/games/{_part(game)}/scores", query={"wait": wait}, body=body)

    def get_leaderboard(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        around_player_id: str | None = None,
        nearby: int | None = None,
    ) -> Json:
        query = {"limit": limit, "offset": offset, "around_player_id": around_player_id, "nearby": nearby}
        return self._call("GET", _board(game, mode, window), query=query)

    def get_player_rank(self, game: str, mode: str, window: str, player_id: str, *, nearby: int | None = None) -> Json:
        return self._call("GET", f"{_board(game, mode, window)}/players/{_part(player_id)}", query={"nearby": nearby})

    def get_score_band(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        low: int,
        high: int,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        query = {"low": low, "high": high, "limit": limit, "offset": offset}
        return self._call("GET", f"{_board(game, mode, window)}/band", query=query)

    def get_player_history(
        self, game: str, mode: str, window: str, player_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> Json:
        path = f"{_board(game, mode, window)}/players/{_part(player_id)}/history"
        return self._call("GET", path, query={"limit": limit, "offset": offset})

    def get_leaderboard_at(
        self, game: str, mode: str, window: str, *, at: str, limit: int | None = None, offset: int | None = None
    ) -> Json:
        query = {"at": at, "limit": limit, "offset": offset}
        return self._call("GET", f"{_board(game, mode, window)}/at", query=query)

    def get_rank_movement(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        since: str,
        until: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        query = {"since": since, "until": until, "limit": limit, "offset": offset}
        return self._call("GET", f"{_board(game, mode, window)}/movement", query=query)

    def list_friends(self, player_id: str) -> Json:
        return self._call("GET", f"{_player(player_id)}/friends")

    def read_friends_board(
        self,
        player_id: str,
        window: str,
        *,
        game: str,
        mode: str,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Json:
        query = {"game": game, "mode": mode, "offset": offset, "limit": limit}
        return self._call("GET", f"{_player(player_id)}/friends/leaderboards/{_part(window)}", query=query)

    def ask_friend(self, player_id: str, other_id: str) -> Json:
        return self._call("PUT", f"{_player(player_id)}/friends/requests/{_part(other_id)}")

    def withdraw_request(self, player_id: str, other_id: str) -> Json:
        return self._call("DELETE", f"{_player(player_id)}/friends/requests/{_part(other_id)}")

    def accept_request(self, player_id: str, other_id: str) -> Json:
        return self._call("POST", f"{_player(player_id)}/friends/requests/{_part(other_id)}/accept")

    def decline_request(self, player_id: str, other_id: str) -> Json:
        return self._call("POST", f"{_player(player_id)}/friends/requests/{_part(other_id)}/decline")

    def end_friendship(self, player_id: str, other_id: str) -> Json:
        return self._call("DELETE", f"{_player(player_id)}/friends/{_part(other_id)}")

    def block_player(self, player_id: str, other_id: str) -> Json:
        return self._call("PUT", f"{_player(player_id)}/blocks/{_part(other_id)}")

    def unblock_player(self, player_id: str, other_id: str) -> Json:
        return self._call("DELETE", f"{_player(player_id)}/blocks/{_part(other_id)}")

    def read_feed(self, *, since: str | None = None, limit: int | None = None, wait: int | None = None) -> Json:
        """With a `wait` near the client's `timeout`, make the timeout longer."""
        return self._call("GET", "/v1/feed", query={"since": since, "limit": limit, "wait": wait})

    def stream_feed(self, *, since: str | None = None) -> Iterator[Json]:
        """The lines as they come, for up to 30 s: go on with the last one's `next` as `since`."""
        with self._send("GET", "/v1/feed/stream", lambda answer: answer, query={"since": since}) as lines:
            for line in lines:
                yield json.loads(line)

    def create_webhook(self, *, url: str, events: list[str] | None = None) -> Json:
        """Tried once only: a second try after a lost answer would make a second webhook."""
        return self._call("POST", "/v1/webhooks", body={"url": url, "events": events}, tries=1)

    def list_webhooks(self) -> Json:
        return self._call("GET", "/v1/webhooks")

    def delete_webhook(self, webhook_id: str) -> Json:
        return self._call("DELETE", f"/v1/webhooks/{_part(webhook_id)}")

    def list_deliveries(self, webhook_id: str, *, state: str | None = None, limit: int | None = None) -> Json:
        query = {"state": state, "limit": limit}
        return self._call("GET", f"/v1/webhooks/{_part(webhook_id)}/deliveries", query=query)

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
        return self._call("GET", _sheet(gamer_id, gameweek), query={"league": league})

    def put_team_sheet(
        self,
        gamer_id: str,
        gameweek: str,
        *,
        captain: str,
        players: list[str],
        subs: list[str],
        goal_keeper: str | None = None,
        vice_captain: str | None = None,
        edition: int | None = None,
        league: str | None = None,
    ) -> Json:
        """Footballers by their ids; whole or not at all. With `edition`: only if no other was saved since."""
        body = {
            "Captain": captain,
            "Players": players,
            "Subs": subs,
            "GoalKeeper": goal_keeper,
            "ViceCaptain": vice_captain,
            "Edition": edition,
        }
        return self._call("PUT", _sheet(gamer_id, gameweek), query={"league": league}, body=body)

    def get_footballer(self, footballer_id: str, *, season: str | None = None) -> Json:
        return self._call("GET", f"/api/v1/footballers/{_part(footballer_id)}", query={"season": season})

    def list_footballers(
        self,
        position: str,
        *,
        season: str | None = None,
        sort: str | None = None,
        search: str | None = None,
        club: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        query = {"season": season, "sort": sort, "search": search, "club": club, "limit": limit, "offset": offset}
        return self._call("GET", f"/api/v1/positions/{_part(position)}/footballers", query=query)

    def list_league_gamers(self, league: str, *, limit: int | None = None, offset: int | None = None) -> Json:
        path = f"/api/v1/leagues/{_part(league)}/gamers"
        return self._call("GET", path, query={"limit": limit, "offset": offset})

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Mapping[str, object] | None = None,
        tries: int | None = None,
    ) -> Json:
        return self._send(method, path, _whole, query=query, headers=headers, body=body, tries=tries)

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
        """What `read` makes of the answer, which it closes."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self._url}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if self._secret:
            sent["Authorization"] = f"Bearer {self._secret}"
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        last = (tries or self._tries) - 1
        for number in range(last + 1):
            request = urllib.request.Request(url, data, sent, method=method)  # noqa: S310  (the caller's own address)
            try:
                return read(urllib.request.urlopen(request, timeout=self._timeout))  # noqa: S310
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in (429, 503) or number == last:
                        raise ApiError(error.code, _problem(error.read())) from None
                    self._sleep(min(float(error.headers.get("Retry-After", 2**number)), LONGEST_WAIT))
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                if number == last:
                    raise
                self._sleep(min(float(2**number), LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")


def _whole(answer: HTTPResponse) -> Json:
    """The body; {} where there is none (204)."""
    with answer:
        text = answer.read()
    return json.loads(text) if text else {}


def _problem(data: bytes) -> Json:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _part(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _player(player_id: str) -> str:
    return f"/v1/players/{_part(player_id)}"


def _sheet(gamer_id: str, gameweek: str) -> str:
    return f"/api/v1/gamers/{_part(gamer_id)}/teamsheets/{_part(gameweek)}"


def _board(game: str, mode: str, window: str) -> str:
    return f"/v1/games/{_part(game)}/modes/{_part(mode)}/leaderboards/{_part(window)}"
