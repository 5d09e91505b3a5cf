"""Works out what an import will store, with a note for each difference from the files. Pure.

The preview shows the planned league, and services.py stores the same: neither filters anything
afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from app.draft_leagues import setting_words as words
from app.draft_leagues.importing.values import ImportedGame, ImportedLeague, ImportedTeam
from app.draft_leagues.setting_faults import SeasonFacts
from app.draft_leagues.setting_fitting import fitted
from app.draft_leagues.settings import (
    DraftLeagueSettings,
    RosterSettings,
    SeasonSettings,
    SlotName,
    StarterCount,
)


@dataclass(frozen=True, kw_only=True)
class ImportFacts:
    """The season that a league comes into.

    Attributes:
        year: The year in which it began.
        weeks: The numbers of its gameweeks.
        begun: Those whose deadline has passed.
        over: Those of which no game is to come.
        titles: The titles of scoring rules by name.
    """

    season: SeasonFacts
    year: int
    name: str
    weeks: frozenset[int]
    begun: frozenset[int]
    over: frozenset[int]
    titles: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class ImportAnswers:
    """What the member decides where the files leave a choice.

    Attributes:
        scoring: Scoring rules in place of those of the files; '' for those of the files.
        starters: Starting places in place of those of the files, by slot.
        bench: A bench in place of that of the files.
        starts_next: Whether the league begins with the next gameweek, without its results so far.
    """

    scoring: str = ""
    starters: Mapping[SlotName, int] | None = None
    bench: int | None = None
    starts_next: bool = False


@dataclass(frozen=True)
class ImportPlan:
    """What will be stored.

    Attributes:
        league: The league as it will be here; its notes are the differences from the files.
        missing_weeks: Gameweeks that have begun here and of which the files have no final result.
            Nothing can be stored while there are any.
        unfinished_weeks: Those of them that are not over here, whatever the files say.
        next_week: The gameweek with which it can begin without results.
    """

    league: ImportedLeague
    missing_weeks: Sequence[int]
    unfinished_weeks: Sequence[int]
    next_week: int


def plan_import(
    league: ImportedLeague, ids: Mapping[str, str], facts: ImportFacts, answers: ImportAnswers
) -> ImportPlan:
    """What an import of the league will store. `ids`: who was found, by the key of the file."""
    notes = list(league.notes)
    if league.year is not None and league.year != facts.year:
        notes.append(
            f"The files are from the {league.year} season. The league will be imported into "
            f"{facts.name}."
        )
    league = _as_answered(league, facts, answers, notes)
    league = replace(league, settings=_settings(league, ids, facts, notes))
    league = replace(
        league,
        games=tuple(_games(league, facts, notes)),
        teams=_teams(league, notes),
        notes=(),
    )
    if league.settings.season.divisions and not any(team.division for team in league.teams):
        season = replace(league.settings.season, divisions=0)
        league = replace(league, settings=replace(league.settings, season=season))
    missing = _missing_weeks(league, facts)
    return ImportPlan(
        replace(league, notes=tuple(dict.fromkeys(notes))),
        missing,
        [week for week in missing if week not in facts.over],
        facts.season.first_week,
    )


def _as_answered(
    league: ImportedLeague, facts: ImportFacts, answers: ImportAnswers, notes: list[str]
) -> ImportedLeague:
    """The league with what the member chose in place of what the files say."""
    settings, roster = league.settings, league.settings.roster
    if answers.starters is not None:
        starters = [
            StarterCount(slot, count) for slot, count in answers.starters.items() if count > 0
        ]
        roster = replace(roster, starters=tuple(starters))
    if answers.bench is not None:
        roster = replace(roster, bench=answers.bench)
    settings = replace(settings, roster=roster)
    if answers.scoring:
        settings, league = replace(settings, scoring=answers.scoring), replace(league, scoring={})
    if answers.starts_next:
        settings = replace(settings, season=_later_season(settings, facts))
        if league.played_weeks:
            notes.append(
                f"The league starts in Week {facts.season.first_week}. Earlier results are not "
                "imported."
            )
    return replace(league, settings=settings)


def _later_season(settings: DraftLeagueSettings, facts: ImportFacts) -> SeasonSettings:
    """The season from the next gameweek on, with the same end if that is possible."""
    season, first = settings.season, facts.season.first_week
    end = (season.first_week or first) + season.regular_weeks
    return replace(season, first_week=first, regular_weeks=max(1, end - first))


def _settings(
    league: ImportedLeague, ids: Mapping[str, str], facts: ImportFacts, notes: list[str]
) -> DraftLeagueSettings:
    """The settings as far as the season has room, with rosters that hold everybody."""
    before = league.settings
    deadline = before.trades.deadline_week
    if deadline is not None and deadline > facts.season.last_week:
        notes.append(f"There is no trade deadline: Week {deadline} is after this season ends.")
        deadline = None
    # A deadline that has passed stays: trades are over.
    trades = replace(before.trades, deadline_week=deadline)
    settings = replace(fitted(before, facts.season), trades=trades)
    changes = words.changes(replace(before, trades=trades), settings, facts.titles)
    notes += [
        f"{change.label}: {change.after or 'none'} instead of {change.before or 'none'}, because "
        "the season here has no room for more."
        for change in changes
    ]
    roomy = replace(settings, roster=_roster_for_all(league, settings, ids))
    changes = words.changes(settings, roomy, facts.titles)
    notes += [
        f"{change.label}: {change.after} instead of {change.before}, so that every roster fits."
        for change in changes
        if change.step == "roster"
    ]
    return roomy


def _roster_for_all(
    league: ImportedLeague, settings: DraftLeagueSettings, ids: Mapping[str, str]
) -> RosterSettings:
    """The places of a roster, so many that the largest imported one fits."""
    roster = settings.roster
    most = Counter[str]()
    for team in league.teams:
        spots = Counter(player.spot for player in team.players if player.key in ids)
        for spot, count in spots.items():
            most[spot] = max(most[spot], count)
    return replace(
        roster,
        bench=max(roster.bench, most["active"] - roster.starter_count),
        reserve=max(roster.reserve, most["reserve"]),
        taxi=max(roster.taxi, most["taxi"]),
    )


def _games(league: ImportedLeague, facts: ImportFacts, notes: list[str]) -> Iterable[ImportedGame]:
    """The games that will be stored, with results of gameweeks that are over here."""
    season = league.settings.season
    first = season.first_week or facts.season.first_week
    regular = range(first, first + season.regular_weeks)
    left_out, without_result = set(), set()
    games = []
    for game in league.games:
        if game.week not in regular or game.week not in facts.weeks:
            left_out.add(game.week)
        elif game.home_points is not None and game.week not in facts.over:
            without_result.add(game.week)
            games.append(replace(game, home_points=None, away_points=None))
        else:
            games.append(game)
    if left_out:
        notes.append(
            f"{weeks_in_words(left_out)}: these games are not imported, because the regular "
            f"season here is Weeks {regular.start} to {regular.stop - 1}."
        )
    if without_result:
        notes.append(
            f"{weeks_in_words(without_result)}: not finished here, so the points are not final."
        )
    by_week: dict[int, set[str | None]] = {}
    for game in games:
        by_week.setdefault(game.week, set()).update((game.home, game.away))
    for week, sides in sorted(by_week.items()):
        idle = [team.name for team in league.teams if team.key not in sides]
        if idle:
            notes.append(f"Week {week}: the files have no game for {', '.join(idle)}.")
    return games


def _missing_weeks(league: ImportedLeague, facts: ImportFacts) -> list[int]:
    """Gameweeks that the league counts, that have begun here, and that have no result."""
    season = league.settings.season
    first = season.first_week or facts.season.first_week
    end = (
        first + season.regular_weeks + (sum(season.weeks_per_round) if season.playoff_teams else 0)
    )
    played = set(league.played_weeks)
    # of a gameweek with results, every game has one
    unplayed = {game.week for game in league.games if game.home_points is None}
    return sorted(
        week for week in facts.begun if first <= week < end and (week not in played - unplayed)
    )


def _teams(league: ImportedLeague, notes: list[str]) -> tuple[ImportedTeam, ...]:
    """The teams with the budgets, waiver priorities and divisions that they will have."""
    waivers = league.settings.waivers
    has_bids = waivers.kind == "blind_bids"
    priorities = _ranks([team.waiver_priority for team in league.teams])
    if any(team.waiver_priority for team in league.teams) and not priorities:
        notes.append("Waiver priorities are not imported: not every team has its own.")
    divisions = [team.division for team in league.teams]
    numbers = {division: number for number, division in enumerate(sorted({*divisions}), start=1)}
    has_divisions = league.settings.season.divisions > 1 and all(divisions)
    if league.settings.season.divisions > 1 and not has_divisions:
        notes.append("Divisions are not imported: not every team is in one.")
    teams = []
    for number, team in enumerate(league.teams):
        used = team.budget_used if has_bids else 0
        if used > waivers.budget:
            notes.append(
                f"{team.name} has no waiver budget left: the files say {used} of {waivers.budget} "
                "are used."
            )
            used = waivers.budget
        teams.append(
            replace(
                team,
                budget_used=used,
                waiver_priority=priorities[number] if priorities else None,
                division=numbers[team.division] if has_divisions else 0,
            )
        )
    return tuple(teams)


def _ranks(priorities: Sequence[int | None]) -> list[int]:
    """The priorities from 1 on without gaps; empty if one is missing or given twice."""
    listed = [each for each in priorities if each]
    if len({*listed}) < len(priorities):
        return []
    order = sorted(listed)
    return [order.index(each) + 1 for each in listed]


def weeks_in_words(weeks: Iterable[int]) -> str:
    """Gameweeks in words.

    >>> weeks_in_words({3}), weeks_in_words({4, 3})
    ('Week 3', 'Weeks 3, 4')
    """
    listed = sorted(weeks)
    return f"Week{'' if len(listed) == 1 else 's'} {', '.join(map(str, listed))}"
