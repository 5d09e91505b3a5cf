"""Pages of the team sheet editor.

A draft is in the page's address until it is saved, so that it outlives a reload.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.numbers import as_id, as_whole, whole_number
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.core.viewer import current_user
from app.fantasy.leagues.words import undated_words
from app.fantasy.market import listing as market_list
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.market.listing import SORTS, Filter
from app.fantasy.market.models import Gameweek, Season, TeamRules
from app.fantasy.pages.team_sheet import page as sheet_page
from app.fantasy.pages.team_sheet import words as sheet_words
from app.fantasy.pages.team_sheet.filling import filled
from app.fantasy.sheets import context as sheet_context
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.fitting import Fitting, fitting, positions_of
from app.fantasy.sheets.my_teams import MyTeam, my_team, my_teams
from app.fantasy.sheets.rules import placed
from app.fantasy.sheets.services import Refused
from app.fantasy.sheets.transfers import CurrentSheet, Wanted
from app.record import queries as record

blueprint = Blueprint("sheets", __name__)


@blueprint.get("/team")
@audience(MEMBER)
def mine() -> ResponseReturnValue:
    """My teams; with a single one that is still played, straight to it."""
    now = clock.now()
    teams = my_teams(current_user.id, now)
    played = [team for team in teams if team.gameweek_id is not None]
    if len(played) == 1 or len(teams) == 1:
        return redirect(
            url_for("sheets.show", team_rules_id=(played or teams)[0].team_rules_id), 303
        )
    left = {
        one.team_rules_id: sheet_words.time_left(one.locks_at, now)
        for one in played
        if one.locks_at
    }
    return respond("sheets/mine.html", teams=teams, left=left)


@blueprint.get("/team/<int:team_rules_id>")
@audience(MEMBER)
def show(team_rules_id: int) -> ResponseReturnValue:
    """The editor; with a draft in the address that draft, after the one act that the address may
    hold (pick, drop).
    """
    return _editor(team_rules_id, request.args, fragment="editor")


@blueprint.get("/team/<int:team_rules_id>/market")
@audience(MEMBER)
def market(team_rules_id: int) -> ResponseReturnValue:
    """The same page as `show`, filtered; its fragment is the list of footballers."""
    return _editor(team_rules_id, request.args, fragment="market_rows")


@blueprint.post("/team/<int:team_rules_id>")
@audience(MEMBER)
def save(team_rules_id: int) -> ResponseReturnValue:
    """Saves the sheet whole; refused, it comes back with every reason.

    What waits for its turn at the deadline is in time.
    """
    now = received_at()
    team = my_team(current_user.id, team_rules_id, now) or abort(404)
    gameweek = _gameweek(team, request.form) or abort(404)
    draft = _draft(request.form, FORMATS[team.format], None)
    answer = sheets.save(current_user.id, team_rules_id, gameweek.id, draft, now)
    if isinstance(answer, Refused):
        return _editor(team_rules_id, request.form, fragment="editor", refusals=answer.refusals)
    return redirect(url_for("sheets.show", team_rules_id=team_rules_id, saved=answer.version), 303)


def _editor(
    team_rules_id: int,
    args: MultiDict[str, str],
    *,
    fragment: str,
    refusals: tuple[Refusal, ...] = (),
) -> ResponseReturnValue:
    now = clock.now()
    team = my_team(current_user.id, team_rules_id, now) or abort(404)
    gameweek = _gameweek(team, args)
    if gameweek is None:
        return respond("sheets/over.html", team=team)
    season = db.session.get_one(Season, team.season_id)
    format = FORMATS[team.format]
    context = sheet_context.context_of(current_user.id, team_rules_id, gameweek.id, now)
    current = context.current
    draft = _draft(args, format, current)
    chosen = 0 if refusals else _number(args, "choose", len(format.places))
    draft, chosen = _acted(args, draft, chosen, format, season.id)
    fixtures, cannot_fill = market_list.fixtures(gameweek), False
    if "fill" in args and context.previous is None:
        made = filled(draft, context, market_list.everybody(season.id, season.rules), fixtures, now)
        draft, chosen, cannot_fill = made or draft, 0, made is None
    listed = market_list.listed(season.id, season.rules, draft.picks)
    positions = {one: row.position for one, row in listed.items()}
    fits = fitting(format, draft.picks, positions, chosen)
    if fits.is_chosen and context.locks_each:
        fits = replace(
            fits, left_out=(*fits.left_out, *sheet_context.begun_on_market(gameweek, now))
        )
    wanted, fault = _filter(args, format, chosen, fits, is_searched=fragment == "market_rows")
    rows, count = market_list.footballers(season.id, season.rules, wanted)
    named = [*draft.picks, *(row.id for row in rows)]
    context = sheet_context.with_players(context, named, now)
    board = sheet_page.Board(listed, fixtures)
    search = sheet_page.Search((rows, count), chosen, wanted, fits.words)
    page = sheet_page.editor(draft, context, board, search, refusals)
    locks_at = context.locks_at
    assert locks_at is not None  # context_of says it
    response = respond(
        "sheets/show.html",
        fragment,
        status=422 if refusals or fault else 200,
        page=page,
        team=team,
        gameweek=gameweek,
        draft=draft,
        version=draft.version,
        locks_at=locks_at,
        is_past=now >= locks_at,
        left=sheet_words.time_left(locks_at, now),
        saved_draft=sheet_words.draft_words(_draft(MultiDict(), format, current)),
        is_saved=current is not None and args.get("saved") == str(current.version),
        wanted=wanted,
        fault=fault,
        undated=_undated(gameweek, team_rules_id),
        cannot_fill=cannot_fill,
        position=args.get("position", "") if fragment == "market_rows" else "",
        max_price=args.get("max", ""),
        positions=sheet_words.position_choices(format, chosen),
        clubs=market_list.clubs(season.id),
        sorts=SORTS,
    )
    if fragment == "editor" and request.method == "GET":
        response.headers["HX-Replace-Url"] = _address(
            team_rules_id, gameweek, draft, "p" in args or "fill" in args
        )
    return response


def _undated(gameweek: Gameweek, team_rules_id: int) -> str:
    games = record.gameweek_games(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )
    counts = db.session.get_one(TeamRules, team_rules_id).postponed_games == "played"
    return undated_words(games, gameweek.name, counts_moved=counts)


def _gameweek(team: MyTeam, args: MultiDict[str, str]) -> Gameweek | None:
    """The one that the page is about: the open one, or that of the form, which may have been locked
    meanwhile.
    """
    named = args.get("gameweek", type=as_id) or team.gameweek_id
    gameweek = db.session.get(Gameweek, named) if named is not None else None
    return gameweek if gameweek is not None and gameweek.season_id == team.season_id else None


def _draft(args: MultiDict[str, str], format: Format, current: CurrentSheet | None) -> Wanted:
    """The draft of the request; without one the saved sheet, or an empty one."""
    size = len(format.places)
    if "p" in args:
        picks = [one.replace("\x00", "") for one in args.getlist("p")][:size]
        return Wanted(
            (*picks, *[""] * (size - len(picks))),
            _number(args, "captain", size),
            _number(args, "vice_captain", size),
            args.get("version", 0, type=as_whole),
        )
    if current is None:
        return Wanted(("",) * size, 0, 0, 0)
    return Wanted(current.picks, current.captain, current.vice_captain, current.version)


def _acted(
    args: MultiDict[str, str], draft: Wanted, chosen: int, format: Format, season_id: int
) -> tuple[Wanted, int]:
    """The draft after `pick` or `drop`, and the place to be chosen next."""
    if drop := _number(args, "drop", len(format.places)):
        return replace(draft, picks=placed(draft.picks, drop, "")), drop
    pick = args.get("pick", "").replace("\x00", "")
    if not pick:
        return draft, chosen
    if not chosen:
        found = market_list.listed(season_id, "", [pick])
        chosen = (
            sheet_page.first_free(format, draft.picks, found[pick].position) if pick in found else 0
        )
        if not chosen:
            return draft, 0
        return replace(draft, picks=placed(draft.picks, chosen, pick)), 0
    picks = placed(draft.picks, chosen, pick)
    return replace(draft, picks=picks), sheet_page.next_empty(picks, chosen)


def _filter(
    args: MultiDict[str, str], format: Format, chosen: int, fits: Fitting, *, is_searched: bool
) -> tuple[Filter, str]:
    """The filter, and what is wrong with it in a sentence.

    Name, position and page are of one search.
    """
    fault, price = "", args.get("max", "").strip().replace(",", ".")
    tenths = 0
    if price:
        whole, _, tenth = price.partition(".")
        if (
            (whole + tenth).isascii()
            and (whole + tenth).isdigit()
            and len(whole) <= 4
            and len(tenth) <= 1
        ):
            tenths = int(whole or "0") * 10 + int(tenth or "0")
        else:
            fault = f"Price up to: {price!r} should be a number of millions like 9.5."
    slot = format.places[chosen - 1] if chosen else None
    sort = args.get("sort", "points")
    position = args.get("position", "") if is_searched else ""
    return Filter(
        search=args.get("q", "").replace("\x00", "").strip()[:60] if is_searched else "",
        positions=positions_of(position, fits, format, slot),
        without=() if position else fits.left_out,
        club_id=args.get("club", "").replace("\x00", ""),
        max_price=tenths,
        sort=sort if sort in SORTS else "points",
        page=max(1, min(10_000, args.get("page", 1, type=as_whole))) if is_searched else 1,
    ), fault


def _number(args: MultiDict[str, str], name: str, most: int) -> int:
    """A place of the format by the last of its values; 0 for none and for what is none."""
    values = args.getlist(name)
    return whole_number(values[-1], most=most) or 0 if values else 0


def _address(team_rules_id: int, gameweek: Gameweek, draft: Wanted, is_draft: bool) -> str:
    """The page's address with the draft in it, so that it outlives a reload."""
    here = url_for("sheets.show", team_rules_id=team_rules_id)
    if not is_draft:
        return here
    pairs = [("gameweek", str(gameweek.id)), *(("p", one) for one in draft.picks)]
    pairs += [
        ("captain", str(draft.captain)),
        ("vice_captain", str(draft.vice_captain)),
        ("version", str(draft.version)),
    ]
    return f"{here}?{urlencode(pairs)}"
