"""Views of the entries that wait in the browser of a scorer who lost the game."""

from __future__ import annotations

from typing import Annotated

import msgspec
from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue
from msgspec import Meta

from app.core import clock
from app.core.http.access import audience
from app.core.http.request_validation import takes_json
from app.core.viewer import current_user
from app.record.events import PlayNumber
from scorer_console.entry import views
from scorer_console.entry.services import Submitted
from scorer_console.entry.views import SCORER, EventIn, Uuid, answers_refusals
from scorer_console.offline import waiting
from scorer_console.record.numbering import Accepted

blueprint = Blueprint("waiting", __name__, url_prefix="/console")
blueprint.before_request(views.check_bound)


class KeyIn(msgspec.Struct):
    """The part of an entry that is required even if the rest cannot be read."""

    key: Uuid


class WaitingIn(msgspec.Struct):
    """See models.WaitingEntry."""

    key: Uuid
    entries: Annotated[list[EventIn], Meta(min_length=1, max_length=40)]
    made_under: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0
    play: PlayNumber | None = None


class TellIn(msgspec.Struct):
    """All entries that wait in this browser for the game, in order. `scorer` made them."""

    console: Uuid
    scorer: str
    waiting: Annotated[list[msgspec.Raw], Meta(max_length=200)]


class SettleIn(msgspec.Struct):
    """Adopts or drops an entry.

    `owner` is the console in which it waits, as the situation names it. With `drop`, it is dropped.
    """

    console: Uuid
    owner: Annotated[str, Meta(max_length=80)]
    key: Uuid
    drop: bool = False


@blueprint.post("/<game_id>/waiting")
@audience(SCORER)
@takes_json
@answers_refusals("request")
def tell(game_id: str) -> ResponseReturnValue:
    """Store the entries that wait in this browser. The situation says what became of them."""
    report = msgspec.json.decode(request.get_data(), type=TellIn)
    if report.scorer != current_user.get_id():
        fault = "These entries belong to another scorer. Sign in as that scorer to see them."
        return jsonify(error=fault), 403
    entries = [_read(raw) for raw in report.waiting]
    waiting.tell(game_id, views.holder_of(report.console), entries, clock.now())
    return jsonify(situation=views.situation(game_id))


def _read(raw: msgspec.Raw) -> waiting.Waiting:
    """Read one entry. If it cannot be read, the result says why, so that others are still shown.

    Raises DecodeError without a key.
    """
    try:
        entry = msgspec.json.decode(raw, type=WaitingIn)
    except msgspec.ValidationError as error:
        return waiting.Waiting(
            msgspec.json.decode(raw, type=KeyIn).key, [], 0, None, fault=f"{error}."
        )
    events = [Submitted(event.body, event.play_number, event.number) for event in entry.entries]
    return waiting.Waiting(entry.key, events, entry.made_under, entry.play)


@blueprint.post("/<game_id>/waiting/settle")
@audience(SCORER)
@takes_json
@answers_refusals("request")
def settle(game_id: str) -> ResponseReturnValue:
    """Adopt or drop another scorer's entry. Returns its numbers, if any, and the situation.

    It answers 409 if the console does not have the game.
    """
    asked = msgspec.json.decode(request.get_data(), type=SettleIn)
    holder, now = views.holder_of(asked.console), clock.now()
    accepted: list[Accepted] = []
    if asked.drop:
        waiting.drop(game_id, asked.owner, asked.key, now, holder=holder)
    else:
        accepted = waiting.adopt(game_id, asked.owner, asked.key, now, console=holder.console)
    return jsonify(accepted=accepted, situation=views.situation(game_id))
