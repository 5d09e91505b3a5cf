"""Pages of a league's scoring for its commissioner.

Every number, who would move, and the change with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import rule_changes, words
from app.fantasy.leagues.rule_changes import Wanted
from app.fantasy.leagues.rule_setting import may_set_scoring
from app.fantasy.leagues.rules import read_numbers, unusual_numbers
from app.fantasy.market.formats import FORMATS
from app.fantasy.pages.commissioner.views import my_league, saved
from app.fantasy.pages.membership.forms import ReasonForm, show_refusals
from app.fantasy.scoring import pairs, rulebook
from app.fantasy.scoring.rules import PRESETS, ScoringRules
from app.fantasy.scoring.statistics import stat_words, stats_offered
from app.fantasy.standings.models import League

blueprint = Blueprint("league_scoring", __name__, url_prefix="/leagues/<slug>")


@blueprint.get("/scoring")
@audience(MEMBER)
def scoring(slug: str) -> ResponseReturnValue:
    """Every number of the scoring. `base`: whose numbers to begin with."""
    league = my_league(slug)
    current = rulebook.rules_named(league.rules)
    base = _base(league, request.args.get("base", ""))
    return _scoring_page(league, base, _entered(base, current.sport))


@blueprint.post("/scoring/preview")
@audience(MEMBER)
def preview_scoring(slug: str) -> ResponseReturnValue:
    """Before the first deadline it is set at once; afterwards this shows who would move."""
    league = my_league(slug)
    base = _base(league, request.form.get("base", ""))
    wanted, entered, faults = _wanted(base)
    if wanted is None:
        return _scoring_page(league, base, entered, faults, status=422)
    if refused := rule_changes.refusals(league, wanted):
        return _scoring_page(league, base, entered, note=refused[0].text, status=422)
    if may_set_scoring(league, now()):
        unusual = unusual_numbers(_changed(wanted.milli_points, league), base.sport)
        if unusual and "sure" not in request.form:
            return _scoring_page(league, base, entered, unusual=unusual, status=422)
        rule_changes.set_scoring(league, wanted, now())
        return saved(slug)
    return _scoring_preview(league, base, wanted, entered, ReasonForm(formdata=None))


@blueprint.post("/scoring")
@audience(MEMBER)
def change_scoring(slug: str) -> ResponseReturnValue:
    league, form = my_league(slug), ReasonForm()
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
    league: League,
    base: ScoringRules,
    wanted: Wanted,
    entered: dict[str, str],
    form: ReasonForm,
    status: int = 200,
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
    unusual: Mapping[str, int] | None = None,
) -> ResponseReturnValue:
    current = rulebook.rules_named(league.rules)
    return respond(
        "leagues/scoring.html",
        unusual=words.unusual_lines(unusual or {}),
        stat_words=stat_words,
        league=league,
        base=base,
        current=current,
        entered=entered,
        faults=faults or {},
        presets=pairs.presets_for(FORMATS[league_queries.choice_of(league.team_rules_id).format]),
        words=words,
        open=may_set_scoring(league, now()),
        note=note,
        tab="settings",
        status=status,
    )


def _changed(numbers: Mapping[str, int], league: League) -> dict[str, int]:
    """Those that are not what they are now: nobody is asked about the same number twice."""
    current = rulebook.rules_named(league.rules).milli_points
    return {stat: points for stat, points in numbers.items() if current.get(stat) != points}


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
