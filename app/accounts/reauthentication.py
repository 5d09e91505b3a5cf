"""Asking for the password again before something that cannot be undone: `@reauthenticated`.

Members who signed in or gave the password a short while ago pass (rules.FRESH). The others are
asked for it on a page that sends the same form again, so that nothing they typed is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Response, current_app, url_for

from app.accounts import services, sessions, throttle
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock
from app.core.db import db
from app.core.http.access import open_page
from app.core.http.htmx import htmx_response, request
from app.core.http.problems import problem_response
from app.core.http.rate_limits import in_words
from app.core.http.responses import respond, wants_json
from app.core.viewer import current_user

FIELD = "confirm_password"  # of the page that asks; views never see its content
View = TypeVar("View", bound=Callable[..., Any])


def reauthenticated(view: View) -> View:
    """Mark a POST view that destroys or takes something away. Put it below `@audience`."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        question = ask()
        return view(*args, **kwargs) if question is None else question

    return cast(View, guarded)


def ask() -> Response | None:
    """Return the page that asks for the password.

    Returns:
        None if the member has proved who they are, now or a short while ago.
    """
    if FIELD in request.form:
        return _check(request.form[FIELD])
    return None if sessions.is_fresh() else _page()


def _check(password: str) -> Response | None:
    fault = check_password(password)
    return None if fault is None else _page(*fault)


def check_password(password: str) -> tuple[str, int] | None:
    """Check the signed-in member's password and note that they have proved who they are.

    Returns:
        None, or a sentence that says why not, and a status.
    """
    username = current_user.username
    attempt = throttle.Try(username, request.remote_addr or "", sessions.device_of(username))
    if wait := throttle.begin(attempt, clock.now()):
        return f"Too many wrong passwords. Try again in {in_words(wait)}.", 429
    if services.check_password(username, password) is None:
        audit.record(Act.SIGN_IN_FAILED, actor_id=None, subject=f"member:{current_user.id}")
        db.session.commit()
        return "Wrong password. Check your capital letters.", 422
    throttle.succeed(attempt)
    sessions.note_verified()
    return None


def _page(fault: str = "", status: int = 403) -> Response:
    """Ask: on this page, on the page that htmx is sent to, or by a problem for programs."""
    page = url_for("account.confirm", next=open_page(url_for("account.show")))
    if request.htmx:
        return htmx_response("", 204, redirect=page)
    if wants_json():
        return problem_response(
            403, "Confirm your password first: sign in again, or open /account/confirm."
        )
    if request.files:
        return current_app.redirect(page, 303)  # type: ignore[return-value]
    sent = [
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in (FIELD, "csrf_token")
    ]
    return respond(
        "accounts/confirm_again.html", sent=sent, field=FIELD, fault=fault, status=status
    )
