"""A league's gameweek played again.

The evening from its first play on, and every team sheet as it stood then.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort, jsonify, request
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.numbers import as_whole
from app.core.viewer import current_user
from app.fantasy.leagues import adjustments
from app.fantasy.leagues import history as league_history
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league import page as league_page
from app.fantasy.pages.replay import page as replay_page
from app.fantasy.pages.replay.page import Film
from app.fantasy.pages.replay.queries import film
from app.fantasy.scoring import picks as sheet_picks
from app.fantasy.scoring.replay import moments, sheet_as_of
from app.fantasy.scoring.replay.moments import Cuts
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.queries import GameRow

blueprint = Blueprint("league_replay", __name__, url_prefix="/leagues/<slug>/replay/<int:week>")

OFTEN = "60 per minute"


@blueprint.get("")
@audience(MEMBER)
@limiter.limit(OFTEN)
def show(slug: str, week: int) -> ResponseReturnValue:
    """The gameweek after an event (`at`) of a game (`game`); at=0: before the first play.

    Without them as it is now.
    """
    league, gameweek, games, found = _film(slug, week)
    at, over = _place(found), _is_over(gameweek, games)
    turns = replay_page.turns(found, current_user.id, over=over)
    return respond(
        "leagues/replay.html",
        league=league,
        gameweek=gameweek,
        film=found,
        at=at,
        last=len(found.plays),
        play=found.plays[at - 1] if at else None,
        rows=replay_page.rows_at(found, at),
        turns=turns,
        earlier=max((turn.at for turn in turns if turn.at < at), default=None),
        later=min((turn.at for turn in turns if turn.at > at), default=None),
        shape=replay_page,
        lines=replay_page.lines(found),
        tab="history",
        is_over=over,
    )


@blueprint.get("/plays.json")
@audience(MEMBER)
@limiter.limit(OFTEN)
def plays(slug: str, week: int) -> Response:
    """The whole evening as numbers, for the page's script."""
    _, gameweek, games, found = _film(slug, week)
    over = _is_over(gameweek, games)
    return jsonify(replay_page.as_json(found, replay_page.turns(found, current_user.id, over=over)))


@blueprint.get("/teams/<int:member_id>")
@audience(MEMBER)
@limiter.limit(OFTEN)
def team(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """A member's team sheet as it stood then; another's only once it is locked."""
    league, gameweek, games, found = _film(slug, week)
    name = league_history.team(league.id, gameweek.id, member_id) or abort(404)
    at = _place(found)
    then, lines = moments.games_as_of(games, Cuts(replay_page.cuts(found, at), ""))
    mine = member_id == current_user.id
    hidden = not mine and not sheet_picks.is_shown_to_all(
        league.team_rules_id, gameweek, clock.now()
    )
    picks = [] if hidden else sheet_as_of.picks_as_of(member_id, gameweek, league, then, lines)
    page = league_page.team_page(
        league,
        gameweek,
        name,
        picks,
        [],
        transfer_cost=0
        if hidden
        else sheet_picks.transfer_cost(member_id, gameweek.id, league.team_rules_id),
        adjusted=adjustments.reasons(league.id, gameweek.id).get(member_id, []),
        over=False,
    )
    return respond(
        "leagues/replay_team.html",
        page=page,
        member_id=member_id,
        hidden=hidden,
        play=found.plays[at - 1] if at else None,
        at=at,
        last=len(found.plays),
    )


def _film(slug: str, week: int) -> tuple[LeagueRow, GameweekRow, list[GameRow], Film]:
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    gameweek = gameweeks.gameweek_of(league.season_id, week) or abort(404)
    # The version is read before what it stands for: what is shown may be newer than its tag, never
    # older.
    table = queries.table_version(league.id, gameweek.id).version
    where = (gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week)
    version = f"{table}-{record.gameweek_version(*where)}"
    begin_snapshot()  # the games and the events played again
    games = record.gameweek_games(*where)
    return league, gameweek, games, film(league, gameweek, games, current_user.id, version)


def _is_over(gameweek: GameweekRow, games: list[GameRow]) -> bool:
    return gameweek.is_settled or league_page.is_over([game.status for game in games])


def _place(found: Film) -> int:
    at = request.args.get("at", type=as_whole)
    return replay_page.place_of(found, request.args.get("game", ""), at)
