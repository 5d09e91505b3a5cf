"""Pages of drafts: the room, the board for a television, mock drafts, and live updates."""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from flask import Blueprint, Response, abort, current_app, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter, who_tries
from app.core.http.responses import WayOn, error_response, respond
from app.core.http.sent_numbers import query_number
from app.core.numbers import MAX_WHOLE, whole_number
from app.core.refusals import Refusal
from app.core.serving import can_hand_over, hand_over
from app.core.viewer import current_user
from app.draft_leagues.drafts import founding, page, queries, turn, updates
from app.draft_leagues.drafts.automatic import auction_prices
from app.draft_leagues.drafts.forms import MockForm
from app.draft_leagues.drafts.founding import MockWish
from app.draft_leagues.drafts.hub import HUB, DraftHub, StreamRequest
from app.draft_leagues.drafts.lottery import commitment_of
from app.draft_leagues.drafts.page import ListFilter
from app.draft_leagues.drafts.queries import Room, Snapshot
from app.draft_leagues.drafts.summary import summary_of
from app.fantasy.pages.membership.forms import show_refusals
from app.fantasy.standings.models import League

blueprint = Blueprint("drafts", __name__, url_prefix="/drafts")

MOCKS_LISTED = 5
NO_DRAFT = "You can't open this draft"
WHY_NO_DRAFT = (
    "It was deleted, or you aren't in its league. If you lost your team, a notification says why."
)


def room_of(draft_id: int) -> Room:
    """Load the draft for somebody who may see it; others get a 404.

    The open room of a member who lost their team reloads, and shows this one.
    """
    room = queries.load_room(draft_id, current_user.id) if draft_id <= MAX_WHOLE else None
    if room is None:
        way_on = WayOn(url_for("notices.index"), "Notifications")
        abort(error_response(404, title=NO_DRAFT, remedy=WHY_NO_DRAFT, way_on=way_on))
    return room


@blueprint.get("/mock")
@audience(MEMBER)
def mock() -> ResponseReturnValue:
    """Where a mock draft begins, and the member's earlier ones."""
    return _mock_page(MockForm(formdata=None), [])


@blueprint.post("/mock")
@audience(MEMBER)
@limiter.limit("6 per minute; 60 per hour", key_func=who_tries)
def start_mock() -> ResponseReturnValue:
    """Start a mock draft and enter it."""
    form = MockForm()
    if not form.validate():
        return _mock_page(form, [], status=422)
    name = f"{current_user.display_name}"
    wish = MockWish(form.preset.data, form.seat.data, name)
    started = founding.start_mock(current_user.id, wish, clock.now())
    if isinstance(started, Refusal):
        return _mock_page(form, show_refusals(form, [started]), status=422)
    return redirect(url_for("drafts.room", draft_id=started), 303)


@blueprint.get("/<int:draft_id>")
@audience(MEMBER)
def room(draft_id: int) -> ResponseReturnValue:
    """The draft room."""
    return room_page(room_of(draft_id))


@blueprint.get("/<int:draft_id>/board")
@audience(MEMBER)
def board(draft_id: int) -> ResponseReturnValue:
    """The board alone, to be read from a television."""
    entered = room_of(draft_id)
    snapshot = queries.load_snapshot(draft_id)
    return respond("drafts/board.html", **_shared(entered, snapshot))


@blueprint.get("/<int:draft_id>/footballers")
@audience(MEMBER)
def footballers(draft_id: int) -> ResponseReturnValue:
    """The footballers who are left, searched and filtered."""
    return room_page(room_of(draft_id), fragment="footballers")


@blueprint.get("/<int:draft_id>/mine")
@audience(MEMBER)
def mine(draft_id: int) -> ResponseReturnValue:
    """The member's own team and queue."""
    return room_page(room_of(draft_id), fragment="mine")


@blueprint.get("/<int:draft_id>/updates")
@audience(MEMBER)
def changes(draft_id: int) -> ResponseReturnValue:
    """What changed since a version; for pages without a stream."""
    entered = room_of(draft_id)
    version = query_number("version") or 0
    update = updates.update_since(entered.draft_id, version, clock.now())
    if update.version == version:
        return Response(status=204)
    return Response(updates.encode(update), mimetype="application/json")


@blueprint.get("/<int:draft_id>/stream")
@audience(MEMBER)
def stream(draft_id: int) -> ResponseReturnValue:
    """Server-sent events: an update for each version."""
    entered = room_of(draft_id)
    last = request.headers.get("Last-Event-ID")
    version = whole_number(last) if last else (query_number("version") or 0)
    if version is None:
        abort(400)
    hub: DraftHub = current_app.extensions[HUB]
    db.session.rollback()  # the stream outlives the request
    if not can_hand_over() or not hub.has_room(entered.draft_id, current_user.id):
        return Response(status=204)  # the page polls instead
    response = Response(b"retry: 1000\n\n", mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"  # proxies pass it on as it comes
    opened = StreamRequest(entered.draft_id, session["session_id"], version, current_user.id)
    return hand_over(response, HUB, opened.dump())


def room_page(
    entered: Room, *, fragment: str = "", fault: str = "", status: int = 200
) -> ResponseReturnValue:
    """The room, or one of its fragments: `mine` or `footballers`."""
    snapshot = queries.load_snapshot(entered.draft_id)
    chosen = ListFilter(
        request.args.get("q", "")[:40],
        request.args.get("position", "")[:4].upper(),
        "points" if request.args.get("sort") == "points" else "rank",
    )
    return respond(
        "drafts/room.html",
        fragment or None,
        status=status,
        **_shared(entered, snapshot),
        **_own(entered, snapshot),
        is_fragment=bool(fragment),
        fault=fault,
        chosen=chosen,
        filters=page.filters_of(snapshot),
        footballers=page.footballers_left(snapshot, chosen),
        prices=auction_prices(snapshot.pool, snapshot.draft)
        if snapshot.draft.plan.is_auction
        else {},
    )


def _shared(entered: Room, snapshot: Snapshot) -> dict[str, Any]:
    """What everybody sees."""
    now = clock.now()
    row = snapshot.row
    return {
        "room": entered,
        "draft": snapshot.draft,
        "plan": snapshot.draft.plan,
        "turn": turn.turn_of(snapshot, now),
        "board": page.board_of(snapshot),
        "can_assign": entered.runs and _is_shared(snapshot),
        "league": db.session.get(League, row.league_id) if row.league_id is not None else None,
        "starts_at": row.starts_at,
        "commitment": commitment_of(row.lottery_seed) if row.lottery_seed else "",
        "seed": row.lottery_seed if row.drawn_at else "",
        "now_ms": clock.to_ms(now),
    }


def _is_shared(snapshot: Snapshot) -> bool:
    """Whether the commissioner may have to pick for somebody else: not in a mock draft."""
    members = [seat for seat in snapshot.seats if seat.member_id is not None]
    return len(members) > 1 or not snapshot.draft.plan.has_clock


def _own(entered: Room, snapshot: Snapshot) -> dict[str, Any]:
    """What is the member's alone."""
    draft, franchise = snapshot.draft, entered.franchise
    if franchise is None:
        return {"team": None, "queue": [], "note": "", "is_my_turn": False, "token": ""}
    is_over = draft.status == "completed"
    queue = queries.queue_of(entered.draft_id, franchise)
    return {
        "team": page.team_of(snapshot, franchise),
        "queue": page.queued(snapshot, queue),
        "note": turn.notes_of(draft).get(franchise, ""),
        "is_my_turn": turn.is_turn_of(draft, franchise),
        "summary": summary_of(draft, snapshot.pool, franchise) if is_over else None,
        "token": token_hex(8),
    }


def _mock_page(form: MockForm, faults: list[str], status: int = 200) -> ResponseReturnValue:
    return respond(
        "drafts/mock.html",
        status=status,
        form=form,
        faults=faults,
        mocks=queries.mocks_of(current_user.id, MOCKS_LISTED),
        has_season=founding.mock_season() is not None,
    )
