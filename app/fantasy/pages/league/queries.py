"""Reads of a league's table for its pages, as values.

The table as it is now, and what its viewer does next.
"""

from __future__ import annotations

from flask import request

from app.core import clock
from app.core.http.pagination import page_number
from app.core.page_cache.placeholders import is_rendering_for_everybody
from app.core.viewer import current_user
from app.fantasy.amounts import signed_points
from app.fantasy.leagues import adjustments, rule_changes
from app.fantasy.leagues.words import undated_words
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.home.page import Deadline, deadlines_of
from app.fantasy.pages.league import page
from app.fantasy.pages.league.large_table import large_league_page
from app.fantasy.scoring import picks as sheet_picks
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.sheets.my_teams import my_team
from app.fantasy.standings import games as games_of_league
from app.fantasy.standings import queries
from app.fantasy.standings import season_table as league_table
from app.record import queries as record
from app.record.pages.game_page import status_words

MATCHUPS_SHOWN = 6


def next_step(team_rules_id: int, gameweek: GameweekRow) -> Deadline | None:
    """What the viewer does next.

    The deadline to come, while they have no team for it or nothing is played yet.
    """
    found = next_pick(team_rules_id)
    if found is None or (found.team.state != "none" and gameweek.id != found.team.gameweek_id):
        return None
    return found


def next_pick(team_rules_id: int) -> Deadline | None:
    """The deadline of the gameweek that the viewer can pick a team for now.

    None after the season's last.
    """
    now = clock.now()
    team = my_team(current_user.id, team_rules_id, now)
    return next(iter(deadlines_of([team], now)), None) if team else None


def table_now(
    league: queries.LeagueRow, gameweek: GameweekRow, games: list[record.GameRow], over: bool
) -> page.LeaguePage:
    """The page of the table that the request asks for.

    Rendered for all, without the viewer's own place and games.
    """
    number = page_number()
    around = page.Shown(
        league,
        rules_named(league.rules).title,
        gameweek,
        games,
        over,
        number,
        page_rows=league_table.PAGE_ROWS,
        locked=sheet_picks.is_locked(league.team_rules_id, gameweek, clock.now()),
    )
    me = 0 if is_rendering_for_everybody() else current_user.id
    is_week = request.args.get("table") == "week"
    notes = _notes(league.id) if league.is_member else {}
    changed = _changes(league.id) if league.is_member else ()
    large = large_league_page(around, me, of_week=is_week, notes=notes, changes=changed)
    if large is not None:
        return large
    if is_week:
        return page.league_page_of_week(around, queries.standings(league.id, gameweek.id), me)
    return page.league_page(
        around,
        league_table.season_table(league, gameweek, number),
        mine=league_table.page_of(league.id, me) if me else 1,
        matchups=games_of_league.head_to_head(league.id, gameweek.id, me, rows=MATCHUPS_SHOWN)
        if me
        else (),
        notes=notes,
        changes=changed,
    )


def _changes(league_id: int) -> list[str]:
    return [
        f"{one.old_title} became {one.new_title}: {one.reason}"
        for one in rule_changes.of(league_id)
    ]


def _notes(league_id: int) -> dict[int, list[str]]:
    """The commissioner's adjustments in words, by member."""
    notes: dict[int, list[str]] = {}
    for one in adjustments.of(league_id):
        notes.setdefault(one.member_id, []).append(
            f"{signed_points(one.points)} in {one.gameweek}: {one.reason}"
        )
    return notes


def around(shown: page.LeaguePage, games: list[record.GameRow]) -> dict[str, object]:
    """What the page of a table needs besides what is the viewer's own."""
    return {
        "page": shown,
        "status_words": status_words,
        "games": games,
        "undated": undated_words(
            games, shown.gameweek.name, counts_moved=shown.league.counts_moved
        ),
        "asked": "",
        "chosen": "",
        "fault": "",
    }
