"""Pages of a league's commissioner: settings, members, scoring and adjustments. Each act that moves the table is
previewed first: who moves, by how much."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from sqlalchemy import select

from app.accounts.models import Member
from app.core.access import MEMBER, audience
from app.core.clock import now
from app.core.db import db
from app.core.numbers import MAX_ID, as_id, whole_number
from app.core.refusals import Refusal
from app.core.web import respond
from app.fantasy.leagues import adjustments, rule_changes, words
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.rule_changes import Wanted
from app.fantasy.leagues.rules import may_set, read_numbers, read_team_rules
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.pages.league_forms import ZONES, AdjustForm, MemberForm, NameForm, ReasonForm, RulesForm, show_refusals
from app.fantasy.pages.league_views import members_answer
from app.fantasy.scoring import rulebook
from app.fantasy.scoring.rules import PRESETS, ScoringRules
from app.fantasy.scoring.statistics import stat_words, stats_offered
from app.fantasy.standings.models import League

blueprint = Blueprint("commissioner", __name__, url_prefix="/leagues/<slug>")


def _mine(slug: str) -> League:
    return leagues.for_commissioner(slug, current_user.id) or abort(404)


def _settings_page(
    league: League,
    *,
    name: NameForm | None = None,
    rules: RulesForm | None = None,
    faults: list[str] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    scoring = rulebook.rules_named(league.rules)
    first = leagues.first_deadline(league)
    if name is None:
        name = NameForm(formdata=None)
        name.name.data = league.name
    if rules is None:
        rules = RulesForm(formdata=None)
        rules.show(league_queries.choice_of(league.team_rules_id))
        rules.rules.data, rules.mode.data, rules.ties.data = league.rules, league.mode, league.ties
    rules.offer(scoring.sport, scoring)
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
        made="made" in request.args,
        saved="saved" in request.args,
        tab="settings",
        status=status,
    )


def _saved(slug: str) -> ResponseReturnValue:
    return redirect(url_for("commissioner.settings", slug=slug, saved=1), 303)


@blueprint.get("/settings")
@audience(MEMBER)
def settings(slug: str) -> ResponseReturnValue:
    return _settings_page(_mine(slug))


@blueprint.post("/settings/name")
@audience(MEMBER)
def rename(slug: str) -> ResponseReturnValue:
    league, form = _mine(slug), NameForm()
    form.validate()
    if refused := leagues.rename(league.id, form.name.data or "", now()):
        return _settings_page(league, name=form, faults=show_refusals(form, refused), status=422)
    return _saved(slug)


@blueprint.post("/settings/access")
@audience(MEMBER)
def set_access(slug: str) -> ResponseReturnValue:
    league = _mine(slug)
    leagues.set_public(league.id, request.form.get("access") == "public")
    return _saved(slug)


@blueprint.post("/settings/code")
@audience(MEMBER)
def renew_code(slug: str) -> ResponseReturnValue:
    league = _mine(slug)
    leagues.renew_code(league.id)
    return _saved(slug)


@blueprint.post("/settings/rules")
@audience(MEMBER)
def set_rules(slug: str) -> ResponseReturnValue:
    league, form = _mine(slug), RulesForm()
    form.validate()
    scoring = rulebook.rules_named(league.rules)
    choice = read_team_rules(form.team_values(), scoring.sport)
    refused = list(choice) if isinstance(choice, list) else []
    if form.rules.data not in {scoring.name, *(one.name for one in words.presets_for(scoring.sport))}:
        refused.append(Refusal("rules", "rules", "Choose one of the scoring rules."))
    if isinstance(choice, TeamRulesChoice) and not refused:
        refused = leagues.set_rules(
            league.id, choice, form.rules.data, form.mode.data or "", form.ties.data or "", now()
        )
    if refused:
        return _settings_page(league, rules=form, faults=show_refusals(form, refused), status=422)
    return _saved(slug)


@blueprint.get("/hand-over")
@audience(MEMBER)
def handing_over(slug: str) -> ResponseReturnValue:
    league = _mine(slug)
    return respond("leagues/hand_over.html", league=league, form=_member_form(league), faults=[], tab="settings")


@blueprint.post("/hand-over")
@audience(MEMBER)
def hand_over(slug: str) -> ResponseReturnValue:
    league, form = _mine(slug), _member_form(_mine(slug), filled=True)
    chosen = form.member.data or ""
    refused = leagues.hand_over(league.id, whole_number(chosen, most=MAX_ID) or 0, now())
    if refused is not None:
        faults = show_refusals(form, [refused])
        return respond("leagues/hand_over.html", league=league, form=form, faults=faults, tab="settings", status=422)
    return redirect(url_for("leagues.members", slug=slug), 303)


def _member_form(league: League, *, filled: bool = False) -> MemberForm:
    form = MemberForm() if filled else MemberForm(formdata=None)
    others = [choice for choice in league_queries.member_choices(league.id) if choice[0] != str(current_user.id)]
    form.member.choices = [("", "Choose a member"), *others]
    return form


@blueprint.get("/members/<int:member_id>/remove")
@audience(MEMBER)
def removing(slug: str, member_id: int) -> ResponseReturnValue:
    league = _mine(slug)
    if not league_queries.is_member(league.id, member_id):
        abort(404)
    name = db.session.scalar(select(Member.display_name).where(Member.id == member_id))
    return respond("leagues/remove.html", league=league, member_id=member_id, name=name, tab="members")


@blueprint.post("/members/<int:member_id>/remove")
@audience(MEMBER)
def remove(slug: str, member_id: int) -> ResponseReturnValue:
    league = _mine(slug)
    refused = leagues.remove(league.id, member_id, now())
    if refused is not None:
        return members_answer(league, refused.text, 422)
    return redirect(url_for("leagues.members", slug=slug), 303)


@blueprint.post("/members/<int:member_id>/let-back")
@audience(MEMBER)
def let_back(slug: str, member_id: int) -> ResponseReturnValue:
    leagues.let_back(_mine(slug).id, member_id)
    return redirect(url_for("leagues.members", slug=slug), 303)


@blueprint.get("/adjust")
@audience(MEMBER)
def adjusting(slug: str) -> ResponseReturnValue:
    """The form, and once it is filled in the preview: reading it changes nothing, so it has an address."""
    league = _mine(slug)
    asked = bool(request.args)
    form = AdjustForm(formdata=request.args if asked else None)
    if not asked:
        return _adjust_page(league, form)
    return _adjust_preview(league, form)


def _adjust_preview(
    league: League, form: AdjustForm, refused: list[Refusal] | None = None, status: int = 200
) -> ResponseReturnValue:
    wanted = adjustments.read(league, form.member.data or "", form.gameweek.data or "", form.points.data or "", now())
    if isinstance(wanted, list):
        show_refusals(form, wanted)
        return _adjust_page(league, form, status=422)
    show_refusals(form, refused or [])
    seen, moves = adjustments.newest(league.id), adjustments.preview(league, wanted)
    return _adjust_page(league, form, status=status, moves=moves, wanted=wanted, seen=seen)


@blueprint.post("/adjust")
@audience(MEMBER)
def adjust(slug: str) -> ResponseReturnValue:
    league, form = _mine(slug), AdjustForm()
    form.validate()
    wanted = adjustments.read(league, form.member.data or "", form.gameweek.data or "", form.points.data or "", now())
    if isinstance(wanted, list):
        return _adjust_preview(league, form)
    seen = request.form.get("seen", type=as_id)
    made = adjustments.apply(league, wanted, form.reason.data or "", current_user.id, now(), seen=seen)
    if isinstance(made, list):
        return _adjust_preview(league, form, made, 422)
    return redirect(url_for("leagues.rules", slug=slug), 303)


def _adjust_page(league: League, form: AdjustForm, status: int = 200, **shown: Any) -> ResponseReturnValue:
    form.member.choices = league_queries.member_choices(league.id)
    weeks = adjustments.begun(league, now())
    form.gameweek.choices = [(str(week.id), week.name) for week in weeks]
    return respond(
        "leagues/adjust.html",
        league=league,
        form=form,
        weeks=weeks,
        tab="settings",
        status=status,
        **({"moves": None, "wanted": None, "seen": 0} | shown),
    )


@blueprint.get("/scoring")
@audience(MEMBER)
def scoring(slug: str) -> ResponseReturnValue:
    """Every number of the scoring. `base`: whose numbers to begin with."""
    league = _mine(slug)
    current = rulebook.rules_named(league.rules)
    base = _base(league, request.args.get("base", ""))
    return _scoring_page(league, base, _entered(base, current.sport))


@blueprint.post("/scoring/preview")
@audience(MEMBER)
def preview_scoring(slug: str) -> ResponseReturnValue:
    """Before the first deadline it is set at once; afterwards this shows who would move."""
    league = _mine(slug)
    base = _base(league, request.form.get("base", ""))
    wanted, entered, faults = _wanted(base)
    if wanted is None:
        return _scoring_page(league, base, entered, faults, status=422)
    if refused := rule_changes.refusals(league, wanted):
        return _scoring_page(league, base, entered, note=refused[0].text, status=422)
    if may_set(leagues.first_deadline(league), now()):
        rule_changes.set_scoring(league, wanted, now())
        return _saved(slug)
    return _scoring_preview(league, base, wanted, entered, ReasonForm(formdata=None))


@blueprint.post("/scoring")
@audience(MEMBER)
def change_scoring(slug: str) -> ResponseReturnValue:
    league, form = _mine(slug), ReasonForm()
    form.validate()
    base = _base(league, request.form.get("base", ""))
    wanted, entered, faults = _wanted(base)
    if wanted is None:
        return _scoring_page(league, base, entered, faults, status=422)
    made = rule_changes.apply(league, wanted, form.reason.data or "", current_user.id, now())
    if not isinstance(made, list):
        return redirect(url_for("leagues.rules", slug=slug), 303)
    if rest := show_refusals(form, made):
        return _scoring_page(league, base, entered, note=rest[0], status=422)
    return _scoring_preview(league, base, wanted, entered, form, 422)


def _scoring_preview(
    league: League, base: ScoringRules, wanted: Wanted, entered: dict[str, str], form: ReasonForm, status: int = 200
) -> ResponseReturnValue:
    current = rulebook.rules_named(league.rules)
    return respond(
        "leagues/scoring_preview.html",
        league=league,
        base=base,
        entered=entered,
        form=form,
        tab="settings",
        numbers=words.changed_numbers(current.milli_points, wanted.milli_points),
        status=status,
        moves=rule_changes.preview(league, wanted),
    )


def _scoring_page(
    league: League,
    base: ScoringRules,
    entered: dict[str, str],
    faults: dict[str, str] | None = None,
    note: str = "",
    status: int = 200,
) -> ResponseReturnValue:
    current = rulebook.rules_named(league.rules)
    first = leagues.first_deadline(league)
    return respond(
        "leagues/scoring.html",
        stat_words=stat_words,
        league=league,
        base=base,
        current=current,
        entered=entered,
        faults=faults or {},
        presets=words.presets_for(current.sport),
        words=words,
        open=may_set(first, now()),
        note=note,
        tab="settings",
        status=status,
    )


def _base(league: League, name: str) -> ScoringRules:
    """A preset of the league's sport, or what the league has now."""
    current = rulebook.rules_named(league.rules)
    chosen = PRESETS.get(name, current)
    return chosen if chosen.sport == current.sport else current


def _entered(base: ScoringRules, sport: str) -> dict[str, str]:
    """The base's numbers as a form shows them."""
    stats = dict.fromkeys((*stats_offered(sport), *base.milli_points))
    return {stat: words.plain_points(base.milli_points.get(stat, 0)) for stat in stats}


def _wanted(base: ScoringRules) -> tuple[Wanted | None, dict[str, str], dict[str, str]]:
    """What the form asks for, the numbers as entered, and what is wrong with them by statistic."""
    entered = {stat: request.form.get(f"points-{stat}", "") for stat in _entered(base, base.sport)}
    numbers = read_numbers(entered, base)
    if isinstance(numbers, list):
        return None, entered, {refusal.field: refusal.text for refusal in numbers}
    return Wanted(base.title, numbers), entered, {}
