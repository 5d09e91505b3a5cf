"""Pages for founding, finding, joining and leaving a league.

They also show a league's members and its rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, Response, abort, make_response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts.invitations import remember_invitation
from app.accounts.team_colour_field import choose_team_colour, shown_team_colour
from app.core.clock import now
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.pagination import page_number
from app.core.http.rate_limits import limit_code_tries, limiter, note_wrong_code
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.numbers import MAX_ID
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.fantasy.leagues import adjustments, rule_changes, words
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.rules import TEAM_NAME_MAX, formats_for, plain_code
from app.fantasy.leagues.services import NOT_THERE
from app.fantasy.market import listing
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import Season
from app.fantasy.market.seasons import gameweeks_of
from app.fantasy.pages.membership.forms import (
    ZONES,
    CodeForm,
    JoinForm,
    LeagueForm,
    TeamNameForm,
    show_refusals,
)
from app.fantasy.pages.share import invitation_picture as invitation_pictures
from app.fantasy.pages.share.canvas import TYPE
from app.fantasy.pages.share.pictures import load_club_colours
from app.fantasy.scoring import pairs, rulebook
from app.fantasy.standings.models import League

blueprint = Blueprint("leagues", __name__)

PUBLIC_ROWS = 20
PICTURE_SECONDS = 300  # how long a messenger may cache the picture of an invitation


@blueprint.get("/leagues")
@audience(MEMBER)
def index() -> ResponseReturnValue:
    """Show the member's leagues."""
    return respond(
        "leagues/index.html",
        leagues=league_queries.cards(current_user.id),
        form=CodeForm(formdata=None),
    )


@blueprint.get("/leagues/start")
@audience(MEMBER)
def start() -> ResponseReturnValue:
    """Ask which game a new league plays."""
    return respond("leagues/start.html")


@blueprint.get("/leagues/new")
@audience(MEMBER)
def new() -> ResponseReturnValue:
    """Show the form for a new league."""
    seasons = league_queries.open_seasons(now())
    if not seasons:
        return respond("leagues/new.html", seasons=seasons, season=None, form=None)
    season = _requested_season(seasons)
    form = LeagueForm(formdata=None)
    team_format = formats_for(_sport(season))[0]
    presets = [preset.name for preset in pairs.presets_for(team_format)]
    form.rules.data = season.rules if season.rules in presets else presets[0]
    form.show(TeamRulesChoice.of(team_format.name, season.time_zone))
    form.team_name.data, form.colour.data = _usual_team_name(), shown_team_colour(current_user)
    return _new(form, season, seasons)


@blueprint.post("/leagues/new")
@audience(MEMBER)
@limiter.limit("20 per hour")
def create() -> ResponseReturnValue:
    """Found a league."""
    seasons = league_queries.open_seasons(now())
    if not seasons:
        return redirect(url_for("leagues.new"), 303)
    season, form = _requested_season(seasons), LeagueForm()
    is_valid = form.validate()
    rules = form.read(_sport(season), gameweeks_of(season.id))
    if isinstance(rules, list):
        created: League | list[Refusal] = [*rules, *_refusals(form)]
    elif not is_valid:
        created = _refusals(form)
    else:
        created = leagues.create(current_user.id, form.league(season.id, rules), now())
    if isinstance(created, list):
        return _new(form, season, seasons, show_refusals(form, created), 422)
    choose_team_colour(current_user, form.colour.data)
    return redirect(url_for("commissioner.settings", slug=created.slug, made=1), 303)


def _refusals(form: LeagueForm) -> list[Refusal]:
    """What is wrong with the names and the table."""
    return leagues.refusals(
        form.name.data or "", form.team_name.data or "", form.mode.data or "", form.ties.data or ""
    )


def _new(
    form: LeagueForm,
    season: Season,
    seasons: Sequence[Season],
    faults: list[str] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    form.offer(_sport(season))
    form.offer_weeks(gameweeks_of(season.id), named="The next open week")
    return respond(
        "leagues/new.html",
        form=form,
        season=season,
        seasons=seasons,
        zones=ZONES,
        faults=faults,
        status=status,
    )


@blueprint.get("/leagues/public")
@audience(MEMBER)
def public() -> ResponseReturnValue:
    """List the public leagues."""
    search, number = request.args.get("q", "").strip()[:60], page_number()
    cards, more = league_queries.public_cards(current_user.id, search, number, PUBLIC_ROWS)
    return respond(
        "leagues/public.html", "found", leagues=cards, more=more, number=number, search=search
    )


@blueprint.get("/join")
@audience(PUBLIC)
@limit_code_tries
def by_code() -> ResponseReturnValue:
    """Redirect from the field for an invite code to the page of its league."""
    code = request.args.get("code", "")
    if leagues.invited(code) is not None:
        return redirect(url_for("leagues.invitation", code=plain_code(code)), 303)
    if code:
        return _wrong_code(code)
    return respond("leagues/code.html", form=CodeForm(formdata=None))


def _wrong_code(code: str) -> ResponseReturnValue:
    """Count a try that failed, and ask for the code again."""
    note_wrong_code()
    form = CodeForm(formdata=None)
    form.code.data = plain_code(code)
    form.code.errors = [NOT_THERE.text]
    return respond("leagues/code.html", form=form, status=422)


@blueprint.get("/join/<code>")
@audience(PUBLIC)
@limit_code_tries
def invitation(code: str) -> ResponseReturnValue:
    """Show the league that the code invites to, also before sign-in.

    Everybody who has the code may know whom they would play with.
    """
    league = leagues.invited(code)
    if league is None:
        return _wrong_code(code)
    if not current_user.is_authenticated:
        here = url_for("leagues.invitation", code=plain_code(code))
        remember_invitation(here, league.name)
        return respond(
            "leagues/invited.html",
            about=league_queries.about(league),
            members=league_queries.first_members(league.id),
            here=here,
        )
    return _join_page(league, url_for("leagues.accept", code=code))


@blueprint.get("/join/<code>/picture.png")
@audience(PUBLIC)
@limit_code_tries
def invitation_picture(code: str) -> ResponseReturnValue:
    """Send what messengers show of the invitation."""
    league = leagues.invited(code)
    if league is None:
        note_wrong_code()
        abort(404)
    about = league_queries.about(league)
    teams = [team for team, _ in league_queries.first_members(league.id)]
    response: Response = make_response(
        invitation_pictures.picture(
            about,
            teams,
            [club for club, _ in listing.clubs(about.season.id)],
            load_club_colours(),
        )
    )
    response.content_type = TYPE
    response.cache_control.private = True
    response.cache_control.max_age = PICTURE_SECONDS
    return response


@blueprint.post("/join/<code>")
@audience(MEMBER)
@limit_code_tries
def accept(code: str) -> ResponseReturnValue:
    """Join the league that the code invites to."""
    league = leagues.invited(code)
    if league is None:  # the commissioner may have renewed the code since
        return _wrong_code(code)
    return _join(league, url_for("leagues.accept", code=code))


@blueprint.get("/leagues/<slug>/join")
@audience(MEMBER)
def about(slug: str) -> ResponseReturnValue:
    """Show a public league to somebody who may join it."""
    league = leagues.public(slug) or abort(404)
    return _join_page(league, url_for("leagues.join", slug=slug))


@blueprint.post("/leagues/<slug>/join")
@audience(MEMBER)
def join(slug: str) -> ResponseReturnValue:
    """Join a public league."""
    return _join(leagues.public(slug) or abort(404), url_for("leagues.join", slug=slug))


def _join(league: League, action: str) -> ResponseReturnValue:
    form = JoinForm()
    if not form.validate():
        return _join_page(league, action, form, status=422)
    refused = leagues.join(current_user.id, league.id, form.team_name.data or "", now())
    if refused is None:
        choose_team_colour(current_user, form.colour.data)
        return redirect(url_for("fantasy.league", slug=league.slug), 303)
    return _join_page(league, action, form, show_refusals(form, [refused]), 422)


def _join_page(
    league: League,
    action: str,
    form: JoinForm | None = None,
    faults: list[str] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    if form is None:
        if league_queries.is_member(league.id, current_user.id):
            return redirect(url_for("fantasy.league", slug=league.slug), 303)
        form = JoinForm(formdata=None)
        form.team_name.data, form.colour.data = _usual_team_name(), shown_team_colour(current_user)
    about = league_queries.about(league)
    if leagues.is_banned(league.id, current_user.id):
        return respond("leagues/removed.html", about=about, status=status)
    scoring = rulebook.rules_named(league.rules)
    return respond(
        "leagues/join.html",
        about=about,
        members=league_queries.first_members(league.id),
        form=form,
        action=action,
        faults=faults,
        words=words,
        scoring=scoring,
        status=status,
    )


@blueprint.get("/leagues/<slug>/members")
@audience(MEMBER)
def members(slug: str) -> ResponseReturnValue:
    """A page of the members, best first; without a number, the page with the viewer."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    return members_answer(league)


def members_answer(league: League, fault: str = "", status: int = 200) -> ResponseReturnValue:
    """The page of the members, which also answers a commissioner who removes somebody."""
    search = request.args.get("q", "").strip()[:40]
    number = page_number() if "page" in request.args else None
    page = league_queries.members_page(
        league, current_user.id, 1 if search and number is None else number, search
    )
    runs = league.commissioner_id == current_user.id
    team = next((row.team_name for row in page.rows if row.member_id == current_user.id), None)
    return respond(
        "leagues/members.html",
        "members",
        league=league,
        page=page,
        search=search,
        runs=runs,
        fault=fault,
        team=team,
        banned=league_queries.banned(league.id) if runs else [],
        tab="members",
        status=status,
    )


@blueprint.post("/leagues/<slug>/team-name")
@audience(MEMBER)
def rename_team(slug: str) -> ResponseReturnValue:
    """Rename the member's team."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    form = TeamNameForm()
    form.validate()
    if refused := leagues.rename_team(league.id, current_user.id, form.team_name.data or ""):
        return members_answer(league, f"Team name: {refused[0].text}", 422)
    return redirect(url_for("leagues.members", slug=slug), 303)


@blueprint.get("/leagues/<slug>/leave")
@audience(MEMBER)
def leaving(slug: str) -> ResponseReturnValue:
    """Ask before the member leaves."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    return _leave_page(league)


def _leave_page(league: League, fault: str = "") -> ResponseReturnValue:
    """The question before leaving, or why the member cannot leave."""
    stays = leagues.leave_refusal(league, current_user.id)
    return respond(
        "leagues/leave.html",
        league=league,
        tab="members",
        fault=fault,
        stays=stays.text if stays is not None and not fault else "",
        status=422 if fault else 200,
    )


@blueprint.post("/leagues/<slug>/leave")
@audience(MEMBER)
def leave(slug: str) -> ResponseReturnValue:
    """Leave the league."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    refused = leagues.leave(current_user.id, league.id, now())
    if refused is not None:
        return _leave_page(league, refused.text)
    return redirect(url_for("leagues.index"), 303)


@blueprint.get("/leagues/<slug>/rules")
@audience(MEMBER)
def rules(slug: str) -> ResponseReturnValue:
    """The rules of the league, and every change of them with its reason."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    return respond(
        "leagues/rules.html",
        about=league_queries.about(league),
        scoring=rulebook.rules_named(league.rules),
        words=words,
        changes=rule_changes.of(league.id),
        adjusted=adjustments.of(league.id),
        league=league,
        tab="rules",
    )


def _requested_season(seasons: Sequence[Season]) -> Season:
    season_id = query_number("season", most=MAX_ID)
    if season_id is None:
        return seasons[0]
    return next((season for season in seasons if season.id == season_id), None) or abort(404)


def _sport(season: Season) -> str:
    return rulebook.rules_named(season.rules).sport


def _usual_team_name() -> str:
    return f"{current_user.display_name}'s team"[:TEAM_NAME_MAX]
