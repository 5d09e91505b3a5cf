"""The calendar at its secret address, and the buttons that make, renew and withdraw the address."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.rate_limits import limiter
from app.core.viewer import current_user
from app.fantasy.notices import calendar_feed
from app.fantasy.pages.calendar.entries import entries_of
from app.fantasy.pages.calendar.ical import TYPE, calendar
from app.settings import Settings

blueprint = Blueprint("calendar", __name__, url_prefix="/notices")


@blueprint.post("/calendar")
@audience(MEMBER)
@limiter.limit("10 per minute")
def renew() -> ResponseReturnValue:
    """Make the address, or a new one in its place."""
    calendar_feed.renew(current_user.id)
    return redirect(url_for("notices.index", _anchor="calendar"), 303)


@blueprint.post("/calendar/withdraw")
@audience(MEMBER)
def withdraw() -> ResponseReturnValue:
    """End the address without a new one."""
    calendar_feed.withdraw(current_user.id, clock.now())
    return redirect(url_for("notices.index", _anchor="calendar"), 303)


@blueprint.get("/<token>.ics")
@audience(PUBLIC)
@limiter.limit("60 per minute")
def show(token: str) -> Response:
    """The calendar, for everybody who knows the address."""
    member = calendar_feed.member_by(token) or abort(404)
    entries = entries_of(member.id, clock.now())
    contents = {entry.uid: repr(entry) for entry in entries}
    revisions = calendar_feed.revise(member.id, contents, clock.now())
    settings: Settings = current_app.config["PRESSBOX"]
    host = urlsplit(settings.origin).hostname or "pressbox"
    response = make_response(calendar(entries, revisions, settings.origin, host))
    response.content_type = TYPE
    response.add_etag()
    response.cache_control.private = response.cache_control.no_cache = True
    response.make_conditional(request)
    return response


@blueprint.app_template_global("calendar_address")
def _address() -> str | None:
    """The address of the viewer's calendar; None if they have none."""
    token = calendar_feed.token_of(current_user.id)
    return None if token is None else url_for("calendar.show", token=token, _external=True)
