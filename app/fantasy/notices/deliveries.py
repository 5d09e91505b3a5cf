"""Sends notices to devices and by mail.

What services.notify has stored with them, each at most once.

Promise: a notice reaches a device, or an address, once or never, wherever a process is killed. A
delivery is marked `sending` and committed before the first byte leaves, and its outcome is
committed after. Cut off between the two it ends `unknown` and is not sent again: the notice stands
in Pressbox in any case, and nobody wants their phone to ring twice. Only what the service has
surely not taken (429, 5xx, no connection) is tried again, at growing intervals, TRIES times at most
and not after LIVES. Not here: encryption and HTTP (app/accounts/push.py), SMTP
(app/accounts/mail.py).
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
from app.fantasy.notices import choices
from app.fantasy.notices.models import NoticeDelivery
from app.settings import Settings

log = structlog.get_logger(__name__)

MAIL = "mail"
BATCH = 16  # pushes at once to one service; mails go one by one
LEASE = timedelta(minutes=3)  # longer than a batch can take
TRIES = 5
PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=20), timedelta(hours=1))
# of a service that did not take something, for all that is to be sent to it
REST = timedelta(seconds=30)
# Sent later than this a notice is no news any more, and it stands in Pressbox.
LIVES = {
    "deadline": timedelta(hours=1),
    "result": timedelta(hours=24),
    "correction": timedelta(hours=24),
}
KEPT = timedelta(days=7)  # of what has ended
MOST_ENDED = 5_000  # taken away at once
TITLE, BODY = 120, 240  # characters that a lock screen shows


@dataclass(frozen=True)
class _Claimed:
    """A delivery in hand, with all that is needed to send it.

    `endpoint` None: by mail, to `email`.
    """

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
    """Services with something to send that do not rest, in order of their names.

    Ends what was cut off, first.
    """
    cut_off = (
        update(NoticeDelivery)
        .where(NoticeDelivery.state == "sending", NoticeDelivery.next_at <= now)
        .values(state="unknown", ended_at=now, reason="Cut off while it was sent.")
    )
    db.session.execute(cut_off)
    db.session.commit()
    resting = select(NoticeDelivery.service).where(NoticeDelivery.failed_at > now - REST)
    due = select(NoticeDelivery.service).where(
        NoticeDelivery.state == "waiting",
        NoticeDelivery.next_at <= now,
        NoticeDelivery.service.not_in(resting),
    )
    found = db.session.scalars(due.distinct().order_by(NoticeDelivery.service)).all()
    db.session.rollback()
    return found


def send_due(service: str, now: datetime) -> bool:
    """Sends the next of the service's deliveries, those that have been due the longest first.

    Commits.

    False: there was none, or the service did not take one: it rests.
    """
    claimed = _claim(service, now)
    if not claimed:
        return False
    sendable = [one for one in claimed if one.is_wanted and one.made_at + LIVES[one.kind] > now]
    outcomes = _send_all(service, sendable, now)
    for one in claimed:
        _note(
            one, outcomes.get(one.id, Outcome("dropped", "Not wanted any more, or too late.")), now
        )
    push_devices.forget(
        [one.device_id for one in claimed if one.device_id and _state(outcomes, one) == "gone"]
    )
    push_devices.note_pushed(
        [one.device_id for one in claimed if one.device_id and _state(outcomes, one) == "sent"], now
    )
    db.session.commit()
    return not any(outcome.state in ("failed", "unknown") for outcome in outcomes.values())


def _state(outcomes: dict[int, Outcome], one: _Claimed) -> str | None:
    return outcomes[one.id].state if one.id in outcomes else None


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
    """By the delivery's id. No transaction is open meanwhile."""
    if service == MAIL:
        return {one.id: _mail(one) for one in claimed}
    if not push.is_on():
        return {
            one.id: Outcome("refused", "Push is not set up here (VAPID_KEY).") for one in claimed
        }
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    with ThreadPoolExecutor(BATCH, thread_name_prefix="push") as pool:
        return dict(zip([one.id for one in claimed], pool.map(_in(app, now), claimed), strict=True))


def _in(app: Flask, now: datetime) -> Callable[[_Claimed], Outcome]:
    def send(one: _Claimed) -> Outcome:
        with app.app_context():
            return _push(one, now)

    return send


def _push(one: _Claimed, now: datetime) -> Outcome:
    assert one.endpoint is not None
    assert one.p256dh is not None
    assert one.auth is not None
    left = int((one.made_at + LIVES[one.kind] - now).total_seconds())
    content = {
        "title": _short(one.title, TITLE),
        "body": _short(one.body, BODY),
        "path": one.path,
        "tag": f"notice-{one.notice_id}",
    }
    message = Message(content, max(left, 0), f"notice-{one.notice_id}", one.kind == "deadline")
    return push.send(one.endpoint, one.p256dh, one.auth, message)


def _mail(one: _Claimed) -> Outcome:
    if not mail.is_on() or one.email is None:
        return Outcome("refused", "No mail is sent here (SMTP_URL), or there is no address.")
    settings: Settings = current_app.config["PRESSBOX"]
    stop = f"{settings.origin}/notices/stop/{choices.stop_token(one.member_id, one.kind)}"
    body = (
        f"Hello {one.name},\n\n{one.body}\n\n{settings.origin}{one.path}\n\n"
        f"--\nYou switched these mails on. To end those of this kind:\n{stop}\n"
        f"All your switches: {settings.origin}/notices/choices\n"
    )
    # RFC 8058: the mail program's own button ends them, without a sign-in.
    headers = {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    message = mail.composed(one.email, one.title, body, headers)
    begun = taken = False
    try:
        with mail.connected() as server:
            begun = True
            server.send_message(message)
            taken = True
    except (smtplib.SMTPException, OSError) as error:
        if not taken:  # else only the farewell failed
            return _not_mailed(error, begun=begun)
    return Outcome("sent")


def _not_mailed(error: Exception, *, begun: bool) -> Outcome:
    """`begun`: the server was ready to take it. A refusal that it calls permanent (5xx) is one."""
    codes = []
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
    elif isinstance(error, smtplib.SMTPResponseException):
        codes = [error.smtp_code]
    if codes:
        return Outcome(
            "refused" if begun and max(codes) >= 500 else "failed", f"Answered {codes[0]}."
        )
    return Outcome("unknown" if begun else "failed", f"No answer ({type(error).__name__}).")


def _note(one: _Claimed, outcome: Outcome, now: datetime) -> None:
    """Writes down how it went, unless it was given up for cut off meanwhile."""
    values: dict[str, Any] = {"reason": outcome.reason}
    if outcome.state in ("failed", "unknown"):
        values["failed_at"] = now
    again = now + max(
        PAUSES[min(one.tries, len(PAUSES)) - 1], timedelta(seconds=outcome.retry_after or 0)
    )
    if outcome.state == "failed" and one.tries < TRIES and again < one.made_at + LIVES[one.kind]:
        values |= {"state": "waiting", "next_at": again}
    else:
        ended = {"gone": "failed", "refused": "failed"}.get(outcome.state, outcome.state)
        values |= {"state": ended, "ended_at": now}
        if ended in ("failed", "unknown"):
            log.info(
                "notice_not_sent", delivery_id=one.id, state=outcome.state, reason=outcome.reason
            )
    mine = (
        NoticeDelivery.id == one.id,
        NoticeDelivery.state == "sending",
        NoticeDelivery.tries == one.tries,
    )
    db.session.execute(update(NoticeDelivery).where(*mine).values(values))


_TRIM = text("""
    DELETE FROM notice_deliveries WHERE id IN (
      SELECT id FROM notice_deliveries WHERE ended_at < :before ORDER BY ended_at, id LIMIT :most)
""")


def trim(now: datetime) -> None:
    """Takes away what has ended long ago. Commits."""
    db.session.execute(_TRIM, {"before": now - KEPT, "most": MOST_ENDED})
    db.session.commit()


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
