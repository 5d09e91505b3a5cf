"""Mail to members: links that set a new password or confirm an address, and notices.

Needs SMTP_URL. A page only enqueues a job, so that timing does not reveal whether an account
exists, and a mail server that does not answer delays no page. The job creates the link itself: no
queue ever holds one.
"""

from __future__ import annotations

import ipaddress
import smtplib
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

import structlog
from flask import current_app

from app.accounts import links, services
from app.accounts.jobs import MAIL_RESET
from app.accounts.models import Member
from app.audit import log as audit
from app.audit.acts import Act
from app.core import jobs
from app.core.db import db
from app.settings import Settings

log = structlog.get_logger(__name__)

SECONDS = 20.0  # for each step of the conversation with the mail server
PORTS = {"smtp": 587, "smtps": 465}


def is_on() -> bool:
    """Whether mail is configured."""
    return bool(_settings().smtp_url)


def ask_for_reset(username: str) -> None:
    """Enqueue the job that mails a link, whether or not the account exists."""
    jobs.send(MAIL_RESET, username.strip().lower()[:40])


def send_reset(username: str, now: datetime) -> bool:
    """Mail the member a link to set a new password.

    Running twice mails twice; only the later link is good.

    Returns:
        False if there is no such member, or they have no address.
    """
    member = services.find_member(username)
    if member is None or member.email is None:
        return False
    token = links.make(member.id, now, links.LIFETIME_BY_MAIL)
    audit.record(
        Act.PASSWORD_LINK_MADE, actor_id=None, subject=f"member:{member.id}", details={"by": "mail"}
    )
    db.session.commit()
    send(
        member.email,
        "Reset your password",
        f"Hello {member.display_name},\n\nyou asked to reset the password of your account "
        f"{member.username}. Choose a new one within an hour "
        f"at\n\n{_settings().origin}/reset?token={token}\n\n"
        "If you didn't ask for this, ignore this email. Your password stays the same.\n",
    )
    return True


def send_confirmation(member: Member, address: str, now: datetime) -> None:
    """Mail a link that makes this the member's address."""
    token = links.make(member.id, now, links.LIFETIME_BY_MAIL, email=address)
    db.session.commit()
    send(
        address,
        "Confirm your email",
        f"Hello {member.display_name},\n\nto receive password reset links at this address, sign "
        "in as "
        f"{member.username} "
        f"and open, within an hour,\n\n{_settings().origin}/account/email/confirm?token={token}\n\n"
        "If this is not your account, ignore this email.\n",
    )


def send(address: str, subject: str, text: str) -> None:
    """Send a mail, over TLS unless the server is on this machine.

    Raises:
        smtplib.SMTPException: The server does not accept it.
        OSError: The server does not answer.
    """
    message = composed(address, subject, text)
    with connected() as server:
        server.send_message(message)
    log.info("mail_sent", subject=subject)


def composed(
    address: str, subject: str, text: str, headers: Mapping[str, str] | None = None
) -> EmailMessage:
    """Compose a mail from this installation, with these additional headers."""
    message = EmailMessage()
    message["From"], message["To"] = _settings().mail_from, address
    message["Subject"] = f"Pressbox: {' '.join(subject.split())}"
    message["Auto-Submitted"] = "auto-generated"
    for name, value in (headers or {}).items():
        message[name] = value
    message.set_content(text)
    return message


@contextmanager
def connected() -> Iterator[smtplib.SMTP]:
    """Connect to the mail server. Raises as `send` does."""
    settings = _settings()
    url = urlsplit(settings.smtp_url)
    host, port = url.hostname or "localhost", url.port or PORTS[url.scheme]
    if url.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            host, port, timeout=SECONDS, context=ssl.create_default_context()
        )
    else:
        server = smtplib.SMTP(host, port, timeout=SECONDS)
    with server:
        if url.scheme == "smtp":
            server.ehlo()
            if server.has_extn("starttls") or not _is_here(host):
                # raises if the server has no TLS
                server.starttls(context=ssl.create_default_context())
        if url.username:
            server.login(unquote(url.username), unquote(url.password or ""))
        yield server


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _settings() -> Settings:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings
