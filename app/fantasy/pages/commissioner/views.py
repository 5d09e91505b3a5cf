"""Pages of a league's commissioner: settings and members.

The other pages of the commissioner are in adjustment_views.py and scoring_views.py.
"""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from app.accounts.models import Member
from app.core.clock import now
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.http.sent_numbers import form_number
from app.core.numbers import MAX_ID, whole_number
from app.core.viewer import current_user
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues import words
from app.fantasy.leagues.queries import FoundMembers
from app.fantasy.leagues.rule_setting import STOPS, LeagueRules, first_deadline, stopping
from app.fantasy.leagues.rule_setting import set_rules as set_league_rules
from app.fantasy.leagues.rules import may_set
from app.fantasy.market.seasons import gameweeks_of
from app.fantasy.pages.commissioner.access import load_for_commissioner
from app.fantasy.pages.membership.forms import (
    ZONES,
    AccessForm,
    AdjustForm,
    MemberForm,
    NameForm,
    RulesForm,
    show_refusals,
)
from app.fantasy.pages.membership.views import members_answer
from app.fantasy.scoring import rulebook
from app.fantasy.standings.models import League

blueprint = Blueprint("commissioner", __name__, url_prefix="/leagues/<slug>")


def my_league(slug: str) -> League:
    """Load the league for its commissioner; its members get a 403, others a 404."""
    return load_for_commissioner(slug)


def _settings_page(
    league: League,
    *,
    name: NameForm | None = None,
    rules: RulesForm | None = None,
    faults: list[str] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    scoring = rulebook.rules_named(league.rules)
    first = first_deadline(league)
    if name is None:
        name = NameForm(formdata=None)
        name.name.data = league.name
    if rules is None:
        rules = RulesForm(formdata=None)
        rules.show(league_queries.choice_of(league.team_rules_id))
        rules.rules.data, rules.mode.data, rules.ties.data = league.rules, league.mode, league.ties
        rules.first_week.data = str(league.first_week)
    rules.offer(scoring.sport, scoring)
    rules.offer_weeks(gameweeks_of(league.season_id))
    return respond(
        "leagues/settings.html",
        league=league,
        name=name,
        form=rules,
        zones=ZONES,
        faults=faults or [],
        about=league_queries.about(league),
        scoring=scoring,
        words=words,
        first=first,
        open=may_set(first, now()),
        is_new="made" in request.args,
        saved="saved" in request.args,
        tab="settings",
        status=status,
    )


def saved(slug: str) -> ResponseReturnValue:
    """Redirect to the settings, which confirm the change."""
    return redirect(url_for("commissioner.settings", slug=slug, saved=1), 303)


@blueprint.get("/settings")
@audience(MEMBER)
def settings(slug: str) -> ResponseReturnValue:
    """Show the settings."""
    return _settings_page(my_league(slug))


@blueprint.post("/settings/name")
@audience(MEMBER)
def rename(slug: str) -> ResponseReturnValue:
    """Rename the league."""
    league, form = my_league(slug), NameForm()
    form.validate()
    if refused := leagues.rename(league.id, form.name.data or "", now()):
        return _settings_page(league, name=form, faults=show_refusals(form, refused), status=422)
    return saved(slug)


@blueprint.post("/settings/access")
@audience(MEMBER)
def set_access(slug: str) -> ResponseReturnValue:
    """Set who may join."""
    league = my_league(slug)
    leagues.set_public(league.id, AccessForm().access.data == "public")
    return saved(slug)


@blueprint.post("/settings/code")
@audience(MEMBER)
def renew_code(slug: str) -> ResponseReturnValue:
    """Replace the invite code."""
    league = my_league(slug)
    leagues.renew_code(league.id)
    return saved(slug)


@blueprint.post("/settings/rules")
@audience(MEMBER)
def set_rules(slug: str) -> ResponseReturnValue:
    """Set the rules of the league."""
    league, form = my_league(slug), RulesForm()
    form.validate()
    scoring = rulebook.rules_named(league.rules)
    rules = form.read(scoring.sport, gameweeks_of(league.season_id), scoring)
    if isinstance(rules, list):
        return _settings_page(league, rules=form, faults=show_refusals(form, rules), status=422)
    confirmed_stops = form_number("seen") or 0
    refused = set_league_rules(league.id, rules, now(), confirmed_stops=confirmed_stops)
    if STOPS in refused:
        return _stopping_page(league, form, rules)
    if refused:
        return _settings_page(league, rules=form, faults=show_refusals(form, refused), status=422)
    return saved(slug)


def _stopping_page(league: League, form: RulesForm, rules: LeagueRules) -> ResponseReturnValue:
    """Ask before team sheets stop counting."""
    return respond(
        "leagues/stopping.html",
        league=league,
        form=form,
        stopping=stopping(league, rules.teams, rules.first_week),
        tab="settings",
        status=422,
    )


@blueprint.get("/hand-over")
@audience(MEMBER)
def handing_over(slug: str) -> ResponseReturnValue:
    """The form, whose fragment lists the members that the search `q` finds."""
    return _hand_over_page(my_league(slug), MemberForm(formdata=None))


@blueprint.post("/hand-over")
@audience(MEMBER)
def hand_over(slug: str) -> ResponseReturnValue:
    """Make another member the commissioner."""
    league, form = my_league(slug), MemberForm()
    refused = leagues.hand_over(
        league.id, whole_number(form.member.data or "", most=MAX_ID) or 0, now()
    )
    if refused is not None:
        return _hand_over_page(league, form, show_refusals(form, [refused]), 422)
    return redirect(url_for("leagues.members", slug=slug), 303)


def _hand_over_page(
    league: League, form: MemberForm, faults: list[str] | None = None, status: int = 200
) -> ResponseReturnValue:
    members = offer_members(league, form, but=current_user.id, active_only=True)
    return respond(
        "leagues/hand_over.html",
        "found",
        league=league,
        form=form,
        candidates=members,
        faults=faults or [],
        tab="settings",
        status=status,
    )


def offer_members(
    league: League,
    form: MemberForm | AdjustForm,
    *,
    but: int | None = None,
    active_only: bool = False,
) -> FoundMembers:
    """Search for the members that the request asks for, and offer them in the form.

    A member who was chosen before stays among them.

    Args:
        league: The league whose members are searched.
        form: Its choice of a member is filled.
        but: A member who is left out.
        active_only: Whether to leave out members who cannot play any more.
    """
    search = request.values.get("q", "").strip()[:40]
    chosen = whole_number(form.member.data or "", most=MAX_ID)
    members = league_queries.find_members(
        league.id, search, chosen=chosen, but=but, active_only=active_only
    )
    form.member.choices = dict(members.choices)
    return members


@blueprint.get("/members/<int:member_id>/remove")
@audience(MEMBER)
def removing(slug: str, member_id: int) -> ResponseReturnValue:
    """Ask before a member is removed, or say what to do instead."""
    league = my_league(slug)
    if not league_queries.is_member(league.id, member_id):
        abort(404)
    name = db.session.scalar(select(Member.display_name).where(Member.id == member_id))
    return respond(
        "leagues/remove.html",
        league=league,
        member_id=member_id,
        name=name,
        refusal=leagues.remove_refusal(league, member_id),
        tab="members",
    )


@blueprint.post("/members/<int:member_id>/remove")
@audience(MEMBER)
def remove(slug: str, member_id: int) -> ResponseReturnValue:
    """Remove a member."""
    league = my_league(slug)
    refused = leagues.remove(league.id, member_id, now())
    if refused is not None:
        return members_answer(league, refused.text, 422)
    return redirect(url_for("leagues.members", slug=slug), 303)


@blueprint.post("/members/<int:member_id>/let-back")
@audience(MEMBER)
def let_back(slug: str, member_id: int) -> ResponseReturnValue:
    """Allow a removed member to join again."""
    leagues.let_back(my_league(slug).id, member_id)
    return redirect(url_for("leagues.members", slug=slug), 303)
