"""Loads what the pages of a league's table and of its teams show."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.htmx import request
from app.core.http.pagination import page_number
from app.core.viewer import current_user
from app.fantasy.amounts import signed_points
from app.fantasy.leagues import adjustments, owners, rule_changes
from app.fantasy.leagues.words import undated_words
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.home.page import Deadline, deadlines_of
from app.fantasy.pages.league import page
from app.fantasy.pages.league.my_matchup import load_my_matchup
from app.fantasy.pages.league.version import LeagueVersion, league_version
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.pages.swings.page import NowPage
from app.fantasy.scoring import picks as sheet_picks
from app.fantasy.scoring.replay import moments
from app.fantasy.scoring.replay.moments import Cuts
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.sheets.my_teams import my_team
from app.fantasy.sheets.visibility import is_shown_to_all
from app.fantasy.standings import games as games_of_league
from app.fantasy.standings import queries
from app.fantasy.standings import season_table as league_table
from app.fantasy.standings.models import League
from app.fantasy.standings.season_places import cache_places
from app.record.asof import MomentError, moment
from app.record.pages.game_page import status_words
from app.record.queries import GameRow

MATCHUPS_SHOWN = 6


@dataclass(frozen=True)
class Rewind:
    """The moment as of which a table is requested.

    Attributes:
        at: The moment as it was typed; empty for now.
        game_id: The game whose event or clock it names.
        fault: What is wrong with it, in a sentence.
    """

    at: str = ""
    game_id: str = ""
    fault: str = ""


@dataclass(frozen=True)
class LoadedTable:
    """A table of a league, now or as of a moment.

    Attributes:
        games: The games of the gameweek as they are now.
        current: The version of the table as it is now.
    """

    page: page.LeaguePage
    games: list[GameRow]
    rewind: Rewind
    current: LeagueVersion

    @property
    def is_now(self) -> bool:
        """Whether the page shows the table as it is now."""
        return not self.page.at


def load_table(league: queries.LeagueRow, gameweek: GameweekRow, rewind: Rewind) -> LoadedTable:
    """Load the table as of the requested moment; as it is now if the moment is wrong."""
    current = league_version(league.id, gameweek)
    cache_places(league.id)
    begin_snapshot()  # so that the table fits the games
    games = gameweeks.games_of(gameweek)
    if rewind.at:
        try:
            cuts = moments.cuts(games, moment(rewind.at), rewind.game_id)
        except MomentError as error:
            rewind = Rewind(rewind.at, rewind.game_id, str(error))
        else:
            table = _table_as_of(league, gameweek, games, cuts)
            return LoadedTable(table, games, rewind, current)
    table = table_now(league, gameweek, games, current_user.id, is_over=current.is_over)
    return LoadedTable(table, games, rewind, current)


def _table_as_of(
    league: queries.LeagueRow, gameweek: GameweekRow, games: list[GameRow], cuts: Cuts
) -> page.LeaguePage:
    games_then, lines = moments.games_as_of(games, cuts)
    table = moments.table_as_of(league, gameweek, games_then, lines)
    title = rules_named(league.rules).title
    context = page.TableContext(league, title, gameweek, games_then, is_over=True)
    return page.league_page_as_of(context, table, cuts)


def table_now(
    league: queries.LeagueRow,
    gameweek: GameweekRow,
    games: list[GameRow],
    me: int,
    *,
    is_over: bool,
) -> page.LeaguePage:
    """The requested page of the table, with the place and games of the member `me`.

    Without them if `me` is 0.
    """
    number = page_number()
    context = page.TableContext(
        league,
        rules_named(league.rules).title,
        gameweek,
        games,
        is_over,
        number,
        page_rows=league_table.PAGE_ROWS,
        locked=sheet_picks.is_locked(league.team_rules_id, gameweek, clock.now()),
        notes=_notes(league.id) if league.is_member else {},
        changes=_changes(league.id) if league.is_member else (),
    )
    is_week = request.args.get("table") == "week"
    if is_week:
        return page.league_page_of_week(
            context, league_table.week_table(league, gameweek, number, me)
        )
    table = league_table.season_table(league, gameweek, number)
    if not me:
        return page.league_page(context, table)
    matchups = games_of_league.head_to_head(league.id, gameweek.id, me, rows=MATCHUPS_SHOWN)
    league_page = page.league_page(
        context, table, mine=league_table.page_of(league.id, me), matchups=matchups
    )
    my_matchup = load_my_matchup(league, gameweek, matchups, me, is_over=is_over)
    return replace(league_page, my_matchup=my_matchup)


def table_values(
    table: page.LeaguePage, games: list[GameRow], rewind: Rewind | None = None
) -> dict[str, object]:
    """The template's values for a table, without those that are the viewer's own."""
    rewind = rewind or Rewind()
    undated = ""
    if not table.at:
        counts_moved = table.league.counts_moved
        undated = undated_words(games, table.gameweek.name, counts_moved=counts_moved)
    return {
        "page": table,
        "status_words": status_words,
        "games": games,
        "undated": undated,
        "asked": rewind.at,
        "chosen": rewind.game_id,
        "fault": rewind.fault,
    }


def _changes(league_id: int) -> list[str]:
    return [
        f"{change.old_title} → {change.new_title}: {change.reason}"
        for change in rule_changes.of(league_id)
    ]


def _notes(league_id: int) -> dict[int, list[str]]:
    """The commissioner's adjustments in words, by member."""
    notes: dict[int, list[str]] = {}
    for adjustment in adjustments.of(league_id):
        notes.setdefault(adjustment.member_id, []).append(
            f"{signed_points(adjustment.points)} in {adjustment.gameweek}: {adjustment.reason}"
        )
    return notes


def load_now(
    league: queries.LeagueRow, gameweek: GameweekRow, table: LoadedTable
) -> NowPage | None:
    """What just happened in the league, for its members, beside the table as it is now.

    None for the table's own poll, which does not show it.
    """
    if not league.is_member or request.htmx or table.rewind.at:
        return None
    return swing_reading.now_page(
        league, gameweek, table.games, table.current.version, current_user.id
    )


def invite_code(league: queries.LeagueRow, viewer_id: int) -> str | None:
    """The code that lets others join the league, for its commissioner alone.

    None if every team of a draft league is taken.
    """
    if league.is_overall or league.commissioner_id != viewer_id:
        return None
    if league.game == "draft" and not owners.waiting_for_owners(league.id):
        return None
    return db.session.scalar(select(League.invite_code).where(League.id == league.id))


def next_step(team_rules_id: int, gameweek: GameweekRow) -> Deadline | None:
    """The viewer's next deadline, while they have no team for it or nothing is played yet."""
    deadline = next_pick(team_rules_id)
    if deadline is None:
        return None
    team = deadline.team
    return deadline if team.state == "none" or team.gameweek_id == gameweek.id else None


def next_pick(team_rules_id: int) -> Deadline | None:
    """The deadline of the gameweek that the viewer can pick a team for now.

    None after the season's last.
    """
    now = clock.now()
    team = my_team(current_user.id, team_rules_id, now)
    return next(iter(deadlines_of([team], now)), None) if team else None


def load_sheet(
    league: queries.LeagueRow,
    gameweek: GameweekRow,
    member_id: int,
    names: tuple[str, str],
    viewer: int,
) -> page.CountedSheet:
    """Load the member's team sheet as it is now for a viewer.

    `names`: the team's and the member's.
    """
    sheet = sheet_without_picks(league, gameweek, member_id, names, viewer)
    if sheet.is_hidden:
        return sheet
    picks = sheet_picks.picks(member_id, gameweek, league)
    return replace(sheet, picks=picks, now=clock.now())


def sheet_without_picks(
    league: queries.LeagueRow,
    gameweek: GameweekRow,
    member_id: int,
    names: tuple[str, str],
    viewer: int,
) -> page.CountedSheet:
    """Load what counts besides the footballers of a sheet, and whether its line-up is secret."""
    is_hidden = member_id != viewer and not is_shown_to_all(
        league.team_rules_id, gameweek.id, clock.now()
    )
    cost = 0
    if not is_hidden:
        cost = sheet_picks.transfer_cost(member_id, gameweek.id, league.team_rules_id)
    return page.CountedSheet(
        *names,
        picks=(),
        transfer_cost=cost,
        adjusted=adjustments.reasons(league.id, gameweek.id).get(member_id, []),
        is_hidden=is_hidden,
    )
