"""The page on which moderators read a post that was reported, and remove it."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, redirect, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.blob_store import BlobNotFoundError, BlobStoreError
from app.core.db import db
from app.core.http.access import audience
from app.core.http.responses import respond
from app.core.pictures import TYPE
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.fantasy.standings.models import League
from app.moderation import posts
from app.moderation.forms import AuditReasonForm
from app.scores.review.moderators import STAFF
from app.talk import queries as post_queries
from app.talk import rules as post_rules
from app.talk.models import Post
from app.talk.pictures import POST_PICTURES

blueprint = Blueprint("moderate_posts", __name__, url_prefix="/moderation/posts/<int:post_id>")


@blueprint.get("")
@audience(*STAFF)
def show(post_id: int) -> ResponseReturnValue:
    """A reported post, also if it was removed."""
    return _page(_reported(post_id))


@blueprint.post("/remove")
@audience(*STAFF)
def remove(post_id: int) -> ResponseReturnValue:
    """Remove the post. The league reads the reason in its place."""
    post = _reported(post_id)
    refusal = posts.remove(
        post, by=current_user.id, reason=AuditReasonForm().reason.data, now=clock.now()
    )
    if refusal is not None:
        return _page(post, refusal)
    return redirect(url_for("moderate_posts.show", post_id=post.id, done="post"), 303)


@blueprint.get("/picture")
@audience(*STAFF)
def picture(post_id: int) -> ResponseReturnValue:
    """The picture of a reported post."""
    post = _reported(post_id)
    if post.picture is None:
        abort(404)
    try:
        data = POST_PICTURES.load(post.picture)
    except BlobNotFoundError:
        abort(404)
    except BlobStoreError:
        abort(503)
    response: Response = make_response(data)
    response.content_type = TYPE
    return response


def _reported(post_id: int) -> Post:
    """Load a post that was reported; moderators do not read other posts of private leagues."""
    return posts.find_reported(post_id) or abort(404)


def _page(post: Post, fault: Refusal | None = None) -> ResponseReturnValue:
    author = db.session.get_one(Member, post.member_id)
    names = post_queries.names_of(post_rules.mentioned(post.text or ""))
    return respond(
        "moderation/post.html",
        status=422 if fault else 200,
        fault=fault,
        post=post,
        author=author,
        league=db.session.scalar(select(League.name).where(League.id == post.league_id)),
        text=post_rules.as_typed(post.text or "", names),
    )
