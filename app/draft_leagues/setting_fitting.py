"""Fits a preset to the season and to the number of teams, so that one tap founds a league. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from app.draft_leagues.setting_faults import (
    TRADERS,
    SeasonFacts,
    can_fill_lineups,
    playoff_rounds,
)
from app.draft_leagues.settings import DraftLeagueSettings, SeasonSettings
from app.fantasy.market.formats import DRAFT_SLOTS

# Sizes of play-offs that need no bye or only two, the largest first.
PLAYOFF_SIZES = (6, 4, 2, 0)


def with_teams_that_fit(settings: DraftLeagueSettings, facts: SeasonFacts) -> DraftLeagueSettings:
    """The settings with as many teams as the season has starters for, in steps of two.

    A season that is too small for two teams leaves them as they are.
    """
    for franchises in range(settings.franchises, 1, -2):
        fewer = replace(settings, franchises=franchises)
        if can_fill_lineups(fewer, facts):
            return fewer
    return settings


def fitted(settings: DraftLeagueSettings, facts: SeasonFacts) -> DraftLeagueSettings:
    """The settings with what does not fit made smaller, as far as sizes can do it.

    A season that has begun has a shorter regular season, and then smaller play-offs; a small league
    has smaller play-offs, and fewer votes stop a trade; a small market gives shorter benches. Other
    faults stay.
    """
    season = _fitted_season(settings, facts)
    deadline = _fitted_deadline(settings.trades.deadline_week, season, facts)
    return replace(
        settings,
        season=season,
        roster=replace(settings.roster, bench=_fitted_bench(settings, facts)),
        trades=replace(
            settings.trades,
            deadline_week=deadline,
            votes_to_stop=max(1, min(settings.trades.votes_to_stop, settings.franchises - TRADERS)),
        ),
    )


def fitted_to_weeks(settings: DraftLeagueSettings, facts: SeasonFacts) -> DraftLeagueSettings:
    """The settings with a season that fits the gameweeks that are left; rosters stay.

    A week of rivals that the shorter regular season does not have is left out.
    """
    fitting = fitted(settings, facts)
    season = fitting.season
    if season.rivals_week is not None and season.rivals_week > season.regular_weeks:
        season = replace(season, rivals=(), rivals_week=None)
    trades = replace(settings.trades, deadline_week=fitting.trades.deadline_week)
    return replace(settings, season=season, trades=trades)


def _fitted_season(settings: DraftLeagueSettings, facts: SeasonFacts) -> SeasonSettings:
    season = settings.season
    left = facts.last_week - (season.first_week or facts.first_week) + 1
    most = min(season.playoff_teams, settings.franchises)
    sizes = [size for size in PLAYOFF_SIZES if size < most]
    # The regular season is the longer part of what is left.
    size = next((size for size in (most, *sizes) if left > 2 * playoff_rounds(size)), 0)
    weeks = season.weeks_per_round
    if size != season.playoff_teams or left <= 2 * sum(weeks):
        weeks = (1,) * playoff_rounds(size)
    return replace(
        season,
        playoff_teams=size,
        weeks_per_round=weeks,
        regular_weeks=max(1, min(season.regular_weeks, left - sum(weeks))),
    )


def _fitted_bench(settings: DraftLeagueSettings, facts: SeasonFacts) -> int:
    roster = settings.roster
    positions = {
        position for starter in roster.starters for position in DRAFT_SLOTS[starter.slot].accepts
    }
    market = sum(facts.footballers.get(position, 0) for position in positions)
    room = market // settings.franchises - roster.starter_count - roster.taxi
    return max(0, min(roster.bench, room))


def _fitted_deadline(
    deadline: int | None, season: SeasonSettings, facts: SeasonFacts
) -> int | None:
    """None once it has passed; at the latest the last gameweek of the regular season."""
    if deadline is None or deadline < facts.first_week:
        return None
    if deadline <= facts.last_week:
        return deadline
    return (season.first_week or facts.first_week) + season.regular_weeks - 1
