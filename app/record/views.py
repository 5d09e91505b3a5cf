"""Pages of the record: games, and one game live."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, request
from flask.typing import ResponseReturnValue

from app.core.access import PUBLIC, audience
from app.core.web import is_shown, respond
from app.record import page, queries

blueprint = Blueprint("record", __name__)


@blueprint.get("/games")
@audience(PUBLIC)
def games() -> ResponseReturnValue:
    return respond("games/index.html", games=queries.games(), status_words=page.status_words)


@blueprint.get("/games/<game_id>")
@audience(PUBLIC)
def game(game_id: str) -> ResponseReturnValue:
    """One game; its fragment polls itself while the game is not over."""
    row = queries.game(game_id) or abort(404)
    all_plays = request.args.get("plays") == "all"
    version = f"{row.version}{'a' if all_plays else ''}"
    if row.status not in page.OVER and is_shown(version):
        return respond("games/show.html", "game", version=version)
    events, lines = queries.events(game_id), queries.stat_lines(game_id)
    names = queries.names(page.players_in(events, lines))
    shown = page.game_page(row, events, names, lines, all_plays=all_plays)
    return respond("games/show.html", "game", version=version, over=shown.over, page=shown, all_plays=all_plays)


@blueprint.get("/clubs.css")
@audience(PUBLIC)
def club_colours() -> Response:
    """One rule a club: its colour for elements with its `data-club` (our policy allows no inline styles)."""
    rules = [f'[data-club="{club.id}"] {{ --club: {club.colour}; }}' for club in queries.clubs()]
    response = make_response("\n".join(rules) + "\n")
    response.mimetype = "text/css"
    response.add_etag()
    response.cache_control.no_cache = True
    response.make_conditional(request)
    return response
