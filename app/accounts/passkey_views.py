"""The JSON endpoints of static/js/account/passkeys.js: registering passkeys and signing in."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts import passkeys, sessions
from app.accounts.reauthentication import reauthenticated
from app.accounts.views import note_signed_in
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.problems import problem_response
from app.core.http.rate_limits import limiter
from app.core.http.request_validation import takes_json
from app.core.http.responses import own_page
from app.core.redis.clients import RedisAway
from app.core.viewer import current_user

blueprint = Blueprint("passkeys", __name__)


@blueprint.post("/account/second-factor/passkeys/options")
@audience(MEMBER)
@takes_json
@reauthenticated
def registration_options() -> ResponseReturnValue:
    """Options for navigator.credentials.create."""
    try:
        return _json(passkeys.registration_options(current_user))
    except passkeys.PasskeyRefusedError as refused:
        return problem_response(422, str(refused))


@blueprint.post("/account/second-factor/passkeys")
@audience(MEMBER)
@takes_json
@reauthenticated
def register() -> ResponseReturnValue:
    """Register the passkey that the browser has created."""
    try:
        passkeys.register(
            current_user, request.get_data(as_text=True), request.args.get("name", ""), clock.now()
        )
    except passkeys.PasskeyRefusedError as refused:
        return problem_response(422, str(refused))
    sessions.note_verified(second_factor=True)
    return jsonify(next=url_for("account.factors"))


@blueprint.post("/sign-in/passkey/options")
@audience(PUBLIC)
@takes_json
@limiter.limit("30 per minute")
def sign_in_options() -> ResponseReturnValue:
    """Options for navigator.credentials.get."""
    try:
        return _json(passkeys.sign_in_options())
    except passkeys.PasskeyRefusedError as refused:
        return problem_response(422, str(refused))


@blueprint.post("/sign-in/passkey")
@audience(PUBLIC)
@takes_json
@limiter.limit("30 per minute")
def sign_in() -> ResponseReturnValue:
    """Sign in with a passkey."""
    try:
        member = passkeys.sign_in(request.get_data(as_text=True), clock.now())
    except passkeys.PasskeyRefusedError as refused:
        audit.record(Act.SIGN_IN_FAILED, actor_id=None, details={"with": "passkey"})
        db.session.commit()
        return problem_response(422, str(refused))
    sessions.begin(member, stays=False, second_factor=True)
    note_signed_in(member, "passkey")
    answer = make_response(
        jsonify(next=own_page(request.args.get("next", ""), url_for("home.show")))
    )
    sessions.remember_device(answer, member.username)
    return answer


def _redis_away(_error: Exception) -> Response:
    return problem_response(
        503, "Passkeys are not working right now. Use your password, or try again in a minute."
    )


for kind in RedisAway:
    blueprint.register_error_handler(kind, _redis_away)


def _json(text: str) -> Response:
    return Response(text, mimetype="application/json")
