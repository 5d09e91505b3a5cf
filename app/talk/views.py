"""Pages of talk: a league's board, the threads of its matchups, and writing in them.

What is done with a single post is in post_views.py.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.rate_limits import limiter, who_tries
from app.core.http.request_validation import takes_more
from app.core.http.responses import respond
from app.core.http.sent_numbers import form_number, query_number
from app.core.input_limits import REQUEST_BYTES
from app.core.numbers import MAX_ID, MAX_WHOLE
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import PageContent, cached_page
from app.core.page_cache.placeholders import is_rendering_for_everybody, placeholder
from app.core.page_cache.values import CachedValue, cached_value
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.fantasy.market.gameweeks import gameweek_of
from app.fantasy.pages.membership.forms import show_refusals
from app.fantasy.standings.games import head_to_head
from app.talk import queries, rules, services
from app.talk.forms import PostForm
from app.talk.page import Thread, colours_of, text_html, version_of
from app.talk.queries import Room
from app.talk.services import NewPost

blueprint = Blueprint("talk", __name__, url_prefix="/leagues/<slug>/talk")

UNREAD = "unread-talk"  # the placeholder on pages for everybody


def room_of(slug: str) -> Room:
    """Load the league for one of its members; others get a 404."""
    return queries.room(slug, current_user.id) or abort(404)


def board_of(room: Room) -> Thread:
    """The board of the league."""
    return Thread(rules.BOARD, "", url_for("talk.board", slug=room.league.slug))


def matchup_of(room: Room, week: int, member_id: int) -> Thread:
    """The thread of the member's head-to-head game in the gameweek; without one a 404."""
    gameweek = gameweek_of(room.league.season_id, week) if week <= MAX_WHOLE else None
    if gameweek is None or room.league.mode != "head_to_head":
        abort(404)
    game = next(iter(head_to_head(room.league.id, gameweek.id, member_id, rows=1)), None)
    sides = (game.away, game.home) if game else ()
    members = [side.member_id for side in sides if side.member_id is not None]
    if game is None or member_id not in members:
        abort(404)
    return Thread(
        rules.thread_of_matchup(gameweek.id, members),
        f"{game.away.team_name} vs {game.home.team_name}, {gameweek.name}",
        url_for("talk.matchup", slug=room.league.slug, week=week, member_id=min(members)),
    )


@blueprint.get("")
@audience(MEMBER)
def board(slug: str) -> ResponseReturnValue:
    """The league's board, the newest at the foot. Its first page polls itself.

    `read`: the last post that the viewer had read when the page opened.
    """
    room, read = room_of(slug), query_number("read", most=MAX_ID)
    if "before" not in request.args:
        last = services.mark_read(room)
        read = read if request.htmx else read or last
    return _thread_page(room, board_of(room), read)


@blueprint.get("/matchups/<int:week>/<int:member_id>")
@audience(MEMBER)
def matchup(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """The thread of a matchup."""
    room = room_of(slug)
    return _thread_page(room, matchup_of(room, week, member_id))


@blueprint.post("")
@audience(MEMBER)
@limiter.limit("10 per minute; 100 per hour", key_func=who_tries)
@takes_more(REQUEST_BYTES)
def write_on_board(slug: str) -> ResponseReturnValue:
    """Write a post on the board."""
    room = room_of(slug)
    return _write(room, board_of(room))


@blueprint.post("/matchups/<int:week>/<int:member_id>")
@audience(MEMBER)
@limiter.limit("10 per minute; 100 per hour", key_func=who_tries)
@takes_more(REQUEST_BYTES)
def write_on_matchup(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """Write a post in the thread of a matchup."""
    room = room_of(slug)
    return _write(room, matchup_of(room, week, member_id))


@blueprint.get("/members")
@audience(MEMBER)
def members(slug: str) -> ResponseReturnValue:
    """Members whose names begin with `q`, for a mention that is being typed."""
    room, search = room_of(slug), request.args.get("q", "").strip()[:40]
    matches = queries.find_members(room.league.id, search) if search else []
    return respond("talk/_members.html", members=matches)


def _thread_page(room: Room, thread: Thread, read: int | None = None) -> ResponseReturnValue:
    before = query_number("before", most=MAX_ID)
    viewer, league = room.viewer, room.league
    access_depends_on(f"league:{league.id}")

    def load() -> PageContent:
        page = queries.load_page(room, thread.key, before)
        context = {
            **_context(room, thread),
            "page": page,
            "before": before,
            "read": read,
            "form": PostForm(formdata=None, meta={"csrf": False}),
            "faults": [],
        }
        tags = (
            f"talk:{league.id}",
            f"league:{league.id}",
            f"blocks:{viewer.player_id}",
            f"player:{viewer.member_id}",
            "names",
        )
        return PageContent(context, tags, version_of(page, read))

    key = f"{league.id}:{thread.key}:{before}:{read}:{viewer.member_id}"
    return cached_page("talk/board.html", "posts", key, load)


def _write(room: Room, thread: Thread) -> ResponseReturnValue:
    form = PostForm()
    upload = request.files.get("picture")
    new = NewPost(
        thread.key,
        form.text.data or "",
        form_number("reply_to", most=MAX_ID),
        (upload.read() or None) if upload else None,
    )
    done = services.write(room, new, clock.now())
    if isinstance(done, Refusal):
        return respond(
            "talk/board.html",
            status=422,
            **_context(room, thread),
            page=queries.load_page(room, thread.key),
            before=None,
            read=None,
            form=form,
            faults=show_refusals(form, [done]),
            etag="",
        )
    return redirect(f"{thread.address}#post-{done.id}", 303)


def _context(room: Room, thread: Thread) -> dict[str, Any]:
    return {
        "league": room.league,
        "thread": thread,
        "viewer_id": room.viewer.member_id,
        "runs_it": room.viewer.runs,
        "text_html": text_html,
        "colours_of": colours_of,
        "longest": rules.LONGEST_POST,
        "tab": "talk",
    }


@blueprint.app_template_global("unread_talk")
def _unread_talk(slug: str) -> Markup:
    """The number of unread posts for the league's tab; a placeholder on a page for everybody."""
    if is_rendering_for_everybody():
        return placeholder(UNREAD)
    return Markup(_unread_posts(slug))  # noqa: S704 (a number and words of ours)


def filled_unread() -> str:
    """The number of posts of this page's league that the member has not read, as HTML."""
    return _unread_posts((request.view_args or {}).get("slug", ""))


def _unread_posts(slug: str) -> str:
    member_id = current_user.id

    def count() -> CachedValue[int]:
        unread = queries.unread(slug, member_id)
        if unread is None:
            return CachedValue(0, ())
        league_id, posts = unread
        tags = (f"talk:{league_id}", f"league:{league_id}", f"talk-read:{member_id}", "names")
        return CachedValue(posts, tags)

    unread = cached_value(f"unread-talk:{member_id}:{slug}", int, count)
    if not unread:
        return ""
    number = f"{queries.MOST_UNREAD}+" if unread > queries.MOST_UNREAD else str(unread)
    posts = "new post" if unread == 1 else "new posts"
    spoken = f'<span class="visually-hidden"> {posts}</span>'
    return f' <span class="chip chip-good">{number}{spoken}</span>'
