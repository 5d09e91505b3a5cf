"""Imports a league in progress: one transaction, in which the rosters are acts of the log.

Results so far are adjustments with a reason, so they stay as they were there whatever the record
of past games says here. Whoever imports the league runs it and one of its teams; the other teams
wait for their owners.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import delete, insert, select, update

from app.accounts.models import Member
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.importing.naming import with_possible_names
from app.draft_leagues.importing.planning import (
    ImportAnswers,
    ImportFacts,
    ImportPlan,
    plan_import,
    weeks_in_words,
)
from app.draft_leagues.importing.rules import import_faults, roster_acts
from app.draft_leagues.importing.values import ImportedGame, ImportedLeague
from app.draft_leagues.name_matching import Known
from app.draft_leagues.season_facts import faults_in_season, scoring_titles, season_facts
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
from app.fantasy.market.seasons import gameweeks_of
from app.fantasy.projections.preseason_store import ensure_preseason
from app.fantasy.rosters.models import Franchise
from app.fantasy.scoring import rulebook, season_totals
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.standings.models import League, Matchup
from app.fantasy.standings.ranking import HEAD_TO_HEAD
from app.record.models import Club, Footballer, Game

REASON = "Result from before the league moved here"


@dataclass(frozen=True)
class Import:
    """An import that a member confirms.

    Attributes:
        league: As the files describe it.
        team_key: Which team is the member's.
        ids: Footballers by the keys of the files.
        time_zone: Of the league's times.
        answers: What the member decided where the files leave a choice.
    """

    name: str
    season_id: int
    league: ImportedLeague
    team_key: str
    ids: Mapping[str, str]
    time_zone: str
    answers: ImportAnswers = field(default_factory=ImportAnswers)


def planned(new: Import, now: datetime) -> ImportPlan:
    """What the import will store; reads only."""
    settings = replace(new.league.settings, time_zone=new.time_zone)
    league = with_possible_names(replace(new.league, settings=settings))
    return plan_import(league, new.ids, import_facts(new.season_id, now, league), new.answers)


def import_facts(season_id: int, now: datetime, league: ImportedLeague) -> ImportFacts:
    """The season that the league comes into, as it stands now."""
    season = db.session.get_one(Season, season_id)
    gameweeks = gameweeks_of(season_id)
    begun = [each.week for each in gameweeks if each.deadline <= now]
    past_weeks = {each.week for each in gameweeks if each.settled_at is not None}
    past_weeks |= set(begun[:-1])  # the next gameweek has begun
    return ImportFacts(
        season=season_facts(season_id, now),
        year=season.season,
        name=season.name,
        weeks=frozenset(each.week for each in gameweeks),
        begun=frozenset(begun),
        over=frozenset(past_weeks),
        titles=scoring_titles(league.settings),
    )


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
    plan = planned(new, now)
    league = plan.league
    teams = {team.key: team for team in league.teams}
    own_team = teams.get(new.team_key)
    team_name = own_team.name if own_team is not None else new.name
    refused = leagues.refusals(new.name, team_name, HEAD_TO_HEAD, "shared")
    if own_team is None:
        refused.append(Refusal("team", "team", "Choose which team is yours."))
    if len(teams) < league.settings.franchises:
        refused.append(Refusal("teams", "", "Two teams have the same name. Rename one."))
    if not any(new.ids.values()):
        refused.append(Refusal("players", "", "None of these players were found in this season."))
    if plan.missing_weeks:
        refused.append(_missing(plan))
    refused += import_faults(league, new.ids)
    refused += faults_in_season(_with_scoring(league, new.name).settings, new.season_id, now)
    db.session.rollback()  # the scoring is stored when the league is
    return refused


def _missing(plan: ImportPlan) -> Refusal:
    """Why results are missing, and what the member can do about it.

    Nobody can add results of a gameweek that is not over here: they may be in the files already.
    """
    absent = [week for week in plan.missing_weeks if week not in plan.unfinished_weeks]
    sentences, choices = [], []
    if absent:
        have, them = ("has", "it") if len(absent) == 1 else ("have", "them")
        sentences.append(
            f"{weeks_in_words(absent)} {have} begun here, but the files have no final result for "
            f"{them}."
        )
        choices.append("add the final results")
    if plan.unfinished_weeks:
        is_single = len(plan.unfinished_weeks) == 1
        are, they = ("is", "it is") if is_single else ("are", "they are")
        sentences.append(
            f"{weeks_in_words(plan.unfinished_weeks)} {are} not finished here, so final results "
            "can't be imported yet."
        )
        choices.append(f"wait until {they} finished here")
    choice = " and ".join(choices)
    return Refusal(
        "missing_weeks",
        "starts_next",
        f"{' '.join(sentences)} {choice[0].upper()}{choice[1:]}, or start in Week "
        f"{plan.next_week} without earlier results.",
    )


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
        imported = _with_scoring(planned(new, now).league, new.name)
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


def has_imported_results(league_id: int) -> bool:
    """Whether results came along when the league moved here."""
    query = select(ScoreAdjustment.id).where(
        ScoreAdjustment.league_id == league_id, ScoreAdjustment.reason == REASON
    )
    return db.session.scalar(query.limit(1)) is not None


def _with_scoring(league: ImportedLeague, name: str) -> ImportedLeague:
    """The league with its own scoring stored under a name."""
    if not league.scoring:
        return league
    scoring = rulebook.custom_rules(league.scoring, f"Scoring of {name}")
    db.session.flush()
    return replace(league, settings=replace(league.settings, scoring=scoring))


def _numbers(imported: ImportedLeague, team_key: str) -> dict[str, int]:
    """The franchise of each team; the member's is the first."""
    keys = sorted((team.key for team in imported.teams), key=lambda key: key != team_key)
    return {key: number for number, key in enumerate(keys, start=1)}


def _name_franchises(league_id: int, imported: ImportedLeague, numbers: Mapping[str, int]) -> None:
    for team in imported.teams:
        number = numbers[team.key]
        values: dict[str, object] = {"name": team.name}
        if team.waiver_priority:
            values["waiver_priority"] = team.waiver_priority
        if team.division:
            values["division"] = team.division
        db.session.execute(
            update(Franchise)
            .where(Franchise.league_id == league_id, Franchise.number == number)
            .values(values)
        )


def _store_points(league: League) -> None:
    """Store everybody's points and totals of the season under scoring that no league has had."""
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
    season_totals.add_up_rules(season.id, league.rules)
    ensure_preseason(season.id, league.rules)


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
            select(Gameweek.week, Gameweek.id).where(Gameweek.season_id == league.season_id)
        ).all()
    )
    games = imported.games
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
