"""Sends notices to devices and by mail, each at most once.

A delivery is marked `sending` and committed before the first byte leaves, and its outcome is
committed after. If the process is killed in between it ends as `unknown` and is not sent again: the
notice is in Pressbox in any case, and nobody wants their phone to ring twice. A delivery is tried
again only if the service has certainly not taken it (429, 5xx, no connection): at growing
intervals, at most TRIES times and not after LIVES. Encryption and HTTP are in app/accounts/push.py,
SMTP in app/accounts/mail.py.
"""

from __future__ import annotations

import smtplib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from flask import Flask, current_app
from sqlalchemy import select, text, update

from app.accounts import mail, push, push_devices
from app.accounts.push import Message, Outcome
from app.core.db import db
from app.core.http import outbound
from app.fantasy.notices import choices
from app.fantasy.notices.models import NoticeDelivery
from app.settings import Settings

log = structlog.get_logger(__name__)

MAIL = "mail"
BATCH = 16  # pushes at once to one service; mails are sent one by one
LEASE = timedelta(minutes=3)  # longer than a batch can take
TRIES = 5
PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=20), timedelta(hours=1))
# How long nothing is sent to a service after it did not take a delivery.
REST = timedelta(seconds=30)
# How long a notice is news. It is not sent later; members find it in Pressbox.
LIVES = {
    "deadline": timedelta(hours=1),
    "result": timedelta(hours=24),
    "correction": timedelta(hours=24),
    "mention": timedelta(hours=24),
    "draft": timedelta(hours=1),
}
KEPT = timedelta(days=7)  # how long deliveries that have ended are stored
MOST_ENDED = 5_000  # deleted at once
SERVER_ERRORS = 500  # codes of SMTP from here on are permanent refusals
TITLE, BODY = 120, 240  # characters that a lock screen shows


@dataclass(frozen=True)
class _Claimed:
    """A delivery that is being sent. `endpoint`: None for a mail to `email`."""

    id: int
    device_id: int | None
    tries: int
    made_at: datetime
    member_id: int
    notice_id: int
    kind: str
    title: str
    body: str
    path: str
    is_wanted: bool
    email: str | None
    name: str
    endpoint: str | None
    p256dh: str | None
    auth: str | None


def due_services(now: datetime) -> Sequence[str]:
    """Services by name that have something to send and did not just fail.

    Deliveries that were cut off end first. Commits.
    """
    cut_off = (
        update(NoticeDelivery)
        .where(NoticeDelivery.state == "sending", NoticeDelivery.next_at <= now)
        .values(state="unknown", ended_at=now, reason="Interrupted while sending.")
    )
    db.session.execute(cut_off)
    db.session.commit()
    resting = select(NoticeDelivery.service).where(NoticeDelivery.failed_at > now - REST)
    due = select(NoticeDelivery.service).where(
        NoticeDelivery.state == "waiting",
        NoticeDelivery.next_at <= now,
        NoticeDelivery.service.not_in(resting),
    )
    services = db.session.scalars(due.distinct().order_by(NoticeDelivery.service)).all()
    db.session.rollback()
    return services


def send_due(service: str, now: datetime) -> bool:
    """Send the service's next deliveries, those that have been due the longest first. Commits.

    Returns:
        Whether to go on: there were some, and the service took all.
    """
    claimed = _claim(service, now)
    if not claimed:
        return False
    sendable = [
        delivery
        for delivery in claimed
        if delivery.is_wanted and delivery.made_at + LIVES[delivery.kind] > now
    ]
    outcomes = _send_all(service, sendable, now)
    for delivery in claimed:
        _note(
            delivery,
            outcomes.get(delivery.id, Outcome("dropped", "No longer needed.")),
            now,
        )
    push_devices.forget(
        [
            delivery.device_id
            for delivery in claimed
            if delivery.device_id and _state(outcomes, delivery) == "gone"
        ]
    )
    push_devices.note_pushed(
        [
            delivery.device_id
            for delivery in claimed
            if delivery.device_id and _state(outcomes, delivery) == "sent"
        ],
        now,
    )
    db.session.commit()
    return not any(outcome.state in ("failed", "unknown") for outcome in outcomes.values())


def _state(outcomes: dict[int, Outcome], delivery: _Claimed) -> str | None:
    return outcomes[delivery.id].state if delivery.id in outcomes else None


_CLAIM = text("""
    WITH next AS (
      SELECT id FROM notice_deliveries WHERE service = :service AND state = 'waiting'
        AND next_at <= :now
      ORDER BY next_at, id LIMIT :most FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE notice_deliveries SET state = 'sending', tries = tries + 1, next_at = :until
      WHERE id IN (SELECT id FROM next) RETURNING *
    )
    SELECT t.id, t.device_id, t.tries, t.made_at, t.member_id, n.id AS notice_id, n.kind, n.title,
      n.body, n.path,
      coalesce(n.kind = ANY(CASE WHEN t.device_id IS NULL THEN c.mail ELSE c.push END), false)
        AND m.erased_at IS NULL AND m.banned_at IS NULL AND coalesce(m.suspended_until <= :now,
          true) AS is_wanted,
      m.email, m.display_name AS name, d.endpoint, d.p256dh, d.auth
    FROM taken t JOIN notices n ON n.id = t.notice_id JOIN members m ON m.id = t.member_id
    LEFT JOIN notice_choices c ON c.member_id = t.member_id LEFT JOIN push_devices d
      ON d.id = t.device_id
    ORDER BY t.id
""")


def _claim(service: str, now: datetime) -> list[_Claimed]:
    most = 1 if service == MAIL else BATCH
    rows = db.session.execute(
        _CLAIM, {"service": service, "now": now, "until": now + LEASE, "most": most}
    )
    claimed = [_Claimed(**row) for row in rows.mappings()]
    db.session.commit()  # before the first byte leaves
    return claimed


def _send_all(service: str, claimed: Sequence[_Claimed], now: datetime) -> dict[int, Outcome]:
    """The outcomes by the delivery's id. No transaction is open meanwhile."""
    if service == MAIL:
        return {delivery.id: _mail(delivery) for delivery in claimed}
    if not push.is_on():
        return {
            delivery.id: Outcome("refused", "Push notifications are not set up here (VAPID_KEY).")
            for delivery in claimed
        }
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    with ThreadPoolExecutor(BATCH, thread_name_prefix="push") as pool:
        return dict(
            zip(
                [delivery.id for delivery in claimed], pool.map(_in(app, now), claimed), strict=True
            )
        )


def _in(app: Flask, now: datetime) -> Callable[[_Claimed], Outcome]:
    def send(delivery: _Claimed) -> Outcome:
        with app.app_context():
            return _push(delivery, now)

    return send


def _push(delivery: _Claimed, now: datetime) -> Outcome:
    assert delivery.endpoint is not None
    assert delivery.p256dh is not None
    assert delivery.auth is not None
    left = int((delivery.made_at + LIVES[delivery.kind] - now).total_seconds())
    content = {
        "title": _short(delivery.title, TITLE),
        "body": _short(delivery.body, BODY),
        "path": delivery.path,
        "tag": f"notice-{delivery.notice_id}",
    }
    message = Message(
        content, max(left, 0), f"notice-{delivery.notice_id}", delivery.kind == "deadline"
    )
    return push.send(delivery.endpoint, delivery.p256dh, delivery.auth, message)


def _mail(delivery: _Claimed) -> Outcome:
    if not mail.is_on() or delivery.email is None:
        return Outcome("refused", "Email is not set up here (SMTP_URL), or there is no address.")
    settings: Settings = current_app.config["PRESSBOX"]
    stop = f"{settings.origin}/notices/stop/{choices.stop_token(delivery.member_id, delivery.kind)}"
    body = (
        f"Hello {delivery.name},\n\n{delivery.body}\n\n{settings.origin}{delivery.path}\n\n"
        f"--\nYou asked for these emails. To stop this kind:\n{stop}\n"
        f"All notification settings: {settings.origin}/notices/choices\n"
    )
    # RFC 8058: the button of the mail program ends mails without a sign-in.
    headers = {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    message = mail.composed(delivery.email, delivery.title, body, headers)
    begun = taken = False
    try:
        with mail.connected() as server:
            begun = True
            server.send_message(message)
            taken = True
    except (smtplib.SMTPException, OSError) as error:
        if not taken:  # otherwise only the end of the connection failed
            return _not_mailed(error, begun=begun)
    return Outcome("sent")


def _not_mailed(error: Exception, *, begun: bool) -> Outcome:
    """The outcome of an error. `begun`: whether the server was ready to take the mail."""
    codes = []
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
    elif isinstance(error, smtplib.SMTPResponseException):
        codes = [error.smtp_code]
    if codes:
        return Outcome(
            "refused" if begun and max(codes) >= SERVER_ERRORS else "failed",
            f"Responded with {codes[0]}.",
        )
    return Outcome("unknown" if begun else "failed", outbound.failure_in_words(error))


def _note(delivery: _Claimed, outcome: Outcome, now: datetime) -> None:
    """Store the outcome, unless the delivery was considered cut off meanwhile."""
    values: dict[str, Any] = {"reason": outcome.reason}
    if outcome.state in ("failed", "unknown"):
        values["failed_at"] = now
    again = now + max(
        PAUSES[min(delivery.tries, len(PAUSES)) - 1], timedelta(seconds=outcome.retry_after or 0)
    )
    if (
        outcome.state == "failed"
        and delivery.tries < TRIES
        and again < delivery.made_at + LIVES[delivery.kind]
    ):
        values |= {"state": "waiting", "next_at": again}
    else:
        ended = {"gone": "failed", "refused": "failed"}.get(outcome.state, outcome.state)
        values |= {"state": ended, "ended_at": now}
        if ended in ("failed", "unknown"):
            log.info(
                "notice_not_sent",
                delivery_id=delivery.id,
                state=outcome.state,
                reason=outcome.reason,
            )
    db.session.execute(
        update(NoticeDelivery)
        .where(
            NoticeDelivery.id == delivery.id,
            NoticeDelivery.state == "sending",
            NoticeDelivery.tries == delivery.tries,
        )
        .values(values)
    )


_TRIM = text("""
    DELETE FROM notice_deliveries WHERE id IN (
      SELECT id FROM notice_deliveries WHERE ended_at < :before ORDER BY ended_at, id LIMIT :most)
""")


def trim(now: datetime) -> None:
    """Delete deliveries that ended long ago. Commits."""
    db.session.execute(_TRIM, {"before": now - KEPT, "most": MOST_ENDED})
    db.session.commit()


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
