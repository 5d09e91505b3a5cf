"""Pages of a single post: reading, answering, reacting, editing, deleting, removing, pinning."""

from __future__ import annotations

from flask import Blueprint, abort, make_response, redirect
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.blob_store import BlobNotFoundError, BlobStoreError
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.rate_limits import limiter, who_tries
from app.core.http.responses import respond
from app.core.pictures import TYPE
from app.core.viewer import current_user
from app.fantasy.market.models import Gameweek
from app.fantasy.pages.membership.forms import show_refusals
from app.talk import queries, rules, services
from app.talk.forms import EditForm, RemoveForm, ReplyForm
from app.talk.models import POST, Post
from app.talk.page import Thread, colours_of, text_html
from app.talk.pictures import POST_PICTURES
from app.talk.queries import PostRow, Room
from app.talk.views import board_of, matchup_of, room_of

blueprint = Blueprint("talk_posts", __name__, url_prefix="/leagues/<slug>/talk/<int:post_id>")


@blueprint.get("")
@audience(MEMBER)
def show(slug: str, post_id: int) -> ResponseReturnValue:
    """A post with everything that the viewer can do with it."""
    room = room_of(slug)
    return _page(room, _shown(room, post_id))


@blueprint.post("/reactions")
@audience(MEMBER)
@limiter.limit("60 per minute; 600 per hour", key_func=who_tries)
def react(slug: str, post_id: int) -> ResponseReturnValue:
    """Add one's reaction, or take it back."""
    room = room_of(slug)
    post = _post(room, post_id)
    services.react(room, post, request.form.get("kind", ""), clock.now())
    if request.htmx:
        reactions = queries.reactions_of(room, post_id)
        return respond(
            "talk/reactions.html",
            "reactions",
            league=room.league,
            post_id=post_id,
            reactions=reactions,
        )
    return _back(room, post)


@blueprint.get("/edit")
@audience(MEMBER)
def editing(slug: str, post_id: int) -> ResponseReturnValue:
    """The form for editing one's own post."""
    room = room_of(slug)
    post = _own(room, post_id)
    form = EditForm(formdata=None)
    names = queries.names_of(rules.mentioned(post.text or ""))
    form.text.data = rules.as_typed(post.text or "", names)
    return _edit_page(room, post, form)


@blueprint.post("/edit")
@audience(MEMBER)
@limiter.limit("20 per minute; 200 per hour", key_func=who_tries)
def edit(slug: str, post_id: int) -> ResponseReturnValue:
    """Save the edited text."""
    room = room_of(slug)
    post, form = _own(room, post_id), EditForm()
    if refusal := services.edit(room, post, form.text.data or "", clock.now()):
        return _edit_page(room, post, form, show_refusals(form, [refusal]), status=422)
    return _back(room, post)


@blueprint.post("/delete")
@audience(MEMBER)
def delete(slug: str, post_id: int) -> ResponseReturnValue:
    """Delete one's own post."""
    room = room_of(slug)
    post = _own(room, post_id)
    address = thread_of(room, post.thread).address
    services.delete(post)
    return redirect(address, 303)


@blueprint.post("/remove")
@audience(MEMBER)
def remove(slug: str, post_id: int) -> ResponseReturnValue:
    """Remove a post as the league's commissioner."""
    room = _run(slug)
    post, form = _post(room, post_id), RemoveForm()
    if post.kind != POST:
        abort(404)
    refusal = services.remove(
        post,
        by=current_user.id,
        role="commissioner",
        reason=form.reason.data or "",
        now=clock.now(),
    )
    if refusal is not None:
        show_refusals(form, [refusal])
        return _page(room, _shown(room, post_id), removing=form, status=422)
    return _back(room, post)


@blueprint.post("/pin")
@audience(MEMBER)
def pin(slug: str, post_id: int) -> ResponseReturnValue:
    """Pin a post above the others of its thread."""
    room = _run(slug)
    post = _post(room, post_id)
    services.pin(post, clock.now())
    return _back(room, post)


@blueprint.post("/unpin")
@audience(MEMBER)
def unpin(slug: str, post_id: int) -> ResponseReturnValue:
    """End the pin."""
    room = _run(slug)
    post = _post(room, post_id)
    services.unpin(post)
    return _back(room, post)


@blueprint.get("/picture")
@audience(MEMBER)
def picture(slug: str, post_id: int) -> ResponseReturnValue:
    """The picture of a post, for members of the league."""
    room = room_of(slug)
    row = _shown(room, post_id)
    post = _post(room, post_id)
    if not row.has_picture or post.picture is None:
        abort(404)
    try:
        data = POST_PICTURES.load(post.picture)
    except BlobNotFoundError:
        abort(404)
    except BlobStoreError:
        abort(503)
    response = make_response(data)
    response.content_type = TYPE
    return response


def thread_of(room: Room, key: str) -> Thread:
    """The thread of this key; that of a matchup which is not played any more has no page."""
    if key == rules.BOARD:
        return board_of(room)
    gameweek_id, member_id = key.split(":")[:2]
    gameweek = db.session.get_one(Gameweek, int(gameweek_id))
    return matchup_of(room, gameweek.week, int(member_id))


def _post(room: Room, post_id: int) -> Post:
    return queries.find(room, post_id) or abort(404)


def _shown(room: Room, post_id: int) -> PostRow:
    return queries.load_post(room, post_id) or abort(404)


def _own(room: Room, post_id: int) -> Post:
    post = _post(room, post_id)
    if post.member_id != room.viewer.member_id or post.kind != POST or post.removed_at is not None:
        abort(404)
    return post


def _run(slug: str) -> Room:
    """Load the league for its commissioner; others get a 404."""
    room = room_of(slug)
    return room if room.viewer.runs else abort(404)


def _back(room: Room, post: Post) -> ResponseReturnValue:
    return redirect(f"{thread_of(room, post.thread).address}#post-{post.id}", 303)


def _page(
    room: Room, post: PostRow, *, removing: RemoveForm | None = None, status: int = 200
) -> ResponseReturnValue:
    return respond(
        "talk/post.html",
        status=status,
        league=room.league,
        thread=thread_of(room, post.thread),
        post=post,
        viewer_id=room.viewer.member_id,
        runs_it=room.viewer.runs,
        can_edit=post.is_mine
        and post.removed_as is None
        and rules.is_editable(post.created_at, clock.now()),
        text_html=text_html,
        colours_of=colours_of,
        longest=rules.LONGEST_POST,
        form=ReplyForm(formdata=None),
        removing=removing or RemoveForm(formdata=None),
        tab="talk",
    )


def _edit_page(
    room: Room, post: Post, form: EditForm, faults: list[str] | None = None, status: int = 200
) -> ResponseReturnValue:
    return respond(
        "talk/edit.html",
        status=status,
        league=room.league,
        post_id=post.id,
        form=form,
        faults=faults or [],
        runs_it=room.viewer.runs,
        longest=rules.LONGEST_POST,
        tab="talk",
    )
