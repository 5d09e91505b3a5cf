from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage

import pytest
from flask import Flask

from app.accounts.push import new_key
from tests.accounts.smtp_server import smtp_server
from tests.fantasy.notices.push_service import PushService, push_service


@pytest.fixture
def service(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[PushService]:
    """A push service, with push set up for it."""
    with push_service() as running:
        settings = replace(
            app.config["PRESSBOX"],
            vapid_key=new_key(),
            push_contact="ops@example.com",
            push_private=True,
        )
        monkeypatch.setitem(app.config, "PRESSBOX", settings)
        yield running


@pytest.fixture
def mails(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EmailMessage]]:
    """What was mailed, with a mail server set."""
    with smtp_server() as (url, taken):
        settings = replace(
            app.config["PRESSBOX"],
            smtp_url=url,
            mail_from="pressbox@example.com",
            public_url="https://p.example.com",
        )
        monkeypatch.setitem(app.config, "PRESSBOX", settings)
        yield taken
