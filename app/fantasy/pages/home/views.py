"""Pages of the fantasy game: the front page, leagues, a league's table, a team sheet."""

from __future__ import annotations

from flask import Blueprint, abort, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from app.accounts.players import player_of_member
from app.boards.groups.small_board import ModeWindow
from app.boards.pages.page import PAGE_ROWS
from app.boards.pages.views import OF_BOARD, mode_or_404, show_small_board
from app.boards.reads import RowRange
from app.boards.windows.rules import InvalidWindowError
from app.core import clock
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.pagination import page_number
from app.core.http.responses import fragment_etag, is_poll, is_shown, own_page, respond
from app.core.numbers import as_whole
from app.core.page_cache.pages import (
    CachedValue,
    PageContent,
    cached_page,
    cached_value,
    cached_viewer,
)
from app.core.viewer import current_user
from app.fantasy.amounts import decimal_points
from app.fantasy.gameweeks import catching_up
from app.fantasy.leagues import adjustments, guilds
from app.fantasy.leagues import history as league_history
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues.words import undated_words
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.notices import services as notices
from app.fantasy.pages.home.page import FrontPage, LiveGame, front_page
from app.fantasy.pages.league import page
from app.fantasy.pages.league.cached_table import OF_LEAGUE, shared_table
from app.fantasy.pages.league.queries import next_pick, next_step, table_now
from app.fantasy.pages.league.version import league_version, version_to_read
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.pages.swings.page import NowPage
from app.fantasy.scoring import my_games
from app.fantasy.scoring import picks as sheet_picks
from app.fantasy.scoring.changes import changes
from app.fantasy.scoring.explain import explanation
from app.fantasy.scoring.replay import moments
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import STANDARD
from app.fantasy.sheets.my_teams import my_teams
from app.fantasy.standings import queries
from app.record import queries as record
from app.record.asof import MomentError, moment
from app.record.pages.game_page import status_words

blueprint = Blueprint("fantasy", __name__)
blueprint.add_app_template_filter(decimal_points, "points")

FRONT_PAGE_GAMES = 6
MATCHUPS_SHOWN = 6


@blueprint.get("/")
@audience(PUBLIC)
def home() -> ResponseReturnValue:
    """What is a member's own is a fragment that polls itself.

    With every change, and with each minute of a deadline.
    """
    if not current_user.is_authenticated:
        return cached_page("home/show.html", "mine", "", _read_for_strangers)
    version = _home_version(current_user.id)
    if is_shown(version):
        return respond("home/show.html", "mine", version=version)
    if catching_up.gamer(current_user.id, clock.now()):
        version = _home_version(current_user.id)
    mine = _front_page(current_user.id)
    return respond(
        "home/show.html",
        "mine",
        version=version,
        page=mine,
        games=_games_now(),
        status_words=status_words,
    )


def _read_for_strangers() -> PageContent:
    return PageContent(
        lambda: {"page": None, "games": _games_now(), "status_words": status_words}, ("games",)
    )


def _home_version(member_id: int) -> str:
    return f"{my_games.version(member_id)}-{clock.now():%H%M}"


def _games_now() -> list[record.GameRow]:
    return record.games(FRONT_PAGE_GAMES)


def _front_page(member_id: int) -> FrontPage:
    now = clock.now()
    leagues, live = league_queries.cards(member_id), my_games.live_games(member_id)
    games = record.games_of(list(live))
    rules = queries.leagues_of(member_id)
    return front_page(
        leagues,
        my_teams(member_id, now),
        [LiveGame(game, tuple(live[game.id].values())) for game in games],
        my_games.live_totals(member_id, list(live)),
        my_games.newest_play(live, rules_named(rules[0].rules) if rules else STANDARD),
        notices.latest_of_points(member_id),
        now,
    )


@blueprint.get("/leagues/<slug>")
@audience(MEMBER)
@cached_viewer(*OF_LEAGUE)
def league(slug: str) -> ResponseReturnValue:
    """A league's table, or with `table=week` that of the gameweek.

    Its fragment polls itself while games are played.

    `at`: the table as of an instant, or with `game` as of an event number or the game clock of that
    game. That of a public league is for everybody who is signed in; the teams in it and the
    commissioner's reasons are its members'.
    """
    asked, game_id = request.args.get("at", "").strip(), request.args.get("game", "")
    if not asked and is_poll():
        found = version_to_read(slug, current_user.id, clock.now(), members_only=False)
        if found is not None and not found[1] and is_shown(found[0]):
            return respond("leagues/show.html", "standings", version=found[0])
    if not request.args.keys() - {"page", "table"} and (shared := shared_table(slug)) is not None:
        return shared
    league = queries.league_to_read(slug, current_user.id) or abort(404)
    gameweek = gameweeks.current_gameweek(league.season_id, clock.now())
    if gameweek is None:
        return respond("leagues/none.html", league=league)
    version, over = league_version(league.id, gameweek)
    begin_snapshot()  # the games and the table that rests on them
    games = record.gameweek_games(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )
    cuts, fault = None, ""
    if asked:
        try:
            cuts = moments.cuts(games, moment(asked), game_id)
        except MomentError as error:
            fault = str(error)
    if cuts is None:
        shown = table_now(league, gameweek, games, over)
    else:
        then, lines = moments.games_as_of(games, cuts)
        table = moments.table_as_of(league, gameweek, then, lines)
        around = page.Shown(league, rules_named(league.rules).title, gameweek, then, over=True)
        shown = page.league_page_as_of(around, table, cuts)
    return respond(
        "leagues/show.html",
        "standings",
        version=version if cuts is None else None,
        stop_polling=shown.over,
        status=422 if fault else 200,
        page=shown,
        status_words=status_words,
        games=games,
        undated=undated_words(games, gameweek.name, counts_moved=league.counts_moved)
        if cuts is None
        else "",
        asked=asked,
        chosen=game_id,
        fault=fault,
        next=next_step(league.team_rules_id, gameweek) if league.is_member else None,
        now=_now(league, gameweek, games, version),
        now_over=over,
        now_etag=fragment_etag(version),
    )


def _now(
    league: queries.LeagueRow, gameweek: GameweekRow, games: list[record.GameRow], version: str
) -> NowPage | None:
    """What just happened, for members, beside the table as it is now.

    The table's own poll does not ask for it.
    """
    if (
        not league.is_member
        or request.headers.get("HX-Request")
        or request.args.get("at", "").strip()
    ):
        return None
    return swing_reading.now_page(league, gameweek, games, version, current_user.id)


def _gameweek_asked(league: queries.LeagueRow) -> GameweekRow | None:
    """The gameweek that `week` names; without it the current one."""
    week = request.args.get("week", type=as_whole)
    if week is None:
        return gameweeks.current_gameweek(league.season_id, clock.now())
    return gameweeks.gameweek_of(league.season_id, week)


@blueprint.get("/leagues/<slug>/teams/<int:member_id>")
@audience(MEMBER)
def team(slug: str, member_id: int) -> ResponseReturnValue:
    """A member's team sheet with the points of each footballer.

    Another's only once it is locked.
    """
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    gameweek = _gameweek_asked(league) or abort(404)
    found = league_history.team(league.id, gameweek.id, member_id) or abort(404)
    version, over = league_version(league.id, gameweek)
    if not over and is_shown(version):
        return respond("leagues/team.html", "team", version=version)
    begin_snapshot()
    now = clock.now()
    hidden = member_id != current_user.id and not sheet_picks.is_shown_to_all(
        league.team_rules_id, gameweek, now
    )
    picks = [] if hidden else sheet_picks.picks(member_id, gameweek, league)
    shown = page.team_page(
        league,
        gameweek,
        found,
        picks,
        changes(picks, rules_named(league.rules)),
        transfer_cost=sheet_picks.transfer_cost(member_id, gameweek.id, league.team_rules_id),
        adjusted=adjustments.reasons(league.id, gameweek.id).get(member_id, []),
        over=over,
    )
    return respond(
        "leagues/team.html",
        "team",
        version=version,
        stop_polling=shown.over,
        page=shown,
        hidden=hidden,
        member_id=member_id,
        locked=sheet_picks.is_locked(league.team_rules_id, gameweek, now),
        next=next_pick(league.team_rules_id)
        if member_id == current_user.id and not picks
        else None,
    )


@blueprint.get("/boards/<game>/<mode>/<window>/leagues/<slug>")
@audience(MEMBER)
def league_on_board(game: str, mode: str, window: str, slug: str) -> ResponseReturnValue:
    """The members of one of my leagues among themselves, on any game's board."""
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    place = ModeWindow(*mode_or_404(game, mode), window)
    me, number = player_of_member(current_user.id), page_number()
    try:
        board = guilds.league_board(
            league.slug,
            place,
            me.id if me else None,
            RowRange((number - 1) * PAGE_ROWS, PAGE_ROWS),
            clock.now(),
        )
    except InvalidWindowError:
        abort(404)
    return show_small_board(board, place, number, league.name)


def boards_among_leagues() -> str:
    """The tabs of a board that lead to it among the members of each of the viewer's leagues."""
    member_id, where = current_user.id, request.view_args or {}

    def ask() -> CachedValue:
        tabs = [
            Markup('<li><a href="{}">{}</a></li>').format(
                url_for("fantasy.league_on_board", slug=league.slug, **where), league.name
            )
            for league in queries.leagues_of(member_id)
        ]
        return CachedValue("\n".join(tabs), (f"memberships:{member_id}", "leagues"))

    return cached_value(OF_BOARD.format(member=member_id, path=request.path), ask) or ""


@blueprint.app_template_global()
def my_leagues() -> list[queries.LeagueRow]:
    """The viewer's leagues."""
    return queries.leagues_of(current_user.id)


@blueprint.get("/games/<game_id>/points/<player_id>")
@audience(PUBLIC)
def points(game_id: str, player_id: str) -> ResponseReturnValue:
    """Why a footballer has these points, by kind and play by play.

    `rules` names scoring rules, `back` the team.
    """
    game = record.game(game_id) or abort(404)
    try:
        rules = rules_named(request.args.get("rules", STANDARD.name))
    except KeyError:
        abort(404)
    shown = explanation(game, player_id, rules) or abort(404)
    back = own_page(request.args.get("back", ""), "")
    return respond(
        "games/points.html", page=shown, back=back if back.startswith("/leagues/") else ""
    )
