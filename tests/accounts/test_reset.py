"""Links that are good for one use.

A new password by an operator's link or by mail, an address that is confirmed.
"""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import links, services
from app.accounts import mail as mailing
from app.accounts.jobs import MAIL_CONFIRMATION, MAIL_RESET
from app.accounts.models import Member, OneTimeLink
from app.audit.models import AuditEntry
from app.core import clock, jobs
from app.core.db import db
from app.core.jobs import queue
from tests.accounts.smtp_server import smtp_server
from tests.conftest import PASSWORD
from workers.jobs import mail_confirmation, mail_reset

NEW = "a window full of rain"


@pytest.fixture
def token(member: Callable[..., Member]) -> str:
    """Of a link for ann's password."""
    token = links.make(member("ann").id, clock.now(), links.LIFETIME_BY_OPERATOR)
    db.session.commit()
    return token


def test_a_link_sets_the_password_once_and_ends_every_session(
    client: FlaskClient, token: str, sign_in: Callable[..., FlaskClient]
) -> None:
    other = sign_in(username="ann")
    page = client.get(f"/reset?token={token}")
    assert page.status_code == 200
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "private, no-store"
    answer = client.post("/reset", data={"token": token, "new": NEW})
    assert answer.status_code == 303
    assert "Password saved" in client.get(answer.headers["Location"]).text
    assert other.get("/leagues").status_code == 302
    assert services.check_password("ann", NEW) is not None
    again = client.post("/reset", data={"token": token, "new": "another good one"})
    assert again.status_code == 410
    assert services.check_password("ann", NEW) is not None
    assert client.get(f"/reset?token={token}").status_code == 410


@pytest.mark.parametrize(
    "new", ["short", "password123", "", "ann ann ann"], ids=["short", "breached", "none", "names"]
)
def test_a_refused_password_leaves_the_link_good(client: FlaskClient, token: str, new: str) -> None:
    assert client.post("/reset", data={"token": token, "new": new}).status_code == 422
    assert client.post("/reset", data={"token": token, "new": NEW}).status_code == 303


def test_a_link_ends_by_itself_by_a_newer_one_and_with_the_password(
    client: FlaskClient,
    token: str,
    monkeypatch: pytest.MonkeyPatch,
    sign_in: Callable[..., FlaskClient],
) -> None:
    ann = services.find_member("ann")
    assert ann is not None
    newer = links.make(ann.id, clock.now(), links.LIFETIME_BY_OPERATOR)
    db.session.commit()
    assert client.get(f"/reset?token={token}").status_code == 410
    assert client.get(f"/reset?token={newer}").status_code == 200
    sign_in(username="ann").post("/account/password", data={"current": PASSWORD, "new": NEW})
    assert client.get(f"/reset?token={newer}").status_code == 410
    last = links.make(ann.id, clock.now(), links.LIFETIME_BY_OPERATOR)
    db.session.commit()
    late = clock.now() + timedelta(hours=24, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: late)
    assert client.get(f"/reset?token={last}").status_code == 410


def test_the_token_of_a_link_is_kept_nowhere_and_never_logged(
    client: FlaskClient, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client.get(f"/reset?token={token}")
    client.post("/reset", data={"token": token, "new": NEW})
    assert token not in "".join(capsys.readouterr())
    link = db.session.scalars(select(OneTimeLink)).one()
    assert token not in (link.digest, link.purpose)
    assert all(token not in str(entry.details) for entry in db.session.scalars(select(AuditEntry)))


@pytest.fixture
def mail(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EmailMessage]]:
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


def test_no_mail_goes_in_clear_to_another_machine(
    app: Flask, mail: list[EmailMessage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that offers no STARTTLS gets nothing, unless it is of this machine."""
    here = app.config["PRESSBOX"]
    mailing.send("ann@example.com", "Hello", "to a server of this machine")
    assert len(mail) == 1
    elsewhere = here.smtp_url.replace("127.0.0.1", "0.0.0.0")  # noqa: S104  (the same server, by no loopback address)
    monkeypatch.setitem(app.config, "PRESSBOX", replace(here, smtp_url=elsewhere))
    with pytest.raises(smtplib.SMTPNotSupportedError, match="STARTTLS"):
        mailing.send("ann@example.com", "Hello", "to another machine")
    assert len(mail) == 1


def queued() -> list[tuple[str, list[object]]]:
    """Jobs that wait in the queue that mails, oldest first; taken out."""
    upkeep = queue(jobs.UPKEEP_QUEUE)
    calls = [(job.func_name, list(job.args)) for job in upkeep.jobs]
    upkeep.empty()
    return calls


def test_whoever_forgot_the_password_gets_a_link_by_mail(
    client: FlaskClient, mail: list[EmailMessage], member: Callable[..., Member]
) -> None:
    member("ann").email = "ann@example.com"
    member("bob")
    db.session.commit()
    answers = [
        client.post("/forgot", data={"username": name}).text for name in ("Ann", "bob", "nobody")
    ]
    assert answers[0] == answers[1] == answers[2]
    sent = queued()
    assert [name for name, _ in sent] == [MAIL_RESET.name] * 3, "all names cost the page the same"
    for _, arguments in sent:
        mail_reset.run(*arguments)
    assert [message["To"] for message in mail] == ["ann@example.com"]
    match = re.search(r"https://p\.example\.com(/reset\?token=\S+)", mail[0].get_content())
    assert match is not None
    assert client.get(match[1]).status_code == 200
    acts = db.session.scalars(select(AuditEntry.act)).all()
    assert acts == ["account.password_link_made"]


def test_without_a_mail_server_the_page_names_the_operator(
    client: FlaskClient, member: Callable[..., Member]
) -> None:
    member("ann")
    assert "Ask the person who runs this site" in client.get("/forgot").text
    client.post("/forgot", data={"username": "ann"})
    assert queued() == []


def test_an_address_counts_once_its_link_was_opened_by_its_member(
    app: Flask, mail: list[EmailMessage], sign_in: Callable[..., FlaskClient]
) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    assert ann.post("/account/email", data={"email": "no address"}).status_code == 422
    assert (
        "We sent a link to ann@example.com."
        in ann.post("/account/email", data={"email": "ann@example.com"}).text
    )
    [(name, arguments)] = queued()
    assert name == MAIL_CONFIRMATION.name
    mail_confirmation.run(*arguments)
    match = re.search(r"(/account/email/confirm\?token=(\S+))", mail[0].get_content())
    assert match is not None
    assert bob.get(match[1]).status_code == 410, "another member's"
    assert bob.post("/account/email/confirm", data={"token": match[2]}).status_code == 410
    page = ann.get(match[1])
    assert "ann@example.com" in page.text
    member = services.find_member("ann")
    assert member is not None
    assert member.email is None, "opening it does nothing yet: programs open links in mails"
    assert ann.post("/account/email/confirm", data={"token": match[2]}).status_code == 303
    db.session.refresh(member)
    assert member.email == "ann@example.com"
    assert ann.post("/account/email/confirm", data={"token": match[2]}).status_code == 410, (
        "good once"
    )
    assert ann.post("/account/email/remove").status_code == 303
    db.session.refresh(member)
    assert member.email is None


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_line_break_in_an_address_adds_no_header(app: Flask, ending: str) -> None:
    with pytest.raises(ValueError, match="may not contain linefeed or carriage return"):
        mailing.send(f"ann@example.com{ending}Bcc: eve@example.com", "Set a new password", "text")
