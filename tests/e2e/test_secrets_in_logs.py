"""The check that reads the logs of all stories (secrets_in_logs.py) finds what it is to find."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Page
from sqlalchemy import select

from app.accounts import links
from app.accounts.models import Member, MemberSession
from app.core import clock
from app.core.db import db
from app.core.logs.configuration import RENDERER
from app.embedded.stack import Stack
from tests.conftest import PASSWORD
from tests.e2e.secrets_in_logs import FORMS, Secrets
from tests.e2e.signing_in import sign_in_by_form

pytestmark = pytest.mark.e2e


def logged(folder: Path, **line: object) -> Path:
    """A folder of logs in which a process of ours wrote this line, between two harmless ones."""
    harmless = str(RENDERER(None, "", {"event": "audit", "entry": 7, "subject": "member:7"}))
    path = folder / "web.log"
    path.write_text("\n".join([harmless, str(RENDERER(None, "", dict(line))), harmless]))
    return folder


def test_one_line_of_one_process_is_enough(stack: Stack, known: Secrets) -> None:
    """Where the check at the end of the stories looks, a file set aside too."""
    planted = stack.var / "logs" / "relay.log.1"
    known.note("seventeen quiet herons", "a password")
    planted.write_text(
        "level=info event=oops text=harmless\nlevel=info text='seventeen quiet herons'\n"
    )
    try:
        assert "relay.log.1, line 2: a password" in known.faults(stack.var / "logs")
    finally:
        planted.unlink()
    assert "relay.log.1, line 2: a password" not in known.faults(stack.var / "logs")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("pbk_" + "a1B2" * 11, "an integrator's key"),
        ("pbr_" + "a1B2" * 11, "a refresh token"),
        ("whsec_" + "a1B2" * 8, "a webhook's secret"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "a signed token"),
        ("$argon2id$v=19$m=8", "a password's hash"),
        ("Authorization: Bearer " + "a1B2" * 8, "a header that signs"),
        ("Cookie: session=x", "a header that signs"),
        ("otpauth://totp/Pressbox:ann", "an authenticator's address"),
        ("-----BEGIN EC PRIVATE KEY-----", "a private key"),
    ],
)
def test_what_looks_like_a_secret_is_found(tmp_path: Path, text: str, kind: str) -> None:
    assert Secrets().faults(logged(tmp_path, event="oops", value=text)) == [
        f"web.log, line 2: {kind}"
    ]


def test_every_form_is_tried_above() -> None:
    (mark,) = (
        mark
        for mark in test_what_looks_like_a_secret_is_found.pytestmark
        if mark.name == "parametrize"
    )  # type: ignore[attr-defined]
    assert {kind for _, kind in mark.args[1]} == FORMS.keys()


def test_what_is_harmless_is_not(tmp_path: Path) -> None:
    """The beginning of a key, by which people tell keys apart, an entry's hash, an id."""
    harmless = {
        "key": "pbk_a1B2c3",
        "hash": "0f" * 32,
        "player": "f30124b2-fb04-4ff0-abf9-aa75aa19a345",
    }
    assert Secrets().faults(logged(tmp_path, event="key_refused", **harmless)) == []


@pytest.mark.everyday("without it the stories would look for nothing")
def test_what_a_browser_sends_and_gets_is_known(
    tmp_path: Path, member: Callable[..., Member], open_page: Callable[..., Page], known: Secrets
) -> None:
    ann = member("ann")
    page = open_page()
    sign_in_by_form(page, "ann")
    page.goto("/account/second-factor")
    page.get_by_role("button", name="Set up an app").click()
    key = page.locator(".secret").inner_text()
    cookie = next(
        cookie_set for cookie_set in page.context.cookies() if cookie_set.get("name") == "session"
    ).get("value")
    known.note_cookies(page.context)
    known.note_database()
    session = db.session.scalars(
        select(MemberSession.id).where(MemberSession.member_id == ann.id)
    ).one()
    for value, kind in (
        (PASSWORD, "the field password"),
        (PASSWORD.replace(" ", "+"), "the field password"),
        (cookie, "the cookie session"),
        (session, "a session"),
        (key, "an authenticator's secret"),
    ):
        assert f"web.log, line 2: {kind}" in known.faults(
            logged(tmp_path, event="oops", value=value)
        ), kind


def test_what_only_the_database_knows_by_its_digest_is_known(
    app: Flask, tmp_path: Path, member: Callable[..., Member], known: Secrets
) -> None:
    owner = member("owner")
    link = links.make(owner.id, clock.now(), timedelta(hours=1))
    db.session.commit()
    known.note_database()
    for value in (
        link,
        f"/password/{link}",
        f"http://127.0.0.1/password/{link}?next=1",
        f"token={link}",
    ):
        assert known.faults(logged(tmp_path, path=value)) == ["web.log, line 2: a one-time link"], (
            value
        )
