"""Whose address counts: the connection's own, or what a trusted number of proxies say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import request

from app.embedded.stack import Stack
from app.setting_reading import settings_from_env
from app.settings import SettingsError
from tests.conftest import AnotherApp


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, None, "192.0.2.1"),
        (0, "203.0.113.9", "192.0.2.1"),  # anybody may send the header
        (1, "203.0.113.9", "203.0.113.9"),
        # what the client itself put before is no more than a claim
        (1, "10.9.9.9, 203.0.113.9", "203.0.113.9"),
        (2, "10.9.9.9, 203.0.113.9, 198.51.100.7", "203.0.113.9"),
        # fewer than there should be: somebody came round the proxies
        (2, "203.0.113.9", "192.0.2.1"),
    ],
)
def test_the_clients_address(
    another_app: AnotherApp, stack: Stack, proxies: int, forwarded: str | None, address: str
) -> None:
    app = another_app(replace(stack.settings, trusted_proxies=proxies))
    addresses = []
    app.before_request_funcs[None].insert(0, lambda: addresses.append(request.remote_addr))
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    app.test_client().get("/sign-in", headers=headers, environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert addresses == [address]


def test_a_forwarded_host_is_never_taken(another_app: AnotherApp, stack: Stack) -> None:
    app = another_app(replace(stack.settings, trusted_proxies=1))
    hosts = []
    app.before_request_funcs[None].insert(0, lambda: hosts.append((request.host, request.scheme)))
    headers = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-For": "203.0.113.9",
    }
    app.test_client().get("/sign-in", headers=headers)
    assert hosts == [("localhost", "https")]


def test_fewer_than_no_proxies_are_refused() -> None:
    with pytest.raises(SettingsError, match="TRUSTED_PROXIES=-1"):
        settings_from_env({"TRUSTED_PROXIES": "-1"})
