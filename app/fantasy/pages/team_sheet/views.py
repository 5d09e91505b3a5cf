"""Pages of the team sheet editor.

A draft is in the page's address until it is saved, so that it outlives a reload.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import htmx_response, request
from app.core.http.responses import respond
from app.core.http.sent_numbers import form_number
from app.core.numbers import MAX_ID
from app.core.page_cache.pages import (
    OWN_PAGE,
    PageContent,
    ViewersOwn,
    cached_page,
    cached_viewer,
)
from app.core.page_cache.placeholders import Fillings, placeholder
from app.core.serving import received_at
from app.core.viewer import current_user
from app.fantasy.leagues import services as leagues
from app.fantasy.market.formats import format_named
from app.fantasy.market.gameweeks import GameweekRow, shared_gameweeks
from app.fantasy.market.seasons import has_deadline
from app.fantasy.pages.home.page import deadlines_of
from app.fantasy.pages.league.league_bar import BAR, FIELD, LONGEST_SLUG, league_bar
from app.fantasy.pages.tags import tags_of_teams
from app.fantasy.pages.team_sheet.forms import EditorForm
from app.fantasy.pages.team_sheet.page import EditorPage
from app.fantasy.pages.team_sheet.queries import EditedTeam, load_editor
from app.fantasy.pages.team_sheet.words import draft_words
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.my_teams import MyTeam, my_team, my_teams
from app.fantasy.sheets.services import Refused
from app.fantasy.sheets.transfers import Draft

blueprint = Blueprint("sheets", __name__)

SERVER_NOW = "server_now"  # a placeholder: milliseconds since 1970


@blueprint.get("/team")
@audience(MEMBER)
def mine() -> ResponseReturnValue:
    """List the member's teams, or redirect to the only one that is still played."""
    now = clock.now()
    teams = my_teams(current_user.id, now)
    played = [team for team in teams if team.gameweek_id is not None]
    if len(played) == 1 or len(teams) == 1:
        return redirect(
            url_for("sheets.show", team_rules_id=(played or teams)[0].team_rules_id), 303
        )
    deadlines = {each.team.team_rules_id: each for each in deadlines_of(played, now)}
    return respond("sheets/mine.html", teams=teams, deadlines=deadlines)


@blueprint.get("/team/<int:team_rules_id>")
@audience(MEMBER)
@cached_viewer()
def show(team_rules_id: int) -> ResponseReturnValue:
    """Show the editor.

    A draft in the address is shown instead of the saved sheet, after the one act that the address
    may hold (pick, drop).
    """
    if not request.args.keys() - {FIELD} and not request.htmx:
        return _saved_sheet(team_rules_id)
    return _editor(team_rules_id, request.args, fragment="editor")


@blueprint.get("/team/<int:team_rules_id>/market")
@audience(MEMBER)
@cached_viewer()
def market(team_rules_id: int) -> ResponseReturnValue:
    """The same page as `show`, filtered; its fragment is the list of footballers."""
    return _editor(team_rules_id, request.args, fragment="market_rows")


@blueprint.post("/team/<int:team_rules_id>")
@audience(MEMBER)
def save(team_rules_id: int) -> ResponseReturnValue:
    """Save the whole sheet, or show it again with every reason against it.

    A sheet is in time if the server received it before the deadline.
    """
    now = received_at()
    team = my_team(current_user.id, team_rules_id, now) or abort(404)
    gameweek = _gameweek(team, request.form) or abort(404)
    draft = EditorForm(request.form, format_named(team.format)).draft(None)
    answer = sheets.save(current_user.id, team_rules_id, gameweek.id, draft, now)
    if isinstance(answer, Refused):
        return _editor(team_rules_id, request.form, fragment="editor", refused=answer)
    values: dict[str, Any] = {"saved": answer.version} | _kept(request.form)
    if answer.is_merged:
        values["merged"] = 1
    if (earlier := answer.earlier_sheet) is not None:
        picks, armbands = earlier.picks, (earlier.captain, earlier.vice_captain)
        values |= dict(zip(_EARLIER, (picks, *armbands), strict=True))
    return redirect(url_for("sheets.show", team_rules_id=team_rules_id, **values), 303)


@blueprint.post("/team/<int:team_rules_id>/undo")
@audience(MEMBER)
def undo(team_rules_id: int) -> ResponseReturnValue:
    """Save the team of before the last save again, which the page after that save names.

    It is a save like any other: in time, and merged if the team was saved elsewhere meanwhile.
    """
    now = received_at()
    team = my_team(current_user.id, team_rules_id, now) or abort(404)
    gameweek = _gameweek(team, request.form) or abort(404)
    draft = EditorForm(_earlier_team(request.args), format_named(team.format)).draft(None)
    answer = sheets.save(current_user.id, team_rules_id, gameweek.id, draft, now)
    if isinstance(answer, Refused):
        return _editor(team_rules_id, request.form, fragment="editor", refused=answer)
    values: dict[str, Any] = {"saved": answer.version} | _kept(request.form)
    return redirect(url_for("sheets.show", team_rules_id=team_rules_id, **values), 303)


def _earlier_team(args: MultiDict[str, str]) -> MultiDict[str, str]:
    """The fields of the team before the last save, as the editor names them."""
    return MultiDict(
        [
            *(("p", pick) for pick in args.getlist("was")),
            ("captain", args.get("was_captain", "")),
            ("vice_captain", args.get("was_vice_captain", "")),
            ("version", args.get("saved", "")),
            ("base", request.form.get("base", "")),
        ]
    )


def _saved_sheet(team_rules_id: int) -> ResponseReturnValue:
    """Return the editor with the member's saved sheet, from the page cache."""
    member_id = current_user.id
    fillings: Fillings = {
        SERVER_NOW: lambda: str(clock.to_ms(clock.now())),
        BAR: lambda: str(_league_bar(team_rules_id)),
    }
    return cached_page(
        "sheets/show.html",
        None,
        OWN_PAGE,
        lambda: _read_saved_sheet(team_rules_id, member_id),
        ViewersOwn(fillings=fillings),
    )


def _read_saved_sheet(team_rules_id: int, member_id: int) -> PageContent:
    now = clock.now()
    team = my_team(member_id, team_rules_id, now) or abort(404)
    gameweek = _gameweek(team, request.args)
    tags = tags_of_teams(member_id) | {f"market:{team.season_id}"}
    if gameweek is None:
        values = {"team": team, "me": member_id, "league_bar": placeholder(BAR)}
        return PageContent(values, tags, template="sheets/over.html")
    team_format = format_named(team.format)
    edited = EditedTeam(member_id, team, gameweek, now)
    page = load_editor(edited, EditorForm(request.args, team_format))
    return PageContent(
        _values(edited, page)
        | {"server_now": placeholder(SERVER_NOW), "league_bar": placeholder(BAR)},
        () if team_format.is_draft else tags,  # rosters have no tags
        str(page.draft.version),
        expires_at=page.expires_at,
    )


def _editor(
    team_rules_id: int,
    args: MultiDict[str, str],
    *,
    fragment: str,
    refused: Refused | None = None,
) -> ResponseReturnValue:
    now = clock.now()
    team = my_team(current_user.id, team_rules_id, now) or abort(404)
    gameweek = _gameweek(team, args)
    if gameweek is None:
        return respond(
            "sheets/over.html",
            team=team,
            me=current_user.id,
            league_bar=_league_bar(team_rules_id),
        )
    form = EditorForm(args, format_named(team.format), is_search=fragment == "market_rows")
    edited = EditedTeam(current_user.id, team, gameweek, now)
    page = load_editor(edited, form, refused)
    response = respond(
        "sheets/show.html",
        fragment,
        status=422 if refused or page.filters.fault else 200,
        league_bar="" if request.htmx else _league_bar(team_rules_id),
        **_values(edited, page),
    )
    if fragment == "editor" and request.method == "GET":
        is_draft = form.has_draft or form.fills
        return htmx_response(response, replace_url=_address(edited, page.draft, is_draft=is_draft))
    return response


def _values(edited: EditedTeam, page: EditorPage) -> dict[str, Any]:
    """Return what the template of the editor shows."""
    team, gameweek = edited.team, edited.gameweek
    undo = page.change and _address(edited, page.change.before, is_draft=True)
    is_undoable = page.is_saved and "was" in request.args
    return {
        "me": edited.member_id,
        "page": page.editor,
        "team": team,
        "gameweek": gameweek,
        "draft": page.draft,
        "base": _base_words(page.draft),
        "projected": page.projected,
        "is_list": "view" in _kept(request.values),
        "deadline": page.deadline,
        "filters": page.filters,
        "saved_draft": page.saved_draft,
        "is_saved": page.is_saved,
        "is_merged": "merged" in request.args,
        "cannot_fill": page.cannot_fill,
        "change": page.change,
        "undo": undo or "",
        "keep": _address(edited, replace(page.draft, version=page.saved_version), is_draft=True),
        "earlier": {name: request.args.getlist(name) for name in ("saved", *_EARLIER)}
        if is_undoable
        else None,
        "server_now": clock.to_ms(edited.now),
    }


# The team before the last save, in the address of the page after it.
_EARLIER = ("was", "was_captain", "was_vice_captain")


def _gameweek(team: MyTeam, args: MultiDict[str, str]) -> GameweekRow | None:
    """Return the gameweek of the form, which may be locked by now, or the open one.

    None for a gameweek that does not exist for the team's rules.
    """
    named = form_number("gameweek", most=MAX_ID, values=args)
    if named is not None and not has_deadline(team.team_rules_id, named):
        return None
    chosen = named or team.gameweek_id
    if chosen is None:
        return None
    season = shared_gameweeks(team.season_id)
    return next((gameweek for gameweek in season if gameweek.id == chosen), None)


def _kept(args: MultiDict[str, str]) -> dict[str, str]:
    """The fields of the address that acts keep: the list view, and the league of the bar."""
    fields = {"view": "list"} if args.getlist("view")[-1:] == ["list"] else {}
    if slug := args.get(FIELD, "")[:LONGEST_SLUG]:
        fields[FIELD] = slug
    return fields


def _league_bar(team_rules_id: int) -> Markup:
    """The bar of the league that the member came from, or else of the first that has this team."""
    member_id = current_user.id
    slug = request.values.get(FIELD, "")[:LONGEST_SLUG]
    return league_bar(
        f"team-{team_rules_id}",
        "team",
        slug,
        lambda: leagues.of_team(team_rules_id, member_id, slug),
    )


def _base_words(draft: Draft) -> str:
    return draft_words(draft.base) if draft.base else ""


def _address(edited: EditedTeam, draft: Draft, *, is_draft: bool) -> str:
    """The page's address with the draft and the view in it, so that they outlive a reload."""
    pairs = [*_kept(request.values).items()]
    if is_draft:
        pairs += [("gameweek", str(edited.gameweek.id)), *(("p", pick) for pick in draft.picks)]
        pairs += [
            ("captain", str(draft.captain)),
            ("vice_captain", str(draft.vice_captain)),
            ("version", str(draft.version)),
            ("base", _base_words(draft)),
        ]
    address = url_for("sheets.show", team_rules_id=edited.team.team_rules_id)
    return f"{address}?{urlencode(pairs)}" if pairs else address
