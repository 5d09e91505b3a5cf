"""A draft league's season as lines of text: the final table, the bracket and the champion."""

from __future__ import annotations

from collections.abc import Mapping

from app.draft_leagues.season.playoffs import Bracket, Game
from app.draft_leagues.season.queries import SeasonView, load_season
from app.fantasy.amounts import decimal_points

_TITLES: Mapping[Bracket, str] = {
    "championship": "Play-offs",
    "third": "Third place",
    "lower": "Lower bracket",
}


def result_lines(league_id: int) -> list[str]:
    """The table of the regular season, then the games of the play-offs, then who won."""
    view = load_season(league_id)
    names = {team.number: team.name for team in view.teams}
    lines = [*_table_lines(view, names), "", *_bracket_lines(view, names)]
    if view.champion is not None:
        lines += ["", f"Champion: {names[view.champion]}"]
    return lines


def _table_lines(view: SeasonView, names: Mapping[int, str]) -> list[str]:
    lines = [f"{view.league.name} after the regular season"]
    for place in view.table:
        record = place.record
        games = f"{record.wins}-{record.losses}-{record.ties}"
        before = f"  before the next by {place.reason}" if place.reason else ""
        points = decimal_points(record.points_for)
        lines.append(
            f"{place.place:>4}  {names[place.franchise]:<12}{games:>9}{points:>11}{before}"
        )
    return lines


def _bracket_lines(view: SeasonView, names: Mapping[int, str]) -> list[str]:
    lines = []
    for game in view.playoffs.games:
        weeks = " and ".join(map(str, game.weeks))
        title = f"{_TITLES[game.bracket]}, round {game.round} (week {weeks})"
        lines.append(f"{title:<42}{_game_words(game, names)}")
    return lines


def _game_words(game: Game, names: Mapping[int, str]) -> str:
    if game.high is None:
        return "open"
    if game.low is None:
        return f"{names[game.high]} has nobody to meet" if game.is_bye else names[game.high]
    high, low = (decimal_points(points) for points in game.points)
    return f"{names[game.high]} {high} : {low} {names[game.low]}"
