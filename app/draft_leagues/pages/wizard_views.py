"""The wizard: found a draft league by one tap, and change its settings step by step.

Until the draft begins everything may change, and afterwards what `setting_changes` lets. Each step
shows what would change before it is saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm

from app.accounts.team_colour_field import choose_team_colour, shown_team_colour
from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.numbers import MAX_ID
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.draft_leagues import draft_planning, league_clock
from app.draft_leagues import setting_words as words
from app.draft_leagues.drafts.ranking import plan_of
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.importing.services import has_imported_results
from app.draft_leagues.models import FINISHED, SEASON, SETUP, DraftLeague
from app.draft_leagues.pages.shown_settings import encoded, later_changes
from app.draft_leagues.pages.wizard_forms import (
    STEP_FORMS,
    DraftStep,
    FoundForm,
    LeagueStep,
    StepForm,
)
from app.draft_leagues.places import TITLES
from app.draft_leagues.season_facts import faults_in_season, scoring_titles, season_facts
from app.draft_leagues.setting_fitting import fitted, with_teams_that_fit
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings
from app.draft_leagues.setup import mid_season
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import BEGUN, NewDraftLeague
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.leagues import owners
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.rules import TEAM_NAME_MAX
from app.fantasy.market.models import Season
from app.fantasy.pages.commissioner.access import refuse
from app.fantasy.pages.membership.forms import ZONES
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import League

blueprint = Blueprint("draft_wizard", __name__)


@dataclass(frozen=True)
class _Loaded:
    """A draft league with its settings. `runs_it`: whether the viewer may change them."""

    league: League
    draft_league: DraftLeague
    settings: DraftLeagueSettings
    runs_it: bool

    @property
    def is_open(self) -> bool:
        """Whether the draft has not begun, so that all settings can change."""
        return self.draft_league.phase == SETUP

    @property
    def has_drafted(self) -> bool:
        """Whether the draft is over; some settings can change then."""
        return self.draft_league.phase in (SEASON, FINISHED)


@dataclass(frozen=True)
class _Requested:
    """The settings that a form asks for. `effects`: what follows from them after the draft."""

    settings: DraftLeagueSettings
    effects: mid_season.Effects | None = None


@blueprint.get("/leagues/draft/new")
@audience(MEMBER)
def new() -> ResponseReturnValue:
    """Show the form for a new draft league."""
    seasons = _seasons()
    form = FoundForm(formdata=None)
    form.team_name.data = f"{current_user.display_name}'s team"[:TEAM_NAME_MAX]
    form.colour.data = shown_team_colour(current_user)
    if seasons:
        form.time_zone.data = _season(seasons).time_zone
    return _new(form, seasons)


@blueprint.post("/leagues/draft/new")
@audience(MEMBER)
@limiter.limit("20 per hour")
def create() -> ResponseReturnValue:
    """Found a draft league by a preset."""
    seasons, form = _seasons(), FoundForm()
    if not seasons:
        return redirect(url_for("draft_wizard.new"), 303)
    is_valid = form.validate()
    season = _season(seasons)
    preset = PRESETS.get(form.preset.data or "")
    if preset is None:
        return _new(form, seasons, [Refusal("preset", "preset", "Choose a league type.")])
    wrong_names = setup.name_refusals(form.name.data or "", form.team_name.data or "")
    facts = season_facts(season.id, now())
    settings = form.read(with_teams_that_fit(preset, facts))
    if isinstance(settings, list):
        return _new(form, seasons, [*wrong_names, *settings])
    settings = fitted(settings, facts)
    refusals = [*wrong_names, *faults_in_season(settings, season.id, now())]
    if refusals or not is_valid:
        return _new(form, seasons, refusals)
    created = setup.found(
        current_user.id,
        NewDraftLeague(
            form.name.data or "",
            form.team_name.data or "",
            season.id,
            settings,
            is_public=form.access.data == "public",
        ),
        now(),
    )
    if isinstance(created, list):
        return _new(form, seasons, created)
    choose_team_colour(current_user, form.colour.data)
    return redirect(url_for("draft_wizard.front", slug=created.slug, made=1), 303)


def _new(
    form: FoundForm, seasons: Sequence[Season], refusals: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    faults = _shown(form, refusals, lambda path: path)
    season = _season(seasons) if seasons else None
    return respond(
        "draft_leagues/wizard_new.html",
        form=form,
        seasons=seasons,
        season=season,
        presets=words.PRESET_WORDS,
        teams=_teams_by_preset(season.id) if season else {},
        zones=ZONES,
        faults=faults,
        is_new=request.method == "GET",
        status=422 if refusals or form.errors else 200,
    )


def _teams_by_preset(season_id: int) -> dict[str, int]:
    facts = season_facts(season_id, now())
    return {name: with_teams_that_fit(preset, facts).franchises for name, preset in PRESETS.items()}


@blueprint.get("/leagues/<slug>/setup")
@audience(MEMBER)
def front(slug: str) -> ResponseReturnValue:
    """Show a draft league before its draft: whom to invite, who is here, and the settings."""
    return _front(_load(slug))


def _front(loaded: _Loaded, refusals: Sequence[Refusal] = ()) -> ResponseReturnValue:
    teams = franchises.teams(loaded.league.id)
    return respond(
        "draft_leagues/wizard_front.html",
        league=loaded.league,
        teams=teams,
        free=owners.waiting_for_owners(loaded.league.id),
        settings=loaded.settings,
        runs_it=loaded.runs_it,
        is_open=loaded.is_open,
        is_new="made" in request.args,
        is_imported="imported" in request.args,
        has_results=has_imported_results(loaded.league.id),
        draft=draft_planning.draft_of(loaded.league.id),
        order=_order(loaded, teams),
        typed=request.form or _planned(loaded),
        faults={refusal.field: refusal.text for refusal in refusals},
        tab="setup",
        status=422 if refusals else 200,
    )


def _planned(loaded: _Loaded) -> dict[str, str]:
    """The date and the order of a draft that waits, as the form has them.

    A rookie draft that nobody has planned begins with the last of the season before.
    """
    draft = draft_planning.draft_of(loaded.league.id)
    if draft is None:
        if not loaded.settings.drafts_rookies:
            return {}
        teams = sorted(franchises.teams(loaded.league.id), key=lambda team: team.waiver_priority)
        return {"order": ", ".join(str(team.number) for team in teams)}
    starts_at = ""
    if draft.starts_at is not None:
        local = draft.starts_at.astimezone(ZoneInfo(loaded.settings.time_zone))
        starts_at = f"{local:%Y-%m-%dT%H:%M}"
    order = "" if draft.lottery_seed else ", ".join(map(str, plan_of(draft).order))
    return {"starts_at": starts_at, "order": order}


def _order(loaded: _Loaded, teams: Sequence[franchises.Team]) -> list[str]:
    """The names of the teams in the order of the first round; empty before it is known."""
    draft = draft_planning.draft_of(loaded.league.id)
    if draft is None or (draft.lottery_seed and draft.drawn_at is None):
        return []
    names = {team.number: team.name for team in teams}
    plan = plan_of(draft)
    owners = {pick.original: pick.owner for pick in plan.traded if pick.round == 1}
    numbers = [owners.get(number, number) for number in plan.order]
    return [names[number] for number in numbers if number in names]


@blueprint.post("/leagues/<slug>/setup/draft-date")
@audience(MEMBER)
def set_date(slug: str) -> ResponseReturnValue:
    """Plan the draft: when it begins, and in which order."""
    loaded = _load_for_commissioner(slug)
    starts, order = request.form.get("starts_at", ""), request.form.get("order", "")
    date = draft_planning.read_date(starts, order, loaded.settings.time_zone)
    refusals = date if isinstance(date, list) else []
    if isinstance(date, draft_planning.DraftDate):
        refusals = draft_planning.schedule(loaded.league.id, date, current_user.id, now())
    if refusals:
        return _front(loaded, refusals)
    return redirect(url_for("draft_wizard.front", slug=slug), 303)


@blueprint.get("/leagues/<slug>/draft")
@audience(MEMBER)
def draft_room(slug: str) -> ResponseReturnValue:
    """Redirect to the league's draft, after its plan has followed what changed in the league."""
    draft_id = draft_planning.follow(_load(slug).league.id, now())
    if draft_id is None:
        return redirect(url_for("draft_wizard.front", slug=slug), 303)
    return redirect(url_for("drafts.room", draft_id=draft_id), 303)


def _show_step(slug: str, step: str) -> ResponseReturnValue:
    """Show a step of the settings."""
    loaded = _load_for_commissioner(slug)
    form = _form(step, loaded, posted=False)
    form.show(loaded.settings)
    return _step(loaded, step, form)


def _change_step(slug: str, step: str) -> ResponseReturnValue:
    """Save a step, or show what it would change (without `act=save`)."""
    loaded = _load_for_commissioner(slug)
    form = _form(step, loaded, posted=True)
    form.validate()
    settings = form.read(loaded.settings)
    if isinstance(settings, list):
        return _step(loaded, step, form, settings)
    before = request.form.get("shown")
    if before is not None and (refusals := later_changes(before, step, loaded.settings, settings)):
        form.show(loaded.settings)
        return _step(loaded, step, form, refusals)
    if loaded.has_drafted:
        return _change_after_draft(loaded, step, form, settings)
    refusals = faults_in_season(settings, loaded.league.season_id, now())
    if refusals or request.form.get("act") != "save":
        return _step(loaded, step, form, refusals, _Requested(settings))
    if refusals := setup.change_settings(
        loaded.league.id, settings, now(), expected=loaded.settings
    ):
        return _step(loaded, step, form, refusals, _Requested(settings))
    draft_planning.follow(loaded.league.id, now())
    return redirect(url_for(f"draft_wizard.show_{step}", slug=slug, saved=1), 303)


def _change_after_draft(
    loaded: _Loaded, step: str, form: StepForm, settings: DraftLeagueSettings
) -> ResponseReturnValue:
    """Change settings that can still change, or show everything that would follow."""
    league_id = loaded.league.id
    effects = mid_season.preview(league_id, settings, now())
    if isinstance(effects, list):
        return _step(loaded, step, form, effects, _Requested(settings))
    if request.form.get("act") != "save":
        return _step(loaded, step, form, (), _Requested(settings, effects))
    if refusals := mid_season.change(
        league_id, settings, current_user.id, now(), expected=loaded.settings
    ):
        return _step(loaded, step, form, refusals, _Requested(settings))
    slug = loaded.league.slug
    return redirect(url_for(f"draft_wizard.show_{step}", slug=slug, saved=1), 303)


def _add_step(step: str) -> None:
    """Add the pages of a step. Each has its own address, because each has a form of its own."""
    path = f"/leagues/<slug>/setup/{step}"

    @blueprint.get(path, endpoint=f"show_{step}")
    @audience(MEMBER)
    def show(slug: str) -> ResponseReturnValue:
        return _show_step(slug, step)

    @blueprint.post(path, endpoint=f"change_{step}")
    @audience(MEMBER)
    def change(slug: str) -> ResponseReturnValue:
        return _change_step(slug, step)


for _name in words.STEPS:
    _add_step(_name)


def _step(
    loaded: _Loaded,
    step: str,
    form: StepForm,
    refusals: Sequence[Refusal] = (),
    requested: _Requested | None = None,
) -> ResponseReturnValue:
    """The page of a step. `requested`: what the form asks for, once it can be read."""
    steps = list(words.STEPS)
    following = steps[steps.index(step) + 1 :]
    changed = None
    if requested is not None:
        settings = requested.settings
        titles = scoring_titles(loaded.settings) | scoring_titles(settings) if not refusals else {}
        changed = words.changes(loaded.settings, settings, titles)
    faults = _shown(form, refusals, form.field_of)
    can_change = loaded.is_open or (loaded.has_drafted and step != "draft")
    if not can_change and BEGUN.text not in faults:
        faults.append(BEGUN.text)
    return respond(
        "draft_leagues/wizard_step.html",
        "changes",
        league=loaded.league,
        shown=encoded(loaded.settings),
        form=form,
        step=step,
        steps=words.STEPS,
        following=following[0] if following else None,
        slots=TITLES,
        zones=ZONES,
        changes=changed,
        faults=faults,
        refusals=refusals,
        is_fragment=bool(request.htmx),
        can_change=can_change,
        has_drafted=loaded.has_drafted,
        effects=requested.effects if requested is not None else None,
        names={team.number: team.name for team in franchises.teams(loaded.league.id)},
        saved="saved" in request.args and not refusals,
        tab="settings",
        runs_it=True,
        status=422 if refusals else 200,
    )


def _shown(
    form: FlaskForm, refusals: Iterable[Refusal], field_of: Callable[[str], str]
) -> list[str]:
    """Put each refusal at its field, and return the texts of those that no field here shows."""
    texts = []
    for refusal in refusals:
        name = field_of(refusal.field)
        if name and name in form:
            form[name].errors = [*form[name].errors, refusal.text]
        else:
            texts.append(refusal.text)
    return texts


def _form(step: str, loaded: _Loaded, *, posted: bool) -> StepForm:
    kind = STEP_FORMS[step]
    form = kind() if posted else kind(formdata=None)
    if isinstance(form, LeagueStep):
        scoring = rules_named(loaded.settings.scoring)
        form.offer_scoring(scoring.name, scoring.title)
    if isinstance(form, DraftStep) and loaded.settings.drafts_rookies:
        del form.rounds  # the rookie draft has its rounds with the keepers
    return form


def _load(slug: str) -> _Loaded:
    """The draft league for one of its members; others get a 404.

    What the clock has decided by now is settled first, such as trades of picks, after which the
    number of teams stays.
    """
    league = leagues.for_member(slug, current_user.id) or abort(404)
    league_clock.settle(league.id, now())
    draft_league = franchises.draft_league(league.id) or abort(404)
    runs_it = franchises.runs_league(league.id, current_user.id)
    return _Loaded(league, draft_league, settings_of(draft_league), runs_it)


def _load_for_commissioner(slug: str) -> _Loaded:
    """As `_load`, for whoever runs the league; its other members get a 403."""
    loaded = _load(slug)
    return loaded if loaded.runs_it else refuse(loaded.league)


def _seasons() -> list[Season]:
    """The seasons in which a draft league can be founded: those of football."""
    return [
        season
        for season in league_queries.open_seasons(now())
        if rules_named(season.rules).sport == "football"
    ]


def _season(seasons: Sequence[Season]) -> Season:
    season_id = query_number("season", most=MAX_ID)
    if season_id is None:
        return seasons[0]
    return next((season for season in seasons if season.id == season_id), None) or abort(404)
