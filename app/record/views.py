"""Pages of the record: games, and one game live."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, abort, make_response, request
from flask.typing import ResponseReturnValue

from app.core.access import PUBLIC, audience
from app.core.web import is_shown, respond
from app.record import asof, page, queries
from app.record.box import Lines
from app.record.playlist import KINDS, PlayFilter

blueprint = Blueprint("record", __name__)


@blueprint.get("/games")
@audience(PUBLIC)
def games() -> ResponseReturnValue:
    return respond("games/index.html", games=queries.games(), status_words=page.status_words)


@blueprint.get("/games/<game_id>")
@audience(PUBLIC)
def game(game_id: str) -> ResponseReturnValue:
    """One game: the last plays and the leaders; its fragment polls itself while the game is not over.

    `at` on this page and the next three: the game as of an event number or a game clock (asof.moment).
    """
    return _show(game_id, "game", lambda _: {})


@blueprint.get("/games/<game_id>/box")
@audience(PUBLIC)
def box(game_id: str) -> ResponseReturnValue:
    """Scores, club totals and every player's figures."""
    return _show(
        game_id, "box", lambda cut: {"box": page.box_page(cut.game, cut.events, cut.names, cut.lines)}
    )  # fmt: skip


@blueprint.get("/games/<game_id>/drives")
@audience(PUBLIC)
def drives(game_id: str) -> ResponseReturnValue:
    """The drives with their chart."""
    return _show(game_id, "drives", lambda cut: {"drives": page.drive_rows(cut.game, cut.events)})


@blueprint.get("/games/<game_id>/plays")
@audience(PUBLIC)
def plays(game_id: str) -> ResponseReturnValue:
    """All plays, filtered by `club`, `kind`, `quarter`, `player` and `drive`."""
    wanted = PlayFilter(**{name: request.args.get(name, "") for name in PlayFilter.__dataclass_fields__})
    return _show(
        game_id,
        "plays",
        lambda cut: {"list": page.plays_page(cut.page, cut.events, cut.names, cut.lines, wanted), "kinds": KINDS},
    )


@dataclass(frozen=True)
class _Cut:
    """A game as it stands, or stood, with what its pages are made of."""

    game: queries.GameRow
    events: Sequence[queries.EventRow]
    lines: Lines
    names: Mapping[str, str]
    page: page.GamePage


def _show(game_id: str, tab: str, part: Callable[[_Cut], dict[str, object]]) -> ResponseReturnValue:
    row = queries.game(game_id) or abort(404)
    asked, fault = request.args.get("at", "").strip(), ""
    version = str(row.version)
    if not asked and row.status not in page.OVER and is_shown(version):
        return respond("games/show.html", "game", version=version)
    events, at = queries.events(game_id), None
    last = max((event.number for event in events), default=0)
    if asked:
        try:
            number = asof.number_at(events, asof.moment(asked))
        except asof.NoSuchMoment as error:
            fault = str(error)
        else:
            events = asof.as_of(events, number)
            row = asof.game_as_of(row, events)
            at = page.at_words(row, number)
    lines = queries.stat_lines(game_id) if at is None else asof.line_rows(events)
    names = queries.names(page.players_in(events, lines))
    shown = page.game_page(row, events, names, lines, at)
    return respond(
        "games/show.html",
        "game",
        version=version if at is None else None,
        over=shown.over,
        status=422 if fault else 200,
        page=shown,
        tab=tab,
        last=last,
        asked=asked,
        fault=fault,
        at=at.number if at else None,
        here=request.full_path.rstrip("?"),
        **part(_Cut(row, events, lines, names, shown)),
    )


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
