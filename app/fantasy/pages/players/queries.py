"""Loads the list of players: the season and scoring in view, and the players that match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.fantasy.leagues.words import presets_for
from app.fantasy.market import listing, seasons
from app.fantasy.market.gameweeks import gameweek_row
from app.fantasy.market.name_search import find_names
from app.fantasy.pages.players.forms import AFFORDABLE, LEAGUE, MINE, PlayerQuery
from app.fantasy.pages.players.page import Ahead, PlayersPage, players_page
from app.fantasy.projections.queries import projected_points
from app.fantasy.projections.rules import Projection
from app.fantasy.scoring import player_list
from app.fantasy.scoring.player_columns import PositionGroup, groups_of
from app.fantasy.scoring.player_list import MarketSeason, PlayerFilter
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules
from app.fantasy.sheets import context as sheet_context
from app.fantasy.sheets.affordable import affordable_prices
from app.fantasy.sheets.my_teams import my_teams
from app.fantasy.sheets.transfers import SheetContext
from app.fantasy.standings.queries import LeagueRow, leagues_of


@dataclass(frozen=True)
class Viewer:
    """A member who reads the list, and when."""

    member_id: int
    now: datetime


@dataclass(frozen=True)
class Scope:
    """Which season is listed, and by whose scoring.

    Attributes:
        league: The league whose scoring it is; None for a preset.
        leagues: The viewer's leagues in seasons with a market.
        seasons: Every season with a market.
    """

    season: MarketSeason
    rules: ScoringRules
    league: LeagueRow | None
    leagues: Sequence[LeagueRow]
    seasons: Sequence[MarketSeason]

    @property
    def presets(self) -> list[ScoringRules]:
        """The preset scoring rules of the season's sport."""
        return presets_for(self.rules.sport)

    @property
    def scoring(self) -> str:
        """The scoring in view, as an address names it."""
        return f"{LEAGUE}{self.league.slug}" if self.league else self.rules.name

    @property
    def key(self) -> str:
        """What distinguishes this list from others with the same query."""
        return f"{self.season.id}:{self.rules.name}:{self.league.slug if self.league else ''}"


@dataclass(frozen=True)
class PlayerLists:
    """The list, and what it can be filtered by."""

    page: PlayersPage
    groups: tuple[PositionGroup, ...]
    clubs: Sequence[tuple[str, str]]


def load_scope(query: PlayerQuery, viewer: Viewer | None) -> Scope | None:
    """The season and scoring of the address; None if no season has a market.

    Without a choice it is the viewer's league of the newest season, else the newest season by its
    own scoring. What the viewer may not see, or the sport does not have, counts as no choice.
    """
    with_market = player_list.market_seasons()
    by_id = {season.id: season for season in with_market}
    leagues = [
        league
        for league in (leagues_of(viewer.member_id) if viewer else [])
        if league.season_id in by_id
    ]
    open_to_viewer = {league.season_id for league in leagues}
    listed = [
        season for season in with_market if not season.is_simulated or season.id in open_to_viewer
    ] or with_market
    if not listed:
        return None
    league = _league(query, leagues)
    season = by_id[league.season_id] if league else by_id.get(query.season, listed[0])
    rules = _preset(query.scoring, season) or rules_named(league.rules if league else season.rules)
    if league is not None and rules.name != league.rules:
        league = None
    return Scope(season, rules, league, leagues, listed)


def _league(query: PlayerQuery, leagues: Sequence[LeagueRow]) -> LeagueRow | None:
    """The league that is named, else the first of the season; the overall league comes last."""
    possible = [league for league in leagues if query.season in (0, league.season_id)]
    if query.scoring.startswith(LEAGUE):
        slug = query.scoring.removeprefix(LEAGUE)
        named = next((league for league in possible if league.slug == slug), None)
        if named is not None:
            return named
    return min(
        possible,
        key=lambda league: (-league.season_id, league.is_overall, league.name, league.id),
        default=None,
    )


def _preset(scoring: str, season: MarketSeason) -> ScoringRules | None:
    usual = rules_named(season.rules)
    return next((rules for rules in presets_for(usual.sport) if rules.name == scoring), None)


def load_players(
    query: PlayerQuery, scope: Scope, viewer: Viewer | None, now: datetime
) -> PlayerLists:
    """Load a page of the list."""
    season_id = scope.season.id
    positions = player_list.positions_on_market(season_id)
    groups = groups_of(scope.rules.sport, positions)
    group = next((each for each in groups if each.key == query.position), groups[0])
    matches = find_names(query.q, listing.names_on_market(season_id)) if query.q else None
    ids = matches.ids if matches else None
    limits = None
    if query.only and viewer is not None:
        team = team_context(scope, viewer)
        if query.only == MINE:
            ids = tuple(pick for pick in _picks(team) if ids is None or pick in ids)
        elif query.only == AFFORDABLE and team is not None:
            limits = affordable_prices(team)
    listed = player_list.load_players(
        season_id,
        scope.rules.name,
        PlayerFilter(
            positions=group.positions,
            ids=ids,
            club_id=query.club,
            status=query.status,
            price_limits=limits,
            order=query.order(group),
            page=query.page,
        ),
    )
    ahead = Ahead(
        player_list.next_games(season_id), _projections(scope, [row.id for row in listed[0]], now)
    )
    page = players_page(query, group, listed, ahead, is_close=bool(matches and matches.is_close))
    return PlayerLists(page, groups, listing.clubs(season_id))


def _projections(scope: Scope, ids: Sequence[str], now: datetime) -> dict[str, Projection]:
    """What these players are expected to score in the gameweek whose deadline comes next."""
    gameweeks = seasons.gameweeks_of(scope.season.id)
    following = next((week for week in gameweeks if week.deadline > now), None)
    if following is None or not ids:
        return {}
    return projected_points(scope.season.id, gameweek_row(following), ids, scope.rules)


def team_context(scope: Scope, viewer: Viewer) -> SheetContext | None:
    """The viewer's team of the open gameweek: that of the league in view, else the first one.

    None for a viewer without a team, and after the last gameweek.
    """
    teams = [
        team
        for team in my_teams(viewer.member_id, viewer.now)
        if team.season_id == scope.season.id and team.gameweek_id is not None
    ]
    league_rules = scope.league.team_rules_id if scope.league else None
    team = min(teams, key=lambda team: team.team_rules_id != league_rules, default=None)
    if team is None or team.gameweek_id is None:
        return None
    context = sheet_context.context_of(
        viewer.member_id, team.team_rules_id, team.gameweek_id, viewer.now
    )
    return sheet_context.with_players(context, (), viewer.now)


def _picks(context: SheetContext | None) -> list[str]:
    current = context.current if context else None
    return [pick for pick in current.picks if pick] if current else []
