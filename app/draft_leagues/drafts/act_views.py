"""What people send from a draft room: picks, bids, queues, and what the commissioner does.

A page's script gets an empty answer or a sentence; without it the room is shown again. The hub is
woken after each act, so that watchers see it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from flask import Blueprint, Response, current_app, redirect, url_for
from flask.typing import ResponseReturnValue

from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.rate_limits import limiter, who_tries
from app.core.http.sent_numbers import form_number
from app.core.numbers import typed_whole
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.draft_leagues.drafts import queries, services
from app.draft_leagues.drafts.forms import (
    ActForm,
    AutopilotForm,
    BidForm,
    CommissionerForm,
    PickForm,
    QueueForm,
)
from app.draft_leagues.drafts.hub import HUB
from app.draft_leagues.drafts.order import pick_number
from app.draft_leagues.drafts.queries import Room
from app.draft_leagues.drafts.services import Outcome, Submission
from app.draft_leagues.drafts.views import room_of, room_page

blueprint = Blueprint("draft_acts", __name__, url_prefix="/drafts/<int:draft_id>")

NO_ACT = Refusal(
    "act", "act", "That action isn't available here. Use the buttons of the draft room."
)
BAD_NUMBER = Refusal(
    "number", "number", "Enter the pick as on the board, such as 1.02, or leave it blank."
)
MOST_PICKS = 100_000
BAD_BID = Refusal("maximum", "maximum", "Enter your bid as a whole number, such as 12.")


@blueprint.post("/picks")
@audience(MEMBER)
@limiter.limit("120 per minute", key_func=who_tries)
def pick(draft_id: int) -> ResponseReturnValue:
    """Pick a footballer, or put them up for auction."""
    room = room_of(draft_id)
    form = PickForm()
    footballer_id = form.footballer.data
    if form.nominates.data:
        maximum = typed_whole(form.maximum.data)
        if not maximum:
            return _answer(room, BAD_BID)
        return _answer(room, services.nominate(room, footballer_id, maximum, _submission(form)))
    return _answer(room, services.pick(room, footballer_id, _submission(form)))


@blueprint.post("/bids")
@audience(MEMBER)
@limiter.limit("120 per minute", key_func=who_tries)
def bid(draft_id: int) -> ResponseReturnValue:
    """Bid for the footballer who is up."""
    room = room_of(draft_id)
    form = BidForm()
    maximum = typed_whole(form.maximum.data)
    if maximum is None:
        return _answer(room, BAD_BID)
    return _answer(room, services.bid(room, maximum, _submission(form)))


@blueprint.post("/queue")
@audience(MEMBER)
@limiter.limit("240 per minute", key_func=who_tries)
def queue(draft_id: int) -> ResponseReturnValue:
    """Add somebody to one's queue, take them out, or move them up or down."""
    room, now = room_of(draft_id), received_at()
    form = QueueForm()
    outcome: Outcome = NO_ACT
    if footballer_id := form.add.data:
        outcome = services.enqueue(room, footballer_id, now)
    elif footballer_id := form.remove.data:
        outcome = services.remove_from_queue(room, footballer_id, now)
    elif footballer_id := form.up.data:
        outcome = services.move_in_queue(room, footballer_id, -1, now)
    elif footballer_id := form.down.data:
        outcome = services.move_in_queue(room, footballer_id, 1, now)
    return _answer(room, outcome, shows_mine=True)


@blueprint.post("/autopilot")
@audience(MEMBER)
@limiter.limit("60 per minute", key_func=who_tries)
def autopilot(draft_id: int) -> ResponseReturnValue:
    """Let a franchise be drafted for automatically, or end that."""
    room = room_of(draft_id)
    form = AutopilotForm()
    franchise = form_number("franchise") or room.franchise or 0
    outcome = services.set_autopilot(
        room, franchise, is_on=form.on.data == "1", submission=_submission(form)
    )
    return _answer(room, outcome, shows_mine=franchise == room.franchise)


_COMMISSIONER: Mapping[str, Callable[[Room, Submission], Outcome]] = MappingProxyType(
    {
        "start": services.start,
        "draw": services.draw,
        "pause": services.pause,
        "resume": services.resume,
        "undo": services.undo,
        "finish": services.finish,
    }
)


@blueprint.post("/commissioner")
@audience(MEMBER)
@limiter.limit("120 per minute", key_func=who_tries)
def commission(draft_id: int) -> ResponseReturnValue:
    """Do something that only the commissioner may do."""
    room = room_of(draft_id)
    form = CommissionerForm()
    act, footballer_id, number_typed = form.act.data, form.footballer.data, form.number.data
    outcome: Outcome = NO_ACT
    if act in _COMMISSIONER:
        outcome = _COMMISSIONER[act](room, _submission(form))
    elif act == "assign" and number_typed.strip():
        number = _pick_number(room, number_typed)
        outcome = (
            BAD_NUMBER
            if number is None
            else services.replace(room, number, footballer_id, _submission(form))
        )
    elif act == "assign":
        outcome = services.pick_for(room, footballer_id, _submission(form))
    return _answer(room, outcome)


def _pick_number(room: Room, entered: str) -> int | None:
    """The number of a pick that is named as on the board, such as 1.02, or counted."""
    named = pick_number(queries.franchise_count(room.draft_id), entered)
    return named if named is not None else typed_whole(entered, most=MOST_PICKS)


def _submission(form: ActForm) -> Submission:
    return Submission(
        received_at(),
        form.token.data[:40],
        form_number("expected"),
    )


def _answer(room: Room, outcome: Outcome, *, shows_mine: bool = False) -> ResponseReturnValue:
    is_fragment = bool(request.htmx)
    if isinstance(outcome, Refusal):
        # The page's script takes the commissioner's buttons away after a 403.
        status = 403 if outcome is services.NOT_ALLOWED else 409
        if is_fragment:
            return Response(outcome.text, status, mimetype="text/plain")
        return room_page(room, fault=outcome.text, status=status)
    current_app.extensions[HUB].wake()
    if not is_fragment:
        return redirect(url_for("drafts.room", draft_id=room.draft_id), 303)
    return room_page(room, fragment="mine") if shows_mine else Response(status=204)
