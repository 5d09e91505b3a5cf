"""The page of notices, the bell on every page, and the feed."""

from __future__ import annotations

from functools import lru_cache

from flask import Blueprint, Response, abort, make_response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from app.accounts import mail, push
from app.core.clock import now
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.htmx import request
from app.core.http.pagination import page_count, page_number
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.http.sent_numbers import form_number
from app.core.numbers import MAX_ID
from app.core.page_cache.pages import OWN_PAGE, UNREAD, PageContent, cached_page, cached_viewer
from app.core.page_cache.placeholders import BELL, is_rendering_for_everybody, placeholder
from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user
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
    "friend": "Friends",
    "mention": "Mention",
    "draft": "Draft",
}


@blueprint.app_template_global("bell")
def _bell() -> Markup:
    """The bell with the number of notices that call; a placeholder on a page for everybody."""
    return placeholder(BELL) if is_rendering_for_everybody() else Markup(filled_bell())  # noqa: S704 (of our template)


def filled_bell() -> str:
    """The bell of the member who is signed in."""
    return _drawn(_unread(), here=request.endpoint == "notices.index")


def _unread() -> int:
    member_id = current_user.id

    def count() -> CachedValue[int]:
        return CachedValue(notices.calling(member_id), (f"notices:{member_id}",))

    return cached_value(UNREAD.format(member=member_id), int, count)


@lru_cache(maxsize=256)
def _drawn(unread: int, *, here: bool) -> str:
    return render_template("notices/_bell.html", unread=unread, here=here)


@blueprint.get("")
@audience(MEMBER)
def index() -> ResponseReturnValue:
    """A page of notices, newest first; a page beyond the last is the last."""
    overview = notices.overview(current_user.id)
    pages = page_count(overview.count, notices.PAGE_ROWS)
    number = min(page_number(), pages)
    rows = notices.newest(current_user.id, notices.PAGE_ROWS, (number - 1) * notices.PAGE_ROWS)
    feed = url_for("notices.feed", token=notice_feed.token_of(current_user), _external=True)
    return respond(
        "notices/index.html",
        rows=rows,
        overview=overview,
        number=number,
        pages=pages,
        feed=feed,
        is_sent=push.is_on() or mail.is_on(),
    )


@blueprint.get("/bell")
@audience(MEMBER)
@cached_viewer()
def bell() -> ResponseReturnValue:
    """The bell alone, for its own poll."""
    if not request.htmx:
        return redirect(url_for("notices.index"))
    member_id = current_user.id

    def read() -> PageContent:
        unread = notices.calling(member_id)
        return PageContent({"unread": unread}, (f"notices:{member_id}",), str(unread))

    return cached_page("notices/bell.html", "bell", OWN_PAGE, read)


@blueprint.post("/read")
@audience(MEMBER)
def read() -> ResponseReturnValue:
    """Mark notices as read, up to the newest one on the page."""
    notices.mark_read(current_user.id, form_number("up_to", most=MAX_ID) or 0, now())
    return redirect(url_for("notices.index"), 303)


@blueprint.post("/<int:notice_id>/open")
@audience(MEMBER)
def open_notice(notice_id: int) -> ResponseReturnValue:
    """Mark a notice as read, and redirect to what it is about."""
    notice = notices.find(current_user.id, notice_id) or abort(404)
    notices.mark_read(current_user.id, notice.id, now(), alone=True)
    return redirect(notice.path, 303)


@blueprint.post("/feed")
@audience(MEMBER)
@limiter.limit("10 per minute")
def new_feed() -> ResponseReturnValue:
    """Replace the address of the feed."""
    notice_feed.replace(current_user.id)
    return redirect(url_for("notices.index", _anchor="feed"), 303)


@blueprint.get("/<token>.atom")
@audience(PUBLIC)
@limiter.limit("60 per minute")
def feed(token: str) -> Response:
    """The newest notices as an Atom feed (RFC 4287), for everybody who knows the address."""
    member = notice_feed.member_by(token) or abort(404)
    rows = notices.newest(member.id, FEED_ENTRIES)
    text = render_template(
        "notices/feed.xml",
        member=member,
        rows=rows,
        kinds=KINDS,
        base=request.url_root.rstrip("/"),
        token=token,
    )
    response = make_response(text)
    response.mimetype = "application/atom+xml"
    response.add_etag()
    response.cache_control.private = response.cache_control.no_cache = True
    response.make_conditional(request)
    return response
