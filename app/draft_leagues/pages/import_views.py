"""Pages that import a league in progress: upload files, look at what they say, confirm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue
from msgspec.structs import replace

from app.accounts.names import cleaned
from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter
from app.core.http.request_validation import takes_more
from app.core.http.responses import allow_connections, respond
from app.core.http.sent_numbers import query_number
from app.core.input_limits import IMPORT_PAGE, LEAGUE_FILES_BYTES, size_in_words
from app.core.numbers import MAX_ID, typed_whole
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.draft_leagues import setting_words as words
from app.draft_leagues.importing.carrying import packed, unpacked
from app.draft_leagues.importing.files import read_league
from app.draft_leagues.importing.planning import ImportAnswers
from app.draft_leagues.importing.rules import match_players
from app.draft_leagues.importing.services import (
    Import,
    known_footballers,
    planned,
    refusals,
    take_over,
)
from app.draft_leagues.importing.sleeper_documents import ADDRESS, ORIGIN
from app.draft_leagues.importing.values import ImportedLeague, ImportedTeam
from app.draft_leagues.name_matching import MOST_SEARCHED
from app.draft_leagues.places import TITLES, lineup_format
from app.draft_leagues.season_facts import scoring_titles
from app.draft_leagues.settings import PRESETS, SlotName
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues.rules import LEAGUE_NAME_MAX
from app.fantasy.market.models import Season
from app.fantasy.pages.membership.forms import ZONES
from app.fantasy.scoring.pairs import presets_for
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import PRESETS as SCORINGS

blueprint = Blueprint("draft_import", __name__, url_prefix=IMPORT_PAGE)

LOST = Refusal("lost", "", "Your upload has expired. Upload the files again.")
NO_SEASON = Refusal("season", "", "No season is open. Try again when the next one is available.")
NO_PRESET = Refusal("preset", "preset", "Choose settings from the list.")
CHOICE, NAME, STARTER = "choice-", "name-", "starter-"
MOST_SLOTS, MOST_BENCH = 10, 30  # of the settings
AT_FIELDS = {"name", "team", "starts_next", "scoring", "roster.starters", "roster.bench"}


@dataclass(frozen=True)
class _Answers:
    """What a member said about an import.

    Attributes:
        choices: Footballers by the keys of the files; '' for somebody who is left out.
        further: What they decided where the files leave a choice.
        refused: What cannot be read.
    """

    name: str
    team: str
    time_zone: str
    choices: dict[str, str]
    further: ImportAnswers
    refused: tuple[Refusal, ...] = ()


@blueprint.get("")
@audience(MEMBER)
def choose() -> ResponseReturnValue:
    """Show the form for files."""
    return _upload_page()


@blueprint.post("")
@audience(MEMBER)
@limiter.limit("30 per hour")
@takes_more(LEAGUE_FILES_BYTES)
def read() -> ResponseReturnValue:
    """Read the files and show what they say."""
    season = _season()
    if season is None:
        return _upload_page([NO_SEASON])
    preset = PRESETS.get(request.form.get("preset", "redraft"))
    if preset is None:
        return _upload_page([NO_PRESET])
    uploads = [
        (upload.filename or "file", upload.read()) for upload in request.files.getlist("files")
    ]
    league = read_league(
        [(name, data) for name, data in uploads if data],
        request.form.get("name", "").strip(),
        replace(preset, time_zone=season.time_zone),
        "files",
    )
    if isinstance(league, Refusal):
        return _upload_page([league])
    zone = season.time_zone
    answers = _Answers(cleaned(league.name)[:LEAGUE_NAME_MAX], "", zone, {}, ImportAnswers())
    return _preview_page(league, season, answers)


@blueprint.post("/confirm")
@audience(MEMBER)
@limiter.limit("60 per hour")
@takes_more(LEAGUE_FILES_BYTES, "league")
def confirm() -> ResponseReturnValue:
    """Import the league, or look again for the players who were not found (`act=check`)."""
    season = _season()
    league = unpacked(request.form.get("league", ""))
    if league is None or season is None:
        return _upload_page([LOST if season is not None else NO_SEASON])
    league = _renamed(league)
    answers = _answers(league)
    if request.form.get("act") == "check":
        chosen = {key: value for key, value in answers.choices.items() if value}
        return _preview_page(league, season, dataclass_replace(answers, choices=chosen))
    new = _import(league, season, answers)
    created = [*answers.refused] or take_over(current_user.id, new, now())
    if isinstance(created, list):
        return _preview_page(league, season, answers, refused=created)
    return redirect(url_for("draft_wizard.front", slug=created.slug, imported=1), 303)


def _answers(league: ImportedLeague) -> _Answers:
    """What the form says; places that are those of the files are no answer."""
    form, roster = request.form, league.settings.roster
    refused: list[Refusal] = []
    starters: dict[SlotName, int] = {}
    for slot, title in TITLES.items():
        count = typed_whole(form.get(f"{STARTER}{slot}", "0"), most=MOST_SLOTS)
        if count is None:
            text = f"{title}: enter a whole number from 0 to {MOST_SLOTS}."
            refused.append(Refusal("starters", "roster.starters", text))
        elif count:
            starters[slot] = count
    bench = typed_whole(form.get("bench", str(roster.bench)), most=MOST_BENCH)
    if bench is None:
        text = f"Bench: enter a whole number from 0 to {MOST_BENCH}."
        refused.append(Refusal("bench", "roster.bench", text))
    scoring = form.get("scoring", "")
    if scoring and scoring not in SCORINGS:
        refused.append(Refusal("scoring", "scoring", "Choose a scoring from the list."))
        scoring = ""
    of_files = {starter.slot: starter.count for starter in roster.starters}
    has_places = any(name.startswith(STARTER) for name in form)
    return _Answers(
        form.get("name", "").strip(),
        form.get("team", ""),
        form.get("time_zone", "").strip(),
        {key.removeprefix(CHOICE): value for key, value in form.items() if key.startswith(CHOICE)},
        ImportAnswers(
            scoring=scoring,
            starters=starters if has_places and starters != of_files else None,
            bench=bench if bench != roster.bench else None,
            starts_next=form.get("starts_next") == "1",
        ),
        tuple(refused),
    )


def _import(league: ImportedLeague, season: Season, answers: _Answers) -> Import:
    matched = match_players(league, known_footballers(season.id), answers.choices)
    return Import(
        answers.name,
        season.id,
        league,
        answers.team,
        matched.ids,
        answers.time_zone,
        answers.further,
    )


def _renamed(league: ImportedLeague) -> ImportedLeague:
    """The league with the names that the member typed for players who were not found."""
    typed = {
        key.removeprefix(NAME): value.strip()[:200]
        for key, value in request.form.items()
        if key.startswith(NAME) and value.strip()
    }
    teams = tuple(_renamed_team(team, typed) for team in league.teams)
    return replace(league, teams=teams)


def _renamed_team(team: ImportedTeam, typed: dict[str, str]) -> ImportedTeam:
    players = tuple(
        replace(player, name=typed.get(player.key, player.name)) for player in team.players
    )
    return replace(team, players=players)


def _upload_page(refused: Sequence[Refusal] = ()) -> ResponseReturnValue:
    page = respond(
        "draft_leagues/import_upload.html",
        most=size_in_words(LEAGUE_FILES_BYTES),
        presets=words.PRESET_WORDS,
        sleeper=ADDRESS,
        has_season=_season() is not None,
        typed=request.form,
        faults=[refusal.text for refusal in refused],
        status=422 if refused else 200,
    )
    allow_connections(page, ORIGIN)  # the page's script fetches the league there
    return page


def _preview_page(
    league: ImportedLeague,
    season: Season,
    answers: _Answers,
    *,
    refused: Sequence[Refusal] | None = None,
) -> ResponseReturnValue:
    """Show what will be stored, and everything that is in its way.

    `refused`: why the import was refused; None if the member has not asked for it yet.
    """
    carried = packed(league)
    if isinstance(carried, Refusal):
        return _upload_page([carried])
    known = known_footballers(season.id)
    matched = match_players(league, known, answers.choices)
    doubtful = {doubt.player.key for doubt in matched.doubts}
    new = _import(league, season, answers)
    plan = planned(new, now())
    titles = scoring_titles(plan.league.settings)
    if plan.league.scoring:
        own_scoring = f"The league's own, {len(plan.league.scoring)} values"
        titles |= {plan.league.settings.scoring: own_scoring}
    # Before the member has asked for the import, it is no fault that no team is chosen.
    faults = refused or [each for each in refusals(new, now()) if each.field != "team"]
    return respond(
        "draft_leagues/import_preview.html",
        decided={key: value for key, value in answers.choices.items() if key not in doubtful},
        most_searched=MOST_SEARCHED,
        plan=plan,
        league=plan.league,
        packed=carried,
        season=season,
        answers=answers,
        matched=matched,
        ids=new.ids,
        known={footballer.id: footballer for footballer in known},
        team_names={team.key: team.name for team in plan.league.teams},
        slots=TITLES,
        counts={each.slot: each.count for each in plan.league.settings.roster.starters},
        bench=league.settings.roster.bench,
        typed=request.form,
        scorings=_scorings(league, plan.league, titles),
        lines=words.lines(plan.league.settings, titles),
        steps=words.STEPS,
        zones=ZONES,
        faults=[refusal.text for refusal in faults if refusal.field not in AT_FIELDS],
        field_faults={refusal.field: refusal.text for refusal in faults},
        status=422 if refused else 200,
    )


def _scorings(
    league: ImportedLeague, stored: ImportedLeague, titles: Mapping[str, str]
) -> dict[str, str]:
    """The scoring that can be chosen, by name; '' for that of the files."""
    scoring_title = f"As in the files, {len(league.scoring)} values"
    if not league.scoring:
        scoring_title = titles.get(league.settings.scoring, league.settings.scoring)
    fitting = presets_for(lineup_format(stored.settings.roster))
    return {"": scoring_title} | {preset.name: preset.title for preset in fitting}


def _season() -> Season | None:
    """The season that is imported into: the newest of football that is open."""
    open_seasons = [
        season
        for season in league_queries.open_seasons(now())
        if rules_named(season.rules).sport == "football"
    ]
    season_id = query_number("season", most=MAX_ID)
    if season_id is None:
        return open_seasons[0] if open_seasons else None
    return next((season for season in open_seasons if season.id == season_id), None)
