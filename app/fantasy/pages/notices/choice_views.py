"""Pages on which a member chooses notices to be pushed or mailed, and the devices for pushes.

The link at the end of a mail leads here too.
"""

from __future__ import annotations

import msgspec
from flask import Blueprint, abort, jsonify, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts import mail, push, push_devices, sessions
from app.accounts.push_devices import Subscription
from app.core import clock
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.problems import problem_response
from app.core.http.rate_limits import limiter
from app.core.http.request_validation import takes_json
from app.core.http.responses import respond
from app.core.json_decoding import InvalidJsonError, parse
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.fantasy.notices import choices
from app.fantasy.notices.models import OUTSIDE

blueprint = Blueprint("notice_choices", __name__, url_prefix="/notices")

KINDS = {
    "deadline": (
        "Deadline",
        "A day and an hour before the deadline, if you have no team, or a starter is hurt, gone "
        "or has no game.",
    ),
    "result": ("Result", "Your points and rank in each league once a week is final."),
    "correction": (
        "Correction",
        "When a stat correction changes your points, and why.",
    ),
    "mention": ("Mention", "When someone mentions you or replies to you in league talk."),
    "draft": (
        "Draft",
        "When a draft is scheduled, starts and ends, when you are on the clock, and when you are "
        "put on autopilot.",
    ),
}
DONE = {
    "saved": "Saved.",
    "added": "This device now gets push notifications.",
    "removed": "That device no longer gets notifications.",
}


class _Keys(msgspec.Struct):
    p256dh: str
    auth: str


class _PushSubscription(msgspec.Struct):
    """The fields of a browser's PushSubscription that are needed."""

    endpoint: str
    keys: _Keys


_subscription = msgspec.json.Decoder(_PushSubscription)


@blueprint.get("/choices")
@audience(MEMBER)
def show() -> ResponseReturnValue:
    """Show the choices and the devices."""
    devices = push_devices.of(current_user.id)
    return respond(
        "notices/choices.html",
        kinds=KINDS,
        chosen=choices.of(current_user.id),
        devices=devices,
        here=next(
            (device.id for device in devices if device.device == sessions.current().device), None
        ),
        push_key=push.public_key() if push.is_on() else None,
        has_mail=mail.is_on(),
        done=DONE.get(request.args.get("done", "")),
    )


@blueprint.post("/choices")
@audience(MEMBER)
def save() -> ResponseReturnValue:
    """Save the choices; those that the page did not offer stay as they were."""
    chosen = {
        channel: [kind for kind in OUTSIDE if f"{channel}-{kind}" in request.form]
        for channel in ("push", "mail")
    }
    can_mail = mail.is_on() and current_user.email is not None
    choices.choose(
        current_user.id,
        push=chosen["push"] if push.is_on() else None,
        mail=chosen["mail"] if can_mail else None,
    )
    return redirect(url_for("notice_choices.show", done="saved"), 303)


@blueprint.post("/devices")
@audience(MEMBER)
@takes_json
@limiter.limit("20 per minute")
def add_device() -> ResponseReturnValue:
    """Send the member's pushes to this browser from now on."""
    if not push.is_on():
        return problem_response(404, "Push notifications are not set up here.")
    try:
        decoded = parse(_subscription, request.get_data())
    except InvalidJsonError:
        return problem_response(
            422, "Your browser sent an invalid address. Reload the page and try again."
        )
    subscription = Subscription(decoded.endpoint, decoded.keys.p256dh, decoded.keys.auth)
    added = push_devices.add(
        current_user.id,
        subscription,
        request.headers.get("User-Agent", ""),
        sessions.current().device,
        clock.now(),
    )
    if isinstance(added, Refusal):
        return problem_response(422, added.text)
    return jsonify(next=url_for("notice_choices.show", done="added"))


@blueprint.post("/devices/<int:device_id>/remove")
@audience(MEMBER)
def remove_device(device_id: int) -> ResponseReturnValue:
    """Stop sending pushes to the device."""
    if not push_devices.remove(current_user.id, device_id):
        abort(404)
    return redirect(url_for("notice_choices.show", done="removed"), 303)


@blueprint.get("/stop/<token>")
@audience(PUBLIC)
@limiter.limit("60 per minute")
def stopping(token: str) -> ResponseReturnValue:
    """Ask before mails stop, because programs that scan mails open every link."""
    _, kind = choices.member_by(token) or abort(404)
    return respond("notices/stop.html", token=token, kind=KINDS[kind][0].lower(), is_done=False)


@blueprint.post("/stop/<token>")
@audience(PUBLIC)
@limiter.limit("60 per minute")
def stop_mail(token: str) -> ResponseReturnValue:
    """Stop mails of the token's kind, for the page's button or a mail program's own (RFC 8058)."""
    member, kind = choices.member_by(token) or abort(404)
    choices.stop_mail(member.id, kind)
    return respond("notices/stop.html", token=token, kind=KINDS[kind][0].lower(), is_done=True)
