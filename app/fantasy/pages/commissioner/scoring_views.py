"""Pages of a league's scoring for its commissioner: every number, who would move, the change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import rule_changes, words
from app.fantasy.leagues.rule_changes import NewScoring
from app.fantasy.leagues.rule_setting import may_set_scoring
from app.fantasy.leagues.rules import read_numbers, unusual_numbers
from app.fantasy.market.formats import format_named
from app.fantasy.pages.commissioner.views import my_league, saved
from app.fantasy.pages.membership.forms import ReasonForm, ScoringChoiceForm, show_refusals
from app.fantasy.scoring import pairs, rulebook
from app.fantasy.scoring.rules import PRESETS, ScoringRules
from app.fantasy.scoring.statistics import stat_words, stats_offered
from app.fantasy.standings.models import League

blueprint = Blueprint("league_scoring", __name__, url_prefix="/leagues/<slug>")
CHANGED_MEANWHILE = (
    "The scoring has changed since you opened this page. Compare your values below with the "
    "current scoring, then save again."
)


@dataclass(frozen=True)
class ScoringForm:
    """Points by statistic as a form shows them.

    Attributes:
        base: The scoring rules whose numbers the form began with.
        entered: The points of each statistic as they were typed.
        faults: What is wrong with them, by statistic.
    """

    base: ScoringRules
    entered: dict[str, str]
    faults: dict[str, str] = field(default_factory=dict)


@blueprint.get("/scoring")
@audience(MEMBER)
def scoring(slug: str) -> ResponseReturnValue:
    """Show every number of the scoring. `base` names the scoring to begin with."""
    league = my_league(slug)
    current = rulebook.rules_named(league.rules)
    base = _base(league, request.args.get("base", ""))
    return _scoring_page(league, ScoringForm(base, _numbers(base, current.sport)))


@blueprint.post("/scoring/preview")
@audience(MEMBER)
@limit_costly_work
def preview_scoring(slug: str) -> ResponseReturnValue:
    """Set the scoring at once before the first deadline; afterwards show who would move."""
    league = my_league(slug)
    form, new = _read(league)
    if new is None:
        return _scoring_page(league, form, status=422)
    if _is_stale(league):
        return _scoring_page(league, form, note=CHANGED_MEANWHILE, status=422)
    if refused := rule_changes.refusals(league, new):
        return _scoring_page(league, form, note=refused[0].text, status=422)
    if not may_set_scoring(league, now()):
        return _preview_page(league, form, new, ReasonForm(formdata=None))
    unusual = unusual_numbers(_changed(new.milli_points, league), form.base.sport)
    if unusual and not ScoringChoiceForm().sure.data:
        return _scoring_page(league, form, unusual=unusual, status=422)
    rule_changes.set_scoring(league, new, now())
    return saved(slug)


@blueprint.post("/scoring")
@audience(MEMBER)
@limit_costly_work
def change_scoring(slug: str) -> ResponseReturnValue:
    """Change the scoring of all gameweeks at once, with a reason."""
    league, reason_form = my_league(slug), ReasonForm()
    reason_form.validate()
    form, new = _read(league)
    if new is None:
        return _scoring_page(league, form, status=422)
    if _is_stale(league):
        return _scoring_page(league, form, note=CHANGED_MEANWHILE, status=422)
    reason = reason_form.reason.data or ""
    change = rule_changes.apply(league, new, reason, current_user.id, now())
    if not isinstance(change, list):
        return redirect(url_for("leagues.rules", slug=slug), 303)
    if notes := show_refusals(reason_form, change):
        return _scoring_page(league, form, note=notes[0], status=422)
    return _preview_page(league, form, new, reason_form, 422)


def _preview_page(
    league: League, form: ScoringForm, new: NewScoring, reason_form: ReasonForm, status: int = 200
) -> ResponseReturnValue:
    current = rulebook.rules_named(league.rules)
    return respond(
        "leagues/scoring_preview.html",
        league=league,
        base=form.base,
        entered=form.entered,
        form=reason_form,
        tab="settings",
        numbers=words.changed_numbers(current.milli_points, new.milli_points),
        status=status,
        moves=rule_changes.preview(league, new),
    )


def _scoring_page(
    league: League,
    form: ScoringForm,
    *,
    note: str = "",
    unusual: Mapping[str, int] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    """The form. `note`: what is wrong with all of it; `unusual`: numbers to be confirmed."""
    team_format = format_named(league_queries.choice_of(league.team_rules_id).format)
    return respond(
        "leagues/scoring.html",
        unusual=words.unusual_lines(unusual or {}),
        stat_words=stat_words,
        league=league,
        base=form.base,
        current=rulebook.rules_named(league.rules),
        entered=form.entered,
        faults=form.faults,
        presets=pairs.presets_for(team_format),
        words=words,
        open=may_set_scoring(league, now()),
        note=note,
        tab="settings",
        status=status,
    )


def _is_stale(league: League) -> bool:
    """Whether the scoring has changed since the form was loaded, which sends all its numbers."""
    return (ScoringChoiceForm().rules.data or league.rules) != league.rules


def _changed(numbers: Mapping[str, int], league: League) -> dict[str, int]:
    """The numbers that differ from those of now, so that nobody is asked about the same twice."""
    current = rulebook.rules_named(league.rules).milli_points
    return {stat: points for stat, points in numbers.items() if current.get(stat) != points}


def _base(league: League, name: str) -> ScoringRules:
    """The preset of this name if it is of the league's sport; else the current scoring."""
    current = rulebook.rules_named(league.rules)
    chosen = PRESETS.get(name, current)
    return chosen if chosen.sport == current.sport else current


def _numbers(base: ScoringRules, sport: str) -> dict[str, str]:
    """The numbers of the base as a form shows them."""
    stats = dict.fromkeys((*stats_offered(sport), *base.milli_points))
    return {stat: words.plain_points(base.milli_points.get(stat, 0)) for stat in stats}


def _read(league: League) -> tuple[ScoringForm, NewScoring | None]:
    """The form of the request, and the scoring that it asks for unless the form has faults."""
    base = _base(league, ScoringChoiceForm().base.data or "")
    numbers_of_base = _numbers(base, base.sport)
    typed = {
        stat: request.form[f"points-{stat}"]
        for stat in numbers_of_base
        if f"points-{stat}" in request.form
    }
    numbers = read_numbers(typed, base)
    if isinstance(numbers, list):
        faults = {refusal.field: refusal.text for refusal in numbers}
        return ScoringForm(base, numbers_of_base | typed, faults), None
    return ScoringForm(base, numbers_of_base | typed), NewScoring(base.title, numbers)
