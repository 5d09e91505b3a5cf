"""Pages that import a league in progress: upload files, look at what they say, confirm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue
from msgspec.structs import replace

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter
from app.core.http.request_validation import takes_more
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.input_limits import IMPORT_PAGE, LEAGUE_FILES_BYTES, size_in_words
from app.core.numbers import MAX_ID
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.draft_leagues import setting_words as words
from app.draft_leagues.importing.carrying import packed, unpacked
from app.draft_leagues.importing.files import read_league
from app.draft_leagues.importing.fitting import fitted_league
from app.draft_leagues.importing.rules import Matched, match_players
from app.draft_leagues.importing.services import Import, known_footballers, take_over
from app.draft_leagues.importing.values import ImportedLeague, ImportedTeam
from app.draft_leagues.name_matching import MOST_SEARCHED
from app.draft_leagues.season_facts import scoring_titles
from app.draft_leagues.settings import PRESETS
from app.fantasy.leagues import queries as league_queries
from app.fantasy.market.models import Season
from app.fantasy.pages.membership.forms import ZONES
from app.fantasy.scoring.rulebook import rules_named

blueprint = Blueprint("draft_import", __name__, url_prefix=IMPORT_PAGE)

LOST = Refusal("lost", "", "The league got lost on its way. Upload the files again.")
NO_SEASON = Refusal("season", "", "No season is open. Come back when the next one is here.")
CHOICE, NAME = "choice-", "name-"


@dataclass(frozen=True)
class _Answers:
    """What a member said about an import.

    `choices`: footballers by the keys of the files; '' for somebody who is left out.
    """

    name: str
    team: str
    time_zone: str
    choices: dict[str, str]


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
    preset = PRESETS.get(request.form.get("preset", ""), PRESETS["redraft"])
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
    league = fitted_league(league, season.id, now())
    if isinstance(league, Refusal):
        return _upload_page([league])
    answers = _Answers(league.name, "", league.settings.time_zone, {})
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
    choices = {
        key.removeprefix(CHOICE): value
        for key, value in request.form.items()
        if key.startswith(CHOICE)
    }
    answers = _Answers(
        request.form.get("name", "").strip(),
        request.form.get("team", ""),
        request.form.get("time_zone", "").strip(),
        choices,
    )
    if request.form.get("act") == "check":
        chosen = {key: value for key, value in choices.items() if value}
        return _preview_page(league, season, dataclass_replace(answers, choices=chosen))
    matched = match_players(league, known_footballers(season.id), choices)
    created = take_over(
        current_user.id,
        Import(answers.name, season.id, league, answers.team, matched.ids, answers.time_zone),
        now(),
    )
    if isinstance(created, list):
        return _preview_page(league, season, answers, created)
    return redirect(url_for("draft_wizard.front", slug=created.slug, imported=1), 303)


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
    return respond(
        "draft_leagues/import_upload.html",
        most=size_in_words(LEAGUE_FILES_BYTES),
        presets=words.PRESET_WORDS,
        has_season=_season() is not None,
        typed=request.form,
        faults=[refusal.text for refusal in refused],
        status=422 if refused else 200,
    )


def _preview_page(
    league: ImportedLeague, season: Season, answers: _Answers, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    titles = scoring_titles(league.settings)
    if league.scoring:
        titles |= {league.settings.scoring: f"The league's own, {len(league.scoring)} values"}
    carried = packed(league)
    if isinstance(carried, Refusal):
        return _upload_page([carried])
    matched: Matched = match_players(league, known_footballers(season.id), answers.choices)
    doubtful = {doubt.player.key for doubt in matched.doubts}
    return respond(
        "draft_leagues/import_preview.html",
        decided={key: value for key, value in answers.choices.items() if key not in doubtful},
        most_searched=MOST_SEARCHED,
        league=league,
        packed=carried,
        season=season,
        answers=answers,
        matched=matched,
        players=sum(len(team.players) for team in league.teams),
        lines=words.lines(league.settings, titles),
        steps=words.STEPS,
        zones=ZONES,
        faults=[refusal.text for refusal in refused if refusal.field not in {"name", "team"}],
        field_faults={refusal.field: refusal.text for refusal in refused},
        status=422 if refused else 200,
    )


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
