"""Pages of the record: the games, one game live, and its exports."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from flask import Blueprint, Response, abort, current_app, make_response, request
from flask.typing import ResponseReturnValue

from app.accounts.crests import COLOURS
from app.core import clock
from app.core.csv_writing import BYTE_ORDER_MARK
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import PUBLIC, audience
from app.core.http.rate_limits import limiter, who_tries
from app.core.http.responses import error_response, respond
from app.core.page_cache.pages import PageContent, cached_page, cached_viewer
from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user
from app.record import queries
from app.record.asof import MomentError, valid_events
from app.record.pages import game_page
from app.record.pages.club_colours import shown_colours, text_colour
from app.record.pages.drive_list import drive_rows
from app.record.pages.exports import downloads
from app.record.pages.exports.college_xml import college_xml
from app.record.pages.play_list import KINDS, PlayFilter
from app.record.pages.reading import Reading, read, read_to_take_away
from app.record.pages.scoring_summary import scoring_summary
from app.record.rules.football.rulebook import rulebook_of
from app.record.rules.proof import proof, proof_of_lines
from app.record.rules.proof_plays import Finding
from app.record.rules.state import OVER
from app.stream.signing import StreamKeys

blueprint = Blueprint("record", __name__)

ZIP_BYTES = "latin-1"  # in which every byte is a character
EXPORTS = "60 per minute; 600 per hour"  # of games: programs fetch whole seasons

# The template variables that only one tab of a game's page has.
TabPart = Callable[[Reading, game_page.GamePage], dict[str, object]]


@blueprint.get("/games")
@audience(PUBLIC)
@cached_viewer()
def games() -> ResponseReturnValue:
    """The live games, those to come and the latest results."""
    return cached_page("games/index.html", None, "", _read_games)


def _read_games() -> PageContent:
    return PageContent(
        {
            "games": queries.games_by_stage(clock.now()),
            "status_words": game_page.status_words,
            "situation_words": game_page.situation_words,
        },
        ("games",),
    )


@blueprint.get("/games/<game_id>")
@audience(PUBLIC)
@cached_viewer()
def game(game_id: str) -> ResponseReturnValue:
    """One game: field, leaders, scoring and the last plays, polled while the game is not over.

    `at` on this page and the next three shows the game as of an event number or a game clock
    (asof.moment).
    """
    return _show(
        game_id,
        "game",
        lambda of, _: {"scores": scoring_summary(of.game, valid_events(of.events), of.names)},
    )


@blueprint.get("/games/<game_id>/box")
@audience(PUBLIC)
@cached_viewer()
def box(game_id: str) -> ResponseReturnValue:
    """Scores, club totals, every player's figures, who took part, and the details of the game."""
    return _show(
        game_id,
        "box",
        lambda of, _: {
            "box_score": game_page.box_score_of(of.game, of.events, of.names, of.lines),
            "participation": downloads.participation_of(of),
            "details": downloads.details_words(of.details),
        },
    )


@blueprint.get("/games/<game_id>/drives")
@audience(PUBLIC)
@cached_viewer()
def drives(game_id: str) -> ResponseReturnValue:
    """The drives with their chart."""
    return _show(game_id, "drives", lambda of, _: {"drives": drive_rows(of.game, of.events)})


@blueprint.get("/games/<game_id>/plays")
@audience(PUBLIC)
@cached_viewer()
def plays(game_id: str) -> ResponseReturnValue:
    """All plays, filtered by `club`, `kind`, `quarter`, `player` and `drive`."""
    criteria = PlayFilter(
        **{name: request.args.get(name, "") for name in PlayFilter.__dataclass_fields__}
    )
    return _show(
        game_id,
        "plays",
        lambda of, page: {
            "list": game_page.plays_page(page, of.events, of.names, of.lines, criteria),
            "kinds": KINDS,
        },
    )


def _show(game_id: str, tab: str, part: TabPart) -> ResponseReturnValue:
    asked, fault = _at(), ""
    if not asked:
        filters = request.query_string.decode()
        return cached_page(
            "games/show.html", "game", filters, lambda: _read_now(game_id, tab, part)
        )
    begin_snapshot()  # the score, the plays and the box score must agree
    row = queries.game(game_id) or abort(404)
    try:
        reading = read(row, asked)
    except MomentError as error:
        reading, fault = read(row), str(error)
    return respond(
        "games/show.html",
        "game",
        stop_polling=reading.game.status in OVER or reading.at is not None,
        status=422 if fault else 200,
        **_context(reading, tab, part, asked, fault),
    )


def _read_now(game_id: str, tab: str, part: TabPart) -> PageContent:
    """The game as everybody sees it now.

    Until the game is over, staff get findings of a fresh check each time.
    """
    begin_snapshot()
    row = queries.game(game_id) or abort(404)
    is_over = row.status in OVER
    is_kept = not request.args and (is_over or tab != "game" or not _may_correct())
    return PageContent(
        _context(read(row), tab, part),
        _tags(row.id) if is_kept else (),
        _version(row),
        is_final=is_over,
    )


def _tags(game_id: str) -> tuple[str, ...]:
    """What the pages and exports of a game depend on; changed stat lines come with an event."""
    return f"game:{game_id}", "clubs", "footballers", "feeds"


def _version(row: queries.GameRow) -> str:
    """The version of the game that a page shows; it tells a provisional score from none."""
    score = queries.published_score(row)
    return f"{row.version}" if score is None else f"{row.version}-{score[0]}-{score[1]}"


def _context(
    reading: Reading, tab: str, part: TabPart, asked: str = "", fault: str = ""
) -> dict[str, object]:
    page = game_page.game_page(
        reading.game, reading.events, reading.names, reading.lines, reading.at
    )
    return {
        "page": page,
        "published": queries.published_score(reading.game),
        "tab": tab,
        "last": reading.last,
        "asked": asked,
        "fault": fault,
        "at": reading.at.number if reading.at else None,
        "findings": _findings(reading) if tab == "game" else [],
        "here": request.full_path.rstrip("?"),
        **part(reading, page),
    }


def _findings(reading: Reading) -> list[Finding]:
    """What does not balance, for those who can correct it."""
    return _unbalanced(reading) if _may_correct() else []


def _may_correct() -> bool:
    return bool(current_user.is_authenticated and current_user.has_role("scorer", "operator"))


@blueprint.get("/games/<game_id>/book")
@audience(PUBLIC)
def book(game_id: str) -> ResponseReturnValue:
    """The game book, for printing."""
    at, age = _at(), 0

    def load() -> PageContent:
        nonlocal age
        reading, age = _reading(game_id, at)
        page = downloads.game_book(reading, _seal(reading))
        values = {"book": page, "styles": "", "age": age}
        return PageContent(values, _tags_of_export(reading, age))

    return _aged(cached_page("games/book.html", None, at, load), age)


@blueprint.get("/games/<game_id>/export.csv")
@audience(PUBLIC)
@limiter.limit(EXPORTS, key_func=who_tries)
def export_csv(game_id: str) -> Response:
    """Play-by-play in nflverse's columns."""
    mark = BYTE_ORDER_MARK if _is_for_excel() else ""
    response = _export(game_id, f"csv:{mark}", lambda reading: mark + downloads.game_csv(reading))
    return _as_file(response, game_id, "csv", "text/csv")


@blueprint.get("/games/<game_id>/export.json")
@audience(PUBLIC)
@limiter.limit(EXPORTS, key_func=who_tries)
def export_json(game_id: str) -> Response:
    """All events with their revisions, and the stat lines."""
    response = _export(
        game_id, "json", lambda reading: downloads.game_json_text(reading, _seal(reading))
    )
    return _as_file(response, game_id, "json", "application/json")


@blueprint.get("/games/<game_id>/export.xml")
@audience(PUBLIC)
@limiter.limit(EXPORTS, key_func=who_tries)
def export_xml(game_id: str) -> Response:
    """The game in the XML format of college statistics software."""
    response = _export(
        game_id,
        "xml",
        lambda reading: college_xml(reading, queries.jerseys(reading.names), clock.now()),
    )
    return _as_file(response, game_id, "xml", "application/xml")


@blueprint.get("/games/<game_id>/export.zip")
@audience(PUBLIC)
@limiter.limit(EXPORTS, key_func=who_tries)
def export_zip(game_id: str) -> Response:
    """The box score as CSV, one file per table."""
    for_excel = _is_for_excel()
    response = _export(
        game_id,
        f"zip:{for_excel}",
        lambda reading: downloads.game_zip(reading, for_excel=for_excel).decode(ZIP_BYTES),
    )
    response.set_data(response.get_data(as_text=True).encode(ZIP_BYTES))
    return _as_file(response, game_id, "zip", "application/zip")


def _is_for_excel() -> bool:
    """Whether text files start with a byte order mark."""
    return request.args.get("excel") == "1"


def _seal(reading: Reading) -> str:
    return downloads.sealed(reading, StreamKeys.of(current_app.config["PRESSBOX"]))


def _export(game_id: str, kind: str, write: Callable[[Reading], str]) -> Response:
    """The game as `write` puts it, as of `at`."""
    at, age = _at(), 0

    def load() -> CachedValue[str]:
        nonlocal age
        reading, age = _reading(game_id, at)
        return CachedValue(write(reading), _tags_of_export(reading, age))

    text = cached_value(f"export:{game_id}:{kind}:{at}", str, load)
    return _aged(make_response(text), age)


def _at() -> str:
    return request.args.get("at", "").strip()


def _reading(game_id: str, at: str) -> tuple[Reading, int]:
    """The game to export, as of `at`, with its greatest possible age in seconds."""
    try:
        return read_to_take_away(game_id, at) or abort(404)
    except MomentError as error:
        abort(error_response(422, title="Moment not found", remedy=str(error)))


def _tags_of_export(reading: Reading, age: int) -> tuple[str, ...]:
    """What is over is written once, until it is corrected."""
    is_kept = reading.game.status in OVER and reading.at is None and age == 0
    return _tags(reading.game.id) if is_kept else ()


def _aged(response: Response, seconds: int) -> Response:
    """Add the Age header (RFC 9111, 5.1)."""
    if seconds:
        response.age = timedelta(seconds=seconds)
    return response


def _as_file(response: Response, game_id: str, suffix: str, mimetype: str) -> Response:
    response.mimetype = mimetype
    response.headers["Content-Disposition"] = f'attachment; filename="{game_id}.{suffix}"'
    return response


@blueprint.get("/clubs.css")
@audience(PUBLIC)
def club_colours() -> Response:
    """A style sheet with the colours of clubs and of teams, by `data-club` and `data-team`.

    Our content security policy allows no inline styles.
    """
    colours = [(club.id, *shown_colours(club.id, club.colour)) for club in queries.clubs()]
    rules = [
        f'[data-club="{club}"] {{ --club: {first}; --club-2: {second};'
        f" --club-text: {text_colour(first)}; }}"
        for club, first, second in colours
    ]
    rules += [
        f'[data-team="{number}"] {{ --team: light-dark({light}, {dark}); }}'
        for number, (light, dark) in enumerate(COLOURS.values(), 1)
    ]
    response = make_response("\n".join(rules) + "\n")
    response.mimetype = "text/css"
    response.add_etag()
    response.cache_control.no_cache = True
    response.make_conditional(request)
    return response


def _unbalanced(reading: Reading) -> list[Finding]:
    """The findings in the order of the game, those about the whole game last.

    The stat lines of a cancelled game are not checked, because they do not count.
    """
    game, standing = reading.game, valid_events(reading.events)
    book, is_playoff = rulebook_of(game), game.season_type == "POST"
    findings = proof(
        standing, home=game.home.id, away=game.away.id, book=book, is_playoff=is_playoff
    )
    if game.status == "cancelled":
        return findings
    return findings + proof_of_lines(standing, reading.lines, reading.names)
