"""Imports a league in progress: one transaction, in which the rosters are acts of the log.

Results so far are adjustments with a reason, so they stay as they were there whatever the record
of past games says here. Whoever imports the league runs it and one of its teams; the other teams
wait for their owners.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import delete, insert, select, update

from app.accounts.models import Member
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.importing.rules import import_faults, roster_acts, with_room
from app.draft_leagues.importing.values import ImportedGame, ImportedLeague
from app.draft_leagues.name_matching import Known
from app.draft_leagues.season_facts import faults_in_season
from app.draft_leagues.setup.services import (
    NewDraftLeague,
    add_draft_league,
    begin_season,
    founded_just_now,
)
from app.draft_leagues.transactions.services import Refused, record
from app.fantasy.gameweeks import live
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.market.models import FootballerSeason, Gameweek, Season
from app.fantasy.rosters.models import Franchise
from app.fantasy.scoring import rulebook
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.standings.models import League, Matchup
from app.fantasy.standings.ranking import HEAD_TO_HEAD
from app.record.models import Club, Footballer, Game

REASON = "Result from before the league moved here"


@dataclass(frozen=True)
class Import:
    """An import that a member confirmed.

    Attributes:
        league: As the files describe it.
        team_key: Which team is the member's.
        ids: Footballers by the keys of the files.
        time_zone: Of the league's times.
    """

    name: str
    season_id: int
    league: ImportedLeague
    team_key: str
    ids: Mapping[str, str]
    time_zone: str


def known_footballers(season_id: int) -> list[Known]:
    """Everybody on the season's market, as files name them."""
    rows = db.session.execute(
        select(
            Footballer.id,
            Footballer.name,
            FootballerSeason.position,
            Footballer.club_id,
            Club.name.label("club"),
        )
        .join(FootballerSeason, FootballerSeason.footballer_id == Footballer.id)
        .outerjoin(Club, Club.id == Footballer.club_id)
        .where(FootballerSeason.season_id == season_id)
        .order_by(Footballer.id)
    )
    return [
        Known(row.id, row.name, row.position, row.club_id or "", row.club or "") for row in rows
    ]


def refusals(new: Import, now: datetime) -> list[Refusal]:
    """Everything that makes the import impossible; it writes nothing."""
    imported = _with_settings(new)
    teams = {team.key: team for team in new.league.teams}
    own_team = teams.get(new.team_key)
    team_name = own_team.name if own_team is not None else new.name
    refused = leagues.refusals(new.name, team_name, HEAD_TO_HEAD, "shared")
    if own_team is None:
        refused.append(Refusal("team", "team", "Choose which team is yours."))
    if len(teams) < new.league.settings.franchises:
        refused.append(Refusal("teams", "", "Some teams have no name. Name each of them."))
    if not any(new.ids.values()):
        refused.append(Refusal("players", "", "Nobody of these rosters is on the market here."))
    refused += import_faults(new.league, new.ids)
    refused += faults_in_season(imported.settings, new.season_id, now)
    db.session.rollback()  # the scoring is stored when the league is
    return refused


def take_over(member_id: int, new: Import, now: datetime) -> League | list[Refusal]:
    """Found the league with its rosters, results and schedule, in one transaction.

    A form that is sent twice imports once: the second sending returns the league of the first.

    Returns:
        The league, or everything that makes it impossible.
    """
    if (twin := founded_just_now(member_id, new.name, new.season_id, now)) is not None:
        return twin
    refused = refusals(new, now)
    if leagues.leagues_count(member_id) >= leagues.MOST_LEAGUES:
        refused.append(leagues.TOO_MANY)
    if refused:
        return refused
    with transaction():
        db.session.execute(select(Member.id).where(Member.id == member_id).with_for_update())
        if (twin := founded_just_now(member_id, new.name, new.season_id, now)) is not None:
            return twin
        imported = _with_settings(new)
        numbers = _numbers(imported, new.team_key)
        own_team = next(team for team in imported.teams if team.key == new.team_key)
        league = add_draft_league(
            member_id,
            NewDraftLeague(new.name, own_team.name, new.season_id, imported.settings),
            now,
        )
        _name_franchises(league.id, imported, numbers)
        _store_points(league)
        draft_league = locked(league.id)
        begin_season(draft_league, now)
        acts = roster_acts(imported, new.ids, numbers, member_id)
        result = record(draft_league, acts, now)
        if isinstance(result, Refused):
            db.session.rollback()
            return list(result.refusals)
        _write_results(league, imported, numbers, by_member_id=member_id)
        live.refresh_league(league.id, now)
    return league


def _with_settings(new: Import) -> ImportedLeague:
    """The league with its scoring by name, its zone, and rosters that hold everybody."""
    league = with_room(new.league, new.ids)
    scoring = league.settings.scoring
    if league.scoring:
        scoring = rulebook.custom_rules(league.scoring, f"Scoring of {new.name}")
        db.session.flush()
    return replace(
        league, settings=replace(league.settings, scoring=scoring, time_zone=new.time_zone)
    )


def _numbers(imported: ImportedLeague, team_key: str) -> dict[str, int]:
    """The franchise of each team; the member's is the first."""
    keys = sorted((team.key for team in imported.teams), key=lambda key: key != team_key)
    return {key: number for number, key in enumerate(keys, start=1)}


def _name_franchises(league_id: int, imported: ImportedLeague, numbers: Mapping[str, int]) -> None:
    has_priorities = all(team.waiver_priority for team in imported.teams)
    has_divisions = imported.settings.season.divisions > 1
    for team in imported.teams:
        number = numbers[team.key]
        values: dict[str, object] = {"name": team.name}
        if has_priorities:
            values["waiver_priority"] = team.waiver_priority
        if has_divisions and team.division:
            values["division"] = team.division
        db.session.execute(
            update(Franchise)
            .where(Franchise.league_id == league_id, Franchise.number == number)
            .values(values)
        )


def _store_points(league: League) -> None:
    """Store everybody's points of the season under scoring that no league has had."""
    if league.rules in PRESETS:
        return
    season = db.session.get_one(Season, league.season_id)
    games = db.session.scalars(
        select(Game.id)
        .where(
            Game.competition == season.competition,
            Game.season == season.season,
            Game.season_type == season.season_type,
        )
        .order_by(Game.id)
    ).all()
    store_points_of(games, rulebook.rules_named(league.rules))


def _write_results(
    league: League, imported: ImportedLeague, numbers: Mapping[str, int], *, by_member_id: int
) -> None:
    """Replace the schedule of the weeks that the files know, and write their results."""
    members = dict(
        db.session.execute(
            select(Franchise.number, Franchise.member_id).where(Franchise.league_id == league.id)
        ).all()
    )
    weeks = dict(
        db.session.execute(
            select(Gameweek.week, Gameweek.id).where(
                Gameweek.season_id == league.season_id, Gameweek.week >= league.first_week
            )
        ).all()
    )
    games = [game for game in imported.games if game.week in weeks]
    changed = {weeks[game.week] for game in games}
    db.session.execute(
        delete(Matchup).where(Matchup.league_id == league.id, Matchup.gameweek_id.in_(changed))
    )
    sides = {key: members[number] for key, number in numbers.items()}
    pairs = [
        {
            "league_id": league.id,
            "gameweek_id": weeks[game.week],
            "home_id": sides[game.home],
            "away_id": sides[game.away] if game.away else None,
        }
        for game in games
    ]
    results = [
        {
            "league_id": league.id,
            "member_id": sides[key],
            "gameweek_id": weeks[week],
            "points": points,
            "reason": REASON,
            "by_id": by_member_id,
        }
        for week, key, points in _points_of(games)
        if points
    ]
    if pairs:
        db.session.execute(insert(Matchup), pairs)
    if results:
        db.session.execute(insert(ScoreAdjustment), results)


def _points_of(games: Iterable[ImportedGame]) -> list[tuple[int, str, int]]:
    """The week, the team and the points of each side that has played."""
    played = []
    for game in games:
        sides = ((game.home, game.home_points), (game.away, game.away_points))
        played += [
            (game.week, key, points)
            for key, points in sides
            if key is not None and points is not None
        ]
    return played
