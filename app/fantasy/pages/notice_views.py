"""The page of notices, the bell on every page, and the feed."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user

from app.core.access import MEMBER, PUBLIC, audience
from app.core.clock import now
from app.core.limits import limiter
from app.core.numbers import as_id
from app.core.paging import page_count, page_number
from app.core.unchanged import rests_on
from app.core.web import respond
from app.fantasy.notices import feed as notice_feed
from app.fantasy.notices import services as notices

blueprint = Blueprint("notices", __name__, url_prefix="/notices")

FEED_ENTRIES = 50
KINDS = {
    "deadline": "Deadline",
    "result": "Result",
    "correction": "Correction",
    "rules": "Rules",
    "adjustment": "Adjustment",
    "league": "League",
    "prediction": "Prediction",
    "operations": "Operations",
    "moderation": "Moderation",
}


@blueprint.app_template_global()
def unread_notices() -> int:
    """How many notices the viewer has not seen."""
    return notices.unread(current_user.id) if current_user.is_authenticated else 0


@blueprint.get("")
@audience(MEMBER)
def index() -> ResponseReturnValue:
    """Newest first, by pages; a page beyond the last is the last."""
    overview = notices.overview(current_user.id)
    pages = page_count(overview.count, notices.PAGE_ROWS)
    number = min(page_number(), pages)
    rows = notices.newest(current_user.id, notices.PAGE_ROWS, (number - 1) * notices.PAGE_ROWS)
    feed = url_for("notices.feed", token=notice_feed.token_of(current_user), _external=True)
    return respond(
        "notices/index.html", rows=rows, overview=overview, number=number, pages=pages, kinds=KINDS, feed=feed
    )


@blueprint.get("/bell")
@audience(MEMBER)
def bell() -> ResponseReturnValue:
    """The bell alone, for its own poll."""
    if not request.headers.get("HX-Request"):
        return redirect(url_for("notices.index"))
    unread = notices.unread(current_user.id)
    rests_on(f"notices:{current_user.id}")
    return respond("notices/bell.html", "bell", version=unread, unread=unread)


@blueprint.post("/read")
@audience(MEMBER)
def read() -> ResponseReturnValue:
    """Marks everything up to the newest that the page showed."""
    notices.mark_read(current_user.id, request.form.get("up_to", 0, type=as_id), now())
    return redirect(url_for("notices.index"), 303)


@blueprint.post("/<int:notice_id>/open")
@audience(MEMBER)
def open_notice(notice_id: int) -> ResponseReturnValue:
    """Marks it as read and shows what it is about."""
    notice = notices.find(current_user.id, notice_id) or abort(404)
    notices.mark_read(current_user.id, notice.id, now(), alone=True)
    return redirect(notice.path, 303)


@blueprint.post("/feed")
@audience(MEMBER)
@limiter.limit("10 per minute")
def new_feed() -> ResponseReturnValue:
    """Ends the feed's address and makes another."""
    notice_feed.replace(current_user.id)
    return redirect(url_for("notices.index", _anchor="feed"), 303)


@blueprint.get("/<token>.atom")
@audience(PUBLIC)
@limiter.limit("60 per minute")
def feed(token: str) -> Response:
    """The newest notices as Atom (RFC 4287), for anybody who knows the address."""
    member = notice_feed.member_by(token) or abort(404)
    rows = notices.newest(member.id, FEED_ENTRIES)
    text = render_template(
        "notices/feed.xml", member=member, rows=rows, kinds=KINDS, base=request.url_root.rstrip("/"), token=token
    )
    response = make_response(text)
    response.mimetype = "application/atom+xml"
    response.add_etag()
    response.cache_control.private = response.cache_control.no_cache = True
    response.make_conditional(request)
    return response
