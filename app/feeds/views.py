"""The operators' pages of feeds: what each did, what is wrong, and how to pause or run it."""

from __future__ import annotations

import redis
import structlog
from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import HiddenField, SelectField, StringField
from wtforms.fields.choices import SelectChoice

from app.accounts.reauthentication import reauthenticated
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock, jobs
from app.core.db import db
from app.core.http.access import audience
from app.core.http.responses import respond
from app.core.numbers import typed_whole
from app.core.viewer import current_user
from app.feeds import queries, services
from app.feeds.entered import change_words
from app.feeds.jobs import RUN_FEED, RUN_SECONDS
from app.feeds.kinds import KINDS
from app.feeds.models import Feed
from app.feeds.presets import PRESETS, season_of

blueprint = Blueprint("feeds", __name__, url_prefix="/ops/feeds")
log = structlog.get_logger(__name__)

FIRST_SEASON, LAST_SEASON = 1999, 2200  # nflverse has no play-by-play before 1999
RUN, PAUSE, RESUME, REMOVE = "run", "pause", "resume", "remove"


class FollowForm(FlaskForm):
    """Which publisher is followed in which season."""

    preset = SelectField(
        "Publisher",
        choices=[SelectChoice(name, preset.title) for name, preset in PRESETS.items()],
        validate_choice=False,
    )
    season = StringField(
        "Season",
        description="The year in which it begins.",
        render_kw={"inputmode": "numeric", "autocomplete": "off"},
    )

    def read(self) -> services.Following | None:
        """Return what is followed; None, with errors at the fields, if something is wrong."""
        season = typed_whole(self.season.data, most=LAST_SEASON)
        if self.preset.data not in PRESETS:
            self.preset.errors = ["Choose one of the publishers."]
        if season is None or season < FIRST_SEASON:
            self.season.errors = [f"Give a year from {FIRST_SEASON}, such as 2026."]
            return None
        return None if self.preset.errors else services.Following(self.preset.data, season)


class FeedActForm(FlaskForm):
    """What an operator does with a feed: the button's value."""

    what = HiddenField()


@blueprint.get("")
@audience("operator")
def index() -> ResponseReturnValue:
    """All feeds, and the form to follow a season."""
    return _index(_empty_form())


@blueprint.post("")
@audience("operator")
@reauthenticated
def follow() -> ResponseReturnValue:
    """Add the feeds of a publisher for a season."""
    form = FollowForm()
    following = form.read()
    if following is None:
        return _index(form, status=422)
    if not services.add_missing(following, clock.now()):
        form.season.errors = [
            f"{following.season} is already followed. Resume its feeds above, or use "
            "`pressbox feed add` to read another source."
        ]
        return _index(form, status=422)
    _audit(f"feed:{following.preset} {following.season}", "added")
    return redirect(url_for("feeds.index"), 303)


@blueprint.get("/<int:feed_id>")
@audience("operator")
def show(feed_id: int) -> ResponseReturnValue:
    """A feed with its findings and its last runs."""
    return _show(feed_id)


@blueprint.post("/<int:feed_id>")
@audience("operator")
@reauthenticated
def act(feed_id: int) -> ResponseReturnValue:
    """Run, pause, resume or remove the feed."""
    feed = services.find(feed_id)
    if feed is None:
        return _removed_meanwhile()
    what = FeedActForm().what.data
    if what not in (RUN, PAUSE, RESUME, REMOVE):
        return _show(feed_id, status=422, fault="Choose what to do with the feed.")
    subject = f"feed:{feed.kind} {feed.season}"
    if what == RUN and not _send(feed_id):
        return _show(
            feed_id,
            status=503,
            fault="The job queue is not responding, so no worker can pick this up. Try again, or "
            "use `pressbox feed run`.",
        )
    try:
        if what == PAUSE:
            services.pause(feed_id)
        elif what == RESUME:
            services.resume(feed_id, clock.now())
        elif what == REMOVE:
            services.remove(feed_id)
    except services.FeedRefusedError:
        return _removed_meanwhile()
    _audit(subject, {RUN: "run", PAUSE: "paused", RESUME: "resumed", REMOVE: "removed"}[what])
    if what == REMOVE:
        return redirect(url_for("feeds.index"), 303)
    asked = 1 if what == RUN else None
    return redirect(url_for("feeds.show", feed_id=feed_id, asked=asked), 303)


def _removed_meanwhile() -> ResponseReturnValue:
    """Answer an act on a feed that was removed while its page was open."""
    fault = "This feed was removed in the meantime. What it entered stays."
    return _index(_empty_form(), status=404, fault=fault)


def _empty_form() -> FollowForm:
    return FollowForm(formdata=None, season=season_of(clock.now().date()))


def _send(feed_id: int) -> bool:
    """Ask a worker to run the feed; whether the queue answered."""
    try:
        jobs.send_coalesced(RUN_FEED, str(feed_id), feed_id, timeout=RUN_SECONDS)
    except redis.RedisError as error:
        log.warning("feed_not_sent", feed_id=feed_id, reason=type(error).__name__)
        return False
    return True


def _audit(subject: str, what: str) -> None:
    audit.record(
        Act.FEED_CHANGED,
        actor_id=int(current_user.get_id()),
        subject=subject,
        details={"feed": what},
    )
    db.session.commit()


def _index(form: FollowForm, status: int = 200, fault: str = "") -> ResponseReturnValue:
    return respond(
        "ops/feeds.html",
        status=status,
        feeds=services.listed(),
        latest=queries.latest_runs(),
        form=form,
        title=_title,
        change_words=change_words,
        presets=PRESETS,
        is_overdue=services.is_overdue,
        fault=fault,
        now=clock.now(),
    )


def _show(feed_id: int, status: int = 200, fault: str = "") -> ResponseReturnValue:
    feed = services.find(feed_id) or abort(404)
    return respond(
        "ops/feed.html",
        status=status,
        feed=feed,
        runs=queries.runs(feed_id),
        source=services.source_words(feed),
        attribution=PRESETS[feed.preset].attribution if feed.preset in PRESETS else "",
        title=_title(feed),
        fault=fault,
        change_words=change_words,
        is_asked="asked" in request.args,
        is_overdue=services.is_overdue,
        now=clock.now(),
    )


def _title(feed: Feed) -> str:
    return f"{KINDS[feed.kind].title if feed.kind in KINDS else feed.kind} {feed.season}"
