"""Failures to sign in: who waits, how long, and who never does."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.accounts import services, throttle
from app.accounts.models import Member
from app.core import clock
from app.core.http.rate_limits import limiter
from app.core.redis.clients import jobs_redis
from app.core.redis.connections import connect
from tests.conftest import PASSWORD

HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the clock on by so many seconds."""
    moment = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: moment[0])

    def move(seconds: float) -> None:
        moment[0] += timedelta(seconds=seconds)

    return move


def sign_in(client: FlaskClient, username: str, password: str, address: str = HOME) -> TestResponse:
    data = {"username": username, "password": password}
    return client.post("/sign-in", data=data, environ_base={"REMOTE_ADDR": address})


def fail(app: Flask, times: int, username: str, address: str) -> list[int]:
    """Statuses of tries with a wrong password from a browser without cookies."""
    return [
        sign_in(app.test_client(), username, f"guess {n}", address).status_code
        for n in range(times)
    ]


def wait_of(answer: TestResponse) -> int:
    return int(answer.headers["Retry-After"])


def test_sixty_people_of_one_address_sign_in(app: Flask, member: Callable[..., Member]) -> None:
    limiter.enabled = True
    for number in range(60):
        member(f"fan-{number}")
    answers = [sign_in(app.test_client(), f"fan-{number}", PASSWORD) for number in range(60)]
    assert [answer.status_code for answer in answers] == [303] * 60
    again = [sign_in(app.test_client(), "fan-1", PASSWORD).status_code for _ in range(60)]
    assert again == [303] * 60, "nor does anybody's hundredth success cost anything"


def test_waits_grow_and_the_page_says_how_long(
    app: Flask, member: Callable[..., Member], later: Callable[[float], None]
) -> None:
    member("ann")
    assert fail(app, 5, "ann", HOME) == [422] * 5
    waits = []
    for _ in range(12):
        refused = sign_in(app.test_client(), "ann", PASSWORD)
        assert refused.status_code == 429, "even the right password: it was not looked at"
        waits.append(wait_of(refused))
        assert wait_of(sign_in(app.test_client(), "ann", "guess")) == waits[-1], (
            "asking does not make it longer"
        )
        later(waits[-1])
        assert fail(app, 1, "ann", HOME) == [422]
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]
    refused = sign_in(app.test_client(), "ann", PASSWORD)
    assert "Try again in 15 minutes." in refused.text
    later(900)
    assert sign_in(app.test_client(), "ann", PASSWORD).status_code == 303
    assert fail(app, 5, "ann", HOME) == [422] * 5, "after a success all is forgotten"


def test_failures_of_one_account_do_not_hold_up_another_at_the_address(
    app: Flask, member: Callable[..., Member], later: Callable[[float], None]
) -> None:
    for name in ("ann", "bob"):
        member(name)
    assert fail(app, 20, "ann", HOME).count(422) == 5
    assert sign_in(app.test_client(), "bob", PASSWORD).status_code == 303


def test_whoever_guesses_does_not_lock_the_owner_out(
    app: Flask, member: Callable[..., Member], later: Callable[[float], None]
) -> None:
    """On a known device the owner never notices.

    On a new one elsewhere the wait is a minute, and once.
    """
    member("ann")
    device = app.test_client()
    assert sign_in(device, "ann", PASSWORD).status_code == 303
    for number in range(20):  # a botnet: 100 failures, and it goes on
        fail(app, 5, "ann", f"203.0.113.{number}")
    device.delete_cookie("session")
    assert sign_in(device, "ann", PASSWORD, ELSEWHERE).status_code == 303
    owner = app.test_client()
    refused = sign_in(owner, "ann", PASSWORD, ELSEWHERE)
    assert refused.status_code == 429
    assert 0 < wait_of(refused) <= 60
    for number in range(20, 40):
        fail(app, 5, "ann", f"203.0.113.{number}")
        later(3)
    assert sign_in(owner, "ann", PASSWORD, ELSEWHERE).status_code == 303, (
        "whatever others did meanwhile"
    )


def test_a_device_counts_its_own_failures(
    app: Flask, member: Callable[..., Member], later: Callable[[float], None]
) -> None:
    """A stolen phone, signed out by its owner, may not guess for ever either."""
    member("ann")
    device = app.test_client()
    sign_in(device, "ann", PASSWORD)
    device.delete_cookie("session")
    assert [sign_in(device, "ann", "guess").status_code for _ in range(6)] == [422] * 5 + [429]
    assert sign_in(app.test_client(), "ann", PASSWORD).status_code == 303, (
        "the owner beside it does not wait"
    )


def test_a_device_is_known_for_the_accounts_that_signed_in_on_it_alone(
    app: Flask, member: Callable[..., Member], later: Callable[[float], None]
) -> None:
    for name in ("ann", "eve"):
        member(name)
    device = app.test_client()
    sign_in(device, "eve", PASSWORD)
    device.delete_cookie("session")
    fail(app, 5, "ann", HOME)
    assert sign_in(device, "ann", "guess").status_code == 429, (
        "eve's device is a stranger to ann's account"
    )
    cookie = device.get_cookie("device")
    assert cookie is not None
    device.set_cookie("device", cookie.value[:-2] + "xx")
    assert sign_in(device, "eve", PASSWORD).status_code == 303, "a broken cookie is a new device"


def test_somebody_who_tries_many_accounts_waits_and_others_there_a_minute_at_most(
    app: Flask, member: Callable[..., Member], later: Callable[[float], None]
) -> None:
    member("ann")
    waits = [fail(app, 1, f"name-{number}", HOME)[0] for number in range(130)]
    assert waits.count(422) == 100
    refused = sign_in(app.test_client(), "ann", PASSWORD)
    assert refused.status_code == 429
    assert wait_of(refused) <= 60
    later(wait_of(refused))
    fail(app, 30, "other", HOME)
    assert sign_in(app.test_client(), "ann", PASSWORD).status_code == 303


def test_an_unknown_name_waits_like_a_known_one(
    app: Flask,
    member: Callable[..., Member],
    later: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    member("ann")
    looked_at = []
    hasher = services.hasher()

    class Noting:
        def verify(self, digest: str, password: str) -> bool:
            looked_at.append(digest.split("$")[3])  # its cost: the work that it takes
            return bool(hasher.verify(digest, password))

        def hash(self, password: str) -> str:
            return str(hasher.hash(password))

    monkeypatch.setattr(services, "hasher", Noting)
    assert fail(app, 7, "ann", HOME) == fail(app, 7, "nobody", ELSEWHERE) == [422] * 5 + [429] * 2
    assert len(looked_at) == 10, "one look a try, none while waiting"
    assert len(set(looked_at)) == 1


def test_tries_at_the_same_moment_are_all_counted(app: Flask) -> None:
    now = clock.now()
    attempt = throttle.Try("ann", HOME)
    assert [throttle.begin(attempt, now) > 0 for _ in range(8)] == [False] * 5 + [True] * 3


def redis_ms() -> int:
    """Milliseconds since 1970 by Redis' own clock."""
    seconds, microseconds = jobs_redis().time()
    return int(seconds) * 1000 + int(microseconds) // 1000


def test_failures_are_forgotten_after_a_day(app: Flask, later: Callable[[float], None]) -> None:
    before = redis_ms()
    fail(app, 7, "ann", HOME)
    after = redis_ms()
    ends = sorted(
        jobs_redis().pexpiretime(key) for key in jobs_redis().scan_iter("pressbox:sign-in:*")
    )
    for life, end in zip((3600, 3600, 86400), ends, strict=True):
        assert before <= end - life * 1000 <= after


@pytest.mark.parametrize(
    ("address", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::2:3", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("192.0.2.1", "192.0.2.2", False),
    ],
)
def test_what_is_one_address(address: str, other: str, same: bool) -> None:
    assert (throttle.network(address) == throttle.network(other)) is same


def test_with_redis_away_people_sign_in_and_guesses_are_still_few(
    app: Flask, member: Callable[..., Member], nobody_listens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    member("ann")
    monkeypatch.setitem(app.extensions, "redis", connect(f"redis://127.0.0.1:{nobody_listens}"))
    assert sign_in(app.test_client(), "ann", PASSWORD, "192.0.2.99").status_code == 303
    assert fail(app, 11, "ann", "192.0.2.99") == [422] * 9 + [429] * 2


def test_another_pages_limit_says_how_long_to_wait(client: FlaskClient) -> None:
    limiter.enabled = True
    answers = [client.post("/register", data={"username": "x"}) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429]
    assert 0 < wait_of(answers[-1]) <= 60
    wait_shown = re.search(r"Try again in (\d+) seconds", answers[-1].text)
    assert wait_shown is not None
    assert int(wait_shown[1]) - wait_of(answers[-1]) in (0, 1), "rounded up on the page"
