"""Loads a member's front page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Select, select, text

from app.core import clock
from app.core.db import db
from app.core.db.json_rows import select_json
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues.queries import LeagueCard
from app.fantasy.market import gameweeks
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import StoredNotice
from app.fantasy.pages.home.page import (
    CARDS_SHOWN,
    LATEST_SHOWN,
    FrontPage,
    News,
    closest_first,
    front_page,
)
from app.fantasy.projections.queries import matchup_outlooks
from app.fantasy.projections.teams import Outlook
from app.fantasy.scoring import my_games
from app.fantasy.scoring.my_games import CreditRow, LivePlayerRow, LiveTotal, NextMatchup, TotalRow
from app.fantasy.sheets.my_teams import MY_TEAMS, MyTeam
from app.fantasy.sheets.visibility import is_shown_to_all
from app.fantasy.standings import queries
from app.fantasy.standings.large_table import WEEK, large_rank
from app.fantasy.standings.live_scores import live_values
from app.fantasy.standings.queries import LeagueRow
from app.fantasy.standings.season_places import live_scores_around, season_places
from app.record import queries as record
from app.record.queries import GameRow
from app.record.rules.state import OVER


@dataclass(frozen=True)
class OwnRows:
    """What of a front page is the member's own. `notices`: the latest that moved points, if any."""

    cards: list[LeagueCard]
    leagues: list[LeagueRow]
    teams: list[MyTeam]
    players: list[LivePlayerRow]
    credits: list[CreditRow]
    totals: list[TotalRow]
    to_come: list[NextMatchup]
    notices: list[StoredNotice]


_own_rows = msgspec.json.Decoder(OwnRows)


@cache  # building the statement takes as long as running it
def _select_own_rows() -> Select[Any]:
    live_players = my_games.LIVE_PLAYERS.columns().cte("live_players")
    rows = select_json(
        {
            "cards": league_queries.cards_of_viewer(),
            "leagues": queries.leagues_of_viewer(),
            "teams": MY_TEAMS.columns(),
            "players": select(text("*")).select_from(live_players),
            "credits": my_games.NEWEST_CREDITS.columns(),
            "totals": my_games.LIVE_TOTALS.columns(),
            "to_come": my_games.NEXT_MATCHUPS.columns(),
            "notices": notices.newest_of_points(),
        }
    )
    return rows.add_cte(live_players)


def _load_own_rows(member_id: int, live_leagues: Sequence[int], now: datetime) -> OwnRows:
    """Load what is the member's own, in one statement if no gameweek is under way."""
    live = live_scores_around(live_leagues, member_id)
    values = {"viewer": member_id, "member": member_id, "now": now, **live_values(live)}
    rows = _own_rows.decode(db.session.execute(_select_own_rows(), values).scalar_one())
    if not live_leagues:
        return rows
    return replace(
        rows,
        cards=league_queries.with_live(rows.cards, member_id, live_leagues),
        totals=[_with_rank(row) for row in rows.totals],
    )


def _with_rank(row: TotalRow) -> TotalRow:
    """The total with its rank in a large league, of which only the member's own score was read.

    Without Redis that is not known.
    """
    if season_places(row.league_id) is not None:
        return row
    return replace(row, rank=large_rank(row.league_id, row.points, WEEK))


def load_front_page(
    member_id: int, games_around: Sequence[GameRow], live_leagues: Sequence[int]
) -> FrontPage:
    """Load the member's leagues, deadlines, live games and latest news.

    Args:
        member_id: The member.
        games_around: The games of the front page, which are live first.
        live_leagues: The member's leagues that count a gameweek under way.
    """
    now = clock.now()
    rows = _load_own_rows(member_id, live_leagues, now)
    players = my_games.live_players(rows.players)
    totals = closest_first(my_games.live_totals(rows.totals))
    counting = [player for player in players if player.leagues]
    news = News(
        totals=totals,
        to_come=rows.to_come,
        outlooks=_outlooks(totals[:CARDS_SHOWN], rows.leagues, member_id),
        games=_live_games({player.game_id for player in players}, games_around),
        players=players,
        plays=my_games.newest_plays(rows.credits, counting, LATEST_SHOWN),
        notice=rows.notices[0].row() if rows.notices else None,
    )
    return front_page(member_id, rows.cards, rows.teams, news, now)


def _live_games(ids: Collection[str], games_around: Sequence[GameRow]) -> list[GameRow]:
    """These games by kickoff, then id."""
    games = [game for game in games_around if game.id in ids]
    if len(games) < len(ids):
        return record.games_of(ids)
    return sorted(games, key=lambda game: (game.kickoff, game.id))


def _outlooks(
    totals: Sequence[LiveTotal], memberships: Sequence[LeagueRow], member_id: int
) -> dict[int, Outlook]:
    """How these matchups are expected to end, by the league's id; without those not projected."""
    outlooks = ((total.league_id, _outlook(total, memberships, member_id)) for total in totals)
    return {league_id: outlook for league_id, outlook in outlooks if outlook is not None}


def _outlook(total: LiveTotal, memberships: Sequence[LeagueRow], member_id: int) -> Outlook | None:
    """How the matchup is expected to end; None if all of it is played, or the lineups are secret.

    Nor is a game against the average projected, for which all teams would have to be loaded.
    """
    league = next((league for league in memberships if league.id == total.league_id), None)
    if league is None or total.opponent is None or total.opponent.member_id is None:
        return None
    season = gameweeks.shared_gameweeks(league.season_id)
    gameweek = next((week for week in season if week.id == total.gameweek_id), None)
    if gameweek is None or not is_shown_to_all(league.team_rules_id, gameweek.id, clock.now()):
        return None
    if all(game.status in OVER for game in gameweeks.shared_games_of(gameweek)):
        return None
    (outlook,) = matchup_outlooks(league, gameweek, [(member_id, total.opponent.member_id)])
    return outlook
