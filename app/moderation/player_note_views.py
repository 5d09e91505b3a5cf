"""Pages on which moderators write news about players on the field, and erase it."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import audience
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.fantasy.market import listing, player_notes
from app.fantasy.market.name_search import find_names
from app.fantasy.market.player_notes import NewNote
from app.fantasy.scoring import footballers, player_list
from app.fantasy.scoring.footballers import Footballer
from app.moderation.forms import AuditReasonForm, NewsForm
from app.scores.review.moderators import STAFF

blueprint = Blueprint("player_notes", __name__, url_prefix="/moderation/news")

LATEST, MOST_FOUND = 25, 25
STATUS_WORDS = {
    "available": "Healthy",
    "questionable": "Questionable",
    "doubtful": "Doubtful",
    "out": "Out",
    "injured": "Injured",
    "suspended": "Suspended",
}


@blueprint.get("")
@audience(*STAFF)
def index() -> ResponseReturnValue:
    """The latest news, and a search for the player to write about."""
    search = request.args.get("q", "").replace("\x00", "").strip()[:60]
    return respond(
        "moderation/news.html",
        search=search,
        found=_find(search) if search else [],
        notes=player_notes.latest_notes(LATEST),
    )


def _find(search: str) -> list[tuple[str, str]]:
    """Id and name of players on the newest market whose names match."""
    seasons = player_list.market_seasons()
    names = listing.names_on_market(seasons[0].id) if seasons else []
    by_id = dict(names)
    ids = find_names(search, names).ids
    return sorted(((id_, by_id[id_]) for id_ in ids), key=lambda pair: pair[::-1])[:MOST_FOUND]


@blueprint.get("/<footballer_id>")
@audience(*STAFF)
def show(footballer_id: str) -> ResponseReturnValue:
    """The news about a player, and the form for more."""
    return _page(_player(footballer_id))


@blueprint.post("/<footballer_id>")
@audience(*STAFF)
def write(footballer_id: str) -> ResponseReturnValue:
    """Write news about a player."""
    player = _player(footballer_id)
    market = player.market or abort(404)
    form = NewsForm()
    new = NewNote(form.text.data, form.source_url.data, form.status.data)
    outcome = player_notes.write_note(
        market.season_id, player.id, new, by=current_user.id, now=clock.now()
    )
    if isinstance(outcome, Refusal):
        return _page(player, outcome)
    return redirect(url_for("player_notes.show", footballer_id=player.id, done="news"), 303)


@blueprint.post("/notes/<int:note_id>/erase")
@audience(*STAFF)
def erase(note_id: int) -> ResponseReturnValue:
    """Erase news."""
    outcome = player_notes.erase_note(
        note_id, by=current_user.id, reason=AuditReasonForm().reason.data[:500]
    )
    if isinstance(outcome, Refusal):
        abort(404)
    address = url_for("player_notes.show", footballer_id=outcome.footballer_id, done="news_erased")
    return redirect(address, 303)


def _player(footballer_id: str) -> Footballer:
    return footballers.footballer(footballer_id) or abort(404)


def _page(player: Footballer, fault: Refusal | None = None) -> ResponseReturnValue:
    return respond(
        "moderation/news_of.html",
        status=422 if fault else 200,
        player=player,
        fault=fault,
        notes=player_notes.latest_notes(LATEST, player.id),
        statuses=STATUS_WORDS,
        typed=NewsForm(),
    )
