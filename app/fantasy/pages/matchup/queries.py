"""Loads a matchup as a viewer may see it. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from app.fantasy.leagues import history as league_history
from app.fantasy.market import gameweeks
from app.fantasy.market.formats import format_named
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.page import TeamPage, team_page
from app.fantasy.pages.league.queries import load_sheet
from app.fantasy.pages.matchup.page import DecidingPlay, MatchupNow, MatchupPage, matchup_page
from app.fantasy.projections.chance_line import ChanceLine
from app.fantasy.projections.chance_line_queries import load_chance_line
from app.fantasy.projections.queries import matchup_outlooks, projected_sheets
from app.fantasy.standings.games import head_to_head
from app.fantasy.standings.queries import LeagueRow
from app.record.play_words import told_plays

NOBODY = 0  # a viewer without an account
SIDES = 2
FORMER = ("A former member", "")


@dataclass(frozen=True)
class Opponents:
    """Who is compared.

    Attributes:
        members: One or two members, in the order of the page.
        average: The points of the league's average, if the only member plays that.
        home_id: The home member of the head-to-head game; None if they do not play each other.
    """

    members: tuple[int, ...]
    average: Fraction | None = None
    home_id: int | None = None


def find_opponents(
    league: LeagueRow, gameweek: GameweekRow, member_id: int, viewer: int
) -> Opponents:
    """The member and their opponent in the gameweek, the viewer first, else the home side.

    The member alone if they meet nobody.
    """
    if league.mode != "head_to_head":
        return Opponents((member_id,))
    for game in head_to_head(league.id, gameweek.id, member_id, rows=1):
        if member_id in (game.home.member_id, game.away.member_id):
            first, second = game.sides_for(viewer)
            home_id = game.home.member_id
            if first.member_id is None or second.member_id is None:
                average = first if first.member_id is None else second
                return Opponents((member_id,), Fraction(average.points), home_id)
            return Opponents((first.member_id, second.member_id), home_id=home_id)
    return Opponents((member_id,))


def load_matchup(
    league: LeagueRow, gameweek: GameweekRow, opponents: Opponents, viewer: int, *, is_over: bool
) -> MatchupPage:
    """The matchup; another's line-up stays secret until it is locked."""
    teams = [_team(league, gameweek, member_id, viewer) for member_id in opponents.members]
    visible = [
        member_id
        for member_id, team in zip(opponents.members, teams, strict=True)
        if not team.is_hidden
    ]
    outlook = None
    if len(visible) == len(teams) and (len(teams) > 1 or opponents.average is not None):
        second = opponents.members[1] if len(teams) > 1 else None
        (outlook,) = matchup_outlooks(league, gameweek, [(opponents.members[0], second)])
    line = None
    if outlook is not None and len(opponents.members) == SIDES:
        line = load_chance_line(league, outlook, (opponents.members[0], opponents.members[1]))
    return matchup_page(
        MatchupNow(
            teams,
            opponents.members,
            opponents.average,
            outlook.sheets if outlook is not None else projected_sheets(league, gameweek, visible),
            outlook,
            is_over,
            line,
            _deciding_play(gameweek, line) if line is not None and is_over else None,
        ),
        format_named(league.format),
    )


def _deciding_play(gameweek: GameweekRow, line: ChanceLine) -> DecidingPlay | None:
    """The play that decided the matchup in words; None if no play did."""
    decided = line.decided
    if decided is None:
        return None
    games = {game.id: game for game in gameweeks.shared_games_of(gameweek)}
    key = (decided.game_id, decided.play_number)
    if decided.game_id not in games or not (words := told_plays([key], games)):
        return None
    return DecidingPlay(words[key], games[decided.game_id])


def _team(league: LeagueRow, gameweek: GameweekRow, member_id: int, viewer: int) -> TeamPage:
    """The team of a member; a member who is on no board any more has no name."""
    names = league_history.team(league.id, gameweek.id, member_id) or FORMER
    return team_page(league, gameweek, load_sheet(league, gameweek, member_id, names, viewer))
