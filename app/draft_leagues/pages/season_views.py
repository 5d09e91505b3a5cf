"""Pages of a draft league's season: standings with reasons, the schedule, the bracket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint
from flask.typing import ResponseReturnValue

from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.numbers import MAX_ID
from app.core.viewer import current_user
from app.draft_leagues.models import DRAFTING, SETUP
from app.draft_leagues.pages.loading import DraftLeaguePage, load
from app.draft_leagues.season import words
from app.draft_leagues.season.bracket import BracketGame, BracketPart, bracket_parts
from app.draft_leagues.season.history import load_history
from app.draft_leagues.season.queries import SeasonView, bracket_changes, load_season
from app.draft_leagues.season.schedule import regular_season
from app.draft_leagues.season.table import Place, all_play, strength_of_schedule
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.fixtures import Pair

blueprint = Blueprint("draft_season", __name__, url_prefix="/leagues/<slug>")


@dataclass(frozen=True)
class ScheduledWeek:
    """A gameweek of the schedule.

    `is_preview`: the games may still change, because the draft has not begun.
    """

    gameweek: Gameweek
    pairs: Sequence[Pair]
    is_preview: bool


@dataclass(frozen=True)
class PlayoffWeek:
    """A week of the play-offs on the schedule.

    Attributes:
        gameweek: None while the season does not have it yet.
        title: The round of the championship that is played in it.
    """

    week: int
    name: str
    title: str
    gameweek: Gameweek | None
    games: Sequence[BracketGame]


@dataclass(frozen=True)
class ChangeOfBracket:
    """What a correction changed in the play-offs; `gameweek`: its name, None for the champion."""

    changed_at: datetime
    gameweek: str | None
    text: str


@blueprint.get("/standings")
@audience(MEMBER)
def standings(slug: str) -> ResponseReturnValue:
    """Show the table, who would reach the play-offs, and why each place is what it is."""
    page = load(slug)
    view = load_season(page.league.id)
    count = len(view.teams)
    records = {place.franchise: place.record for place in view.table}
    return respond(
        "draft_leagues/standings.html",
        league=page.league,
        view=view,
        season_line=_season_line(view),
        table=view.table,
        groups=_by_division(view),
        seeds={number: seed for seed, number in enumerate(view.playoffs.seeds, start=1)},
        team_of=page.team_of,
        mine=page.mine.number if page.mine is not None else 0,
        all_play=all_play(count, view.weeks),
        strength=strength_of_schedule(
            records, [view.pairs.get(week.id, ()) for week in view.regular]
        ),
        tab="standings",
        runs_it=page.runs_it,
    )


@blueprint.get("/schedule")
@audience(MEMBER)
def schedule(slug: str) -> ResponseReturnValue:
    """Show who meets whom in the whole season."""
    page = load(slug)
    view = load_season(page.league.id)
    return respond(
        "draft_leagues/schedule.html",
        league=page.league,
        weeks=scheduled_weeks(page, view),
        unknown_weeks=_unknown_weeks(view),
        playoff_weeks=_playoff_weeks(view),
        view=view,
        team_of=page.team_of,
        mine=page.mine.number if page.mine is not None else 0,
        tab="schedule",
        runs_it=page.runs_it,
    )


@blueprint.get("/bracket")
@audience(MEMBER)
def bracket(slug: str) -> ResponseReturnValue:
    """Show the play-offs; before the regular season is over, as they would be now."""
    page = load(slug)
    view = load_season(page.league.id)
    return respond(
        "draft_leagues/bracket.html",
        "bracket",
        league=page.league,
        view=view,
        parts=_bracket(view),
        champion=page.draft_league.champion,
        changes=_changes(page),
        team_of=page.team_of,
        mine=page.mine.number if page.mine is not None else 0,
        tab="bracket",
        runs_it=page.runs_it,
    )


@blueprint.get("/records")
@audience(MEMBER)
def records(slug: str) -> ResponseReturnValue:
    """Show titles, streaks and scores of all seasons, and one team's games against each other."""
    page = load(slug)
    history = load_history(page.league.id)
    careers = {career.member: career for career in history.records.careers}
    chosen_member = query_number("who", most=MAX_ID)
    return respond(
        "draft_leagues/records.html",
        league=page.league,
        history=history,
        open_seasons={
            season.slug
            for season in history.seasons
            if leagues.for_member(season.slug, current_user.id) is not None
        },
        who=careers.get(chosen_member or current_user.id) or next(iter(careers.values()), None),
        me=current_user.id,
        tab="records",
        runs_it=page.runs_it,
    )


def scheduled_weeks(page: DraftLeaguePage, view: SeasonView) -> list[ScheduledWeek]:
    """The stored games; before the draft is over those that will be written."""
    is_preview = page.draft_league.phase in (SETUP, DRAFTING)
    season = view.settings.season
    rounds: Sequence[Sequence[Pair]] = (
        regular_season(
            len(view.teams),
            len(view.regular),
            view.divisions,
            rivals=season.rivals,
            rivals_week=season.rivals_week,
        )
        if is_preview
        else [view.pairs.get(week.id, ()) for week in view.regular]
    )
    return [
        ScheduledWeek(week, pairs, is_preview)
        for week, pairs in zip(view.regular, rounds, strict=True)
    ]


def _bracket(view: SeasonView) -> list[BracketPart]:
    return bracket_parts(
        view.settings.season,
        view.playoffs,
        view.table,
        {week.week: week.name for week in view.playoff_weeks},
        has_points=view.is_regular_over,
    )


def _playoff_weeks(view: SeasonView) -> list[PlayoffWeek]:
    """The weeks of the play-offs, also those that the season does not have yet."""
    parts = _bracket(view)
    weeks_of_season = {week.week: week for week in view.playoff_weeks}
    games = [game for part in parts for round_ in part.rounds for game in round_.games]
    titles = {
        week: round_.title
        for round_ in (parts[0].rounds if parts else ())
        for week in round_.games[0].weeks
    }
    return [
        PlayoffWeek(
            week,
            weeks_of_season[week].name if week in weeks_of_season else f"Week {week}",
            title,
            weeks_of_season.get(week),
            [game for game in games if week in game.weeks],
        )
        for week, title in titles.items()
    ]


def _unknown_weeks(view: SeasonView) -> str:
    """The weeks of the regular season that the season does not have yet; empty without any."""
    first = view.league.first_week
    return week_range(first + len(view.regular), first + view.settings.season.regular_weeks - 1)


def week_range(first: int, last: int) -> str:
    """Weeks in words; empty for none."""
    if last < first:
        return ""
    return f"Week {first}" if first == last else f"Weeks {first}–{last}"


def _season_line(view: SeasonView) -> str:
    """Which week the standings are after, and when the play-offs are."""
    settled = [week.name for week in view.regular if week.settled_at is not None]
    after = f"After {settled[-1]}" if settled else "No games played yet"
    weeks = [week for game in view.playoffs.games for week in game.weeks]
    if weeks:
        return f"{after} · Playoffs: {week_range(min(weeks), max(weeks))}"
    first = view.league.first_week
    last = first + view.settings.season.regular_weeks - 1
    return f"{after} · Season: {week_range(first, last)}"


def _by_division(view: SeasonView) -> list[tuple[int, list[Place]]]:
    """The table of each division, or the whole one as that of 0."""
    divisions = view.divisions
    numbers = sorted(set(divisions.values())) or [0]
    return [
        (number, [place for place in view.table if divisions.get(place.franchise, 0) == number])
        for number in numbers
    ]


def _changes(page: DraftLeaguePage) -> list[ChangeOfBracket]:
    """What corrections changed, the latest first."""
    names = {team.number: team.name for team in page.teams}
    return [
        ChangeOfBracket(changed_at, gameweek, _change_words(before, after, names, gameweek))
        for changed_at, gameweek, before, after in bracket_changes(page.league.id)
    ]


def _change_words(
    before: Sequence[Pair], after: Sequence[Pair], names: Mapping[int, str], gameweek: str | None
) -> str:
    if gameweek is not None:
        return words.changed_games(before, after, names)
    return words.changed_champion(names[before[0][0]], names[after[0][0]] if after else None)
