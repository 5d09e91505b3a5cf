"""Changing the settings of a draft league, before its draft and after it, with a preview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened, opened_by_commissioner, refused_problem
from app.api.draft_leagues.leagues import NOT_POSSIBLE, DraftLeagueBody, league_body
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import PROBLEMS, DraftLeaguePath
from app.api.fantasy.shapes import Body, Points, milli
from app.api.operations import POST, PUT
from app.api.security import MemberCaller
from app.core import clock
from app.core.refusals import Refusal
from app.draft_leagues import draft_planning, setting_words
from app.draft_leagues.models import FINISHED, SEASON
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.season_facts import faults_in_season, scoring_titles
from app.draft_leagues.setting_changes import with_origin
from app.draft_leagues.settings import DraftLeagueSettings, version_of
from app.draft_leagues.setup import mid_season
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.mid_season import Effects

PROBLEMS_HERE = PROBLEMS | {422: NOT_POSSIBLE}


STALE = Refusal(
    "changed",
    "version",
    "The settings have changed since you read them. Read the league again and apply your "
    "change to the new settings.",
)


class SettingsQuery(msgspec.Struct, frozen=True):
    """The version of the settings that the caller last read."""

    version: Annotated[
        str,
        Meta(
            pattern=r"^[0-9a-f]{1,64}$",
            description="The `settings_version` you last read. If the settings have changed "
            "since, the request is refused.",
            examples=["5f1e0c9a3b7d2468"],
        ),
    ]


class SettingChangeBody(Body, frozen=True):
    """A setting that changes, in words. An empty string means no value."""

    label: str
    before: str
    after: str


class PlaceChangeBody(Body, frozen=True):
    """A team whose place in the table changes."""

    franchise: int
    before: int
    after: int


class ScoreChangeBody(Body, frozen=True):
    """A team whose points of a gameweek change."""

    franchise: int
    gameweek: Annotated[str, Meta(description="The gameweek's name.")]
    before: Points
    after: Points


class BudgetChangeBody(Body, frozen=True):
    """How much waiver budget a team gains. Negative if it loses some."""

    franchise: int
    amount: int


class SettingChangesBody(Body, frozen=True):
    """Every setting that changes and, after the draft, the effects."""

    changes: Sequence[SettingChangeBody]
    places: Sequence[PlaceChangeBody]
    scores: Sequence[ScoreChangeBody]
    seeds_before: Annotated[
        Sequence[int] | None,
        Meta(description="The playoff seeds before the change. Null if they do not change."),
    ]
    seeds_after: Sequence[int] | None
    added_weeks: Annotated[
        Sequence[str], Meta(description="Gameweeks that join the regular season.")
    ]
    removed_weeks: Sequence[str]
    budgets: Sequence[BudgetChangeBody]
    is_redrawn: Annotated[bool, Meta(description="Whether the whole season's schedule is redrawn.")]


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/settings/preview",
    answers={200: SettingChangesBody},
    problems=PROBLEMS_HERE,
)
def preview_draft_league_settings(
    path: DraftLeaguePath, body: DraftLeagueSettings, caller: PlayerCaller | MemberCaller
) -> SettingChangesBody:
    """Preview a change of the settings, as the commissioner. Nothing is saved.

    After the draft, the preview includes standings, results, playoffs and budgets.
    """
    page = opened_by_commissioner(path, caller)
    body = with_origin(page.settings, body)
    _check(page, body)
    effects = Effects()
    old = page.settings
    if _has_drafted(page):
        previewed = mid_season.preview(page.league.id, body, clock.now())
        if isinstance(previewed, list):
            raise refused_problem(previewed)
        effects = previewed
    titles = scoring_titles(old) | scoring_titles(body)
    seeds_before, seeds_after = effects.seeds or (None, None)
    return SettingChangesBody(
        [
            SettingChangeBody(change.label, change.before, change.after)
            for change in setting_words.changes(old, body, titles)
        ],
        [PlaceChangeBody(each.franchise, each.before, each.after) for each in effects.places],
        [
            ScoreChangeBody(each.franchise, each.gameweek, milli(each.before), milli(each.after))
            for each in effects.scores
        ],
        seeds_before,
        seeds_after,
        effects.added_weeks,
        effects.removed_weeks,
        [BudgetChangeBody(number, amount) for number, amount in effects.budgets.items()],
        effects.is_redrawn,
    )


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/settings",
    answers={200: DraftLeagueBody},
    problems=PROBLEMS_HERE,
)
def put_draft_league_settings(
    path: DraftLeaguePath,
    query: SettingsQuery,
    body: DraftLeagueSettings,
    caller: PlayerCaller | MemberCaller,
) -> DraftLeagueBody:
    """Replace all settings, scoring included, as the commissioner.

    Until the draft begins, all settings can change. After it, what was drafted, played or scheduled
    stays. Sending the same settings again changes nothing. `continues_rosters` is read-only and
    ignored. A `version` other than the current one is refused (`changed`), so that commissioners do
    not overwrite each other's changes.
    """
    page = opened_by_commissioner(path, caller)
    body = with_origin(page.settings, body)
    if body == page.settings:
        return league_body(page)
    if query.version != version_of(page.settings):
        raise refused_problem([STALE])
    _check(page, body)
    league_id, now = page.league.id, clock.now()
    if _has_drafted(page):
        refused = mid_season.change(league_id, body, page.viewer_id, now, expected=page.settings)
    else:
        refused = setup.change_settings(league_id, body, now, expected=page.settings)
    if refused == [setup.CHANGED]:
        refused = [STALE]
    if refused:
        raise refused_problem(refused)
    if not _has_drafted(page):
        draft_planning.follow(league_id, now)
    return league_body(opened(path, caller))


def _has_drafted(page: DraftLeaguePage) -> bool:
    return page.draft_league.phase in (SEASON, FINISHED)


def _check(page: DraftLeaguePage, settings: DraftLeagueSettings) -> None:
    """Raise ProblemError 422 for settings that are impossible before the draft.

    After it the services judge only what has become impossible.
    """
    if _has_drafted(page):
        return
    if refused := faults_in_season(settings, page.league.season_id, clock.now()):
        raise refused_problem(refused, 422)
