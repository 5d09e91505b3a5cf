"""A league's gameweek played again, from its first play on, with every team sheet at each play."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Blueprint, Response, abort, jsonify, request
from flask.typing import ResponseReturnValue

from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.viewer import current_user
from app.fantasy.leagues import history as league_history
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.page import is_over, team_page
from app.fantasy.pages.league.queries import sheet_without_picks
from app.fantasy.pages.replay import page as replay_page
from app.fantasy.pages.replay.page import Film, Play, Turn
from app.fantasy.pages.replay.queries import film
from app.fantasy.scoring.replay import moments, sheet_as_of
from app.fantasy.scoring.replay.moments import Cuts
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.queries import GameRow

blueprint = Blueprint("league_replay", __name__, url_prefix="/leagues/<slug>/replay/<int:week>")

RATE_LIMIT = "60 per minute"


@blueprint.get("")
@audience(MEMBER)
@limiter.limit(RATE_LIMIT)
def show(slug: str, week: int) -> ResponseReturnValue:
    """The gameweek after an event (`at`) of a game (`game`); without them, as it is now.

    `at=0` is the moment before the first play.
    """
    replay = _load_replay(slug, week)
    at, turns = replay.requested_place(), replay.turns()
    return respond(
        "leagues/replay.html",
        league=replay.league,
        gameweek=replay.gameweek,
        film=replay.film,
        at=at,
        last=len(replay.film.plays),
        play=replay.play(at),
        rows=replay_page.rows_at(replay.film, at),
        turns=turns,
        earlier=max((turn.at for turn in turns if turn.at < at), default=None),
        later=min((turn.at for turn in turns if turn.at > at), default=None),
        shape=replay_page,
        lines=replay_page.lines(replay.film),
        tab="history",
        is_over=replay.is_over,
    )


@blueprint.get("/plays.json")
@audience(MEMBER)
@limiter.limit(RATE_LIMIT)
def plays(slug: str, week: int) -> Response:
    """The whole gameweek as numbers, for the page's script."""
    replay = _load_replay(slug, week)
    return jsonify(replay_page.as_json(replay.film, replay.turns()))


@blueprint.get("/teams/<int:member_id>")
@audience(MEMBER)
@limiter.limit(RATE_LIMIT)
def team(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """A member's team sheet as it stood at a play; another's only once it is locked."""
    replay = _load_replay(slug, week)
    league, gameweek = replay.league, replay.gameweek
    names = league_history.team(league.id, gameweek.id, member_id) or abort(404)
    at = replay.requested_place()
    sheet = sheet_without_picks(league, gameweek, member_id, names, current_user.id)
    if not sheet.is_hidden:
        cuts = Cuts(replay_page.cuts(replay.film, at), "")
        games, lines = moments.games_as_of(replay.games, cuts)
        picks = sheet_as_of.picks_as_of(member_id, gameweek, league, games, lines)
        sheet = replace(sheet, picks=picks)
    return respond(
        "leagues/replay_team.html",
        page=team_page(league, gameweek, sheet),
        member_id=member_id,
        play=replay.play(at),
        at=at,
        last=len(replay.film.plays),
    )


@dataclass(frozen=True)
class _LoadedReplay:
    """A gameweek of a league, its games as they are now, and its film for the viewer."""

    league: LeagueRow
    gameweek: GameweekRow
    games: list[GameRow]
    film: Film

    @property
    def is_over(self) -> bool:
        return self.gameweek.is_settled or is_over([game.status for game in self.games])

    def turns(self) -> list[Turn]:
        return replay_page.turns(self.film, current_user.id, is_over=self.is_over)

    def requested_place(self) -> int:
        """The number of plays before the moment that the request names."""
        number = query_number("at")
        return replay_page.place_of(self.film, request.args.get("game", ""), number)

    def play(self, at: int) -> Play | None:
        """The latest play at this place; None before the first."""
        return self.film.plays[at - 1] if at else None


def _load_replay(slug: str, week: int) -> _LoadedReplay:
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    gameweek = gameweeks.gameweek_of(league.season_id, week) or abort(404)
    # The version is read before the content that it stands for, so that a page may be newer than
    # its tag but never older.
    table = queries.table_version(league.id, gameweek.id).version
    games_version = record.gameweek_version(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )
    begin_snapshot()  # so that the games fit the events played again
    games = gameweeks.games_of(gameweek)
    version = f"{table}-{games_version}"
    return _LoadedReplay(
        league, gameweek, games, film(league, gameweek, games, current_user.id, version)
    )
