"""Reads a league in progress from CSV tables. Pure.

- Rosters: `team, player, position, club, spot`, a row per footballer. Needed.
- Teams: `team, owner, waiver priority, budget used, division`, a row per team.
- Results: `week, home, away, home points, away points`, a row per game, also of games to come.
- Scoring and all other settings are those of a preset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace

from msgspec.structs import replace

from app.core.refusals import Refusal
from app.draft_leagues.importing.values import (
    LEAST_TEAMS,
    MOST_BUDGET,
    MOST_DIVISIONS,
    MOST_POINTS,
    MOST_PRIORITY,
    MOST_TEAMS,
    MOST_WEEKS,
    ImportedGame,
    ImportedLeague,
    ImportedPlayer,
    ImportedTeam,
    Spot,
)
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.uploaded_csv import UnreadableNumberError, UploadedRow, read_table

TEAM = ("team", "franchise", "teamname", "fantasyteam")
PLAYER = ("player", "playername", "name")
OWNER = ("owner", "manager", "member")
SPOTS: Mapping[str, Spot] = {
    "ir": "reserve",
    "reserve": "reserve",
    "injuredreserve": "reserve",
    "taxi": "taxi",
}


def read_csv_league(
    files: Mapping[str, bytes], name: str, settings: DraftLeagueSettings, field: str
) -> ImportedLeague | Refusal:
    """The league of these files, or what is wrong with them.

    Args:
        files: CSV files by name; each is known by its columns.
        name: The name of the league.
        settings: Those of a preset.
        field: The field of the form, for a refusal.
    """
    rosters: list[UploadedRow] = []
    about: list[UploadedRow] = []
    results: list[UploadedRow] = []
    for file, data in files.items():
        rows = read_table(data, field)
        if isinstance(rows, Refusal):
            return Refusal(rows.code, field, f"{file}: {rows.text}")
        rows = [dataclass_replace(row, file=file) for row in rows]
        columns = rows[0].cells
        if "home" in columns and "away" in columns:
            results += rows
        elif any(column in columns for column in PLAYER):
            rosters += rows
        elif any(column in columns for column in TEAM):
            about += rows
        else:
            return Refusal(
                "columns",
                field,
                f"{file}: the first line needs team and player (rosters), team and owner (teams), "
                "or week, home and away (results).",
            )
    if not rosters:
        return Refusal("rosters", field, "Add the rosters: a CSV file with team and player.")
    try:
        return _league(name, settings, _Tables(rosters, about, results), field)
    except UnreadableNumberError as error:
        return Refusal("number", field, str(error))


@dataclass(frozen=True)
class _Tables:
    """The rows of all files, by what they are about."""

    rosters: Sequence[UploadedRow]
    teams: Sequence[UploadedRow]
    results: Sequence[UploadedRow]


def _league(
    name: str, settings: DraftLeagueSettings, tables: _Tables, field: str
) -> ImportedLeague | Refusal:
    if refusal := _team_refusal(tables, field):
        return refusal
    teams = _teams(tables.rosters, tables.teams)
    if not LEAST_TEAMS <= len(teams) <= MOST_TEAMS:
        text = f"The files have {len(teams)} teams. A league has {LEAST_TEAMS} to {MOST_TEAMS}."
        return Refusal("teams", field, text)
    games = _games(tables.results, {team.key for team in teams}, field)
    if isinstance(games, Refusal):
        return games
    divisions = len({team.division for team in teams if team.division})
    # A league with results counts from the first of them on.
    first_week = min((game.week for game in games), default=settings.season.first_week)
    season = replace(
        settings.season, divisions=divisions if divisions > 1 else 0, first_week=first_week
    )
    return ImportedLeague(
        name, None, replace(settings, franchises=len(teams), season=season), teams, games
    )


def _team_refusal(tables: _Tables, field: str) -> Refusal | None:
    """What is wrong with the rows' teams: none is named, or two rows are about the same one."""
    for row in (*tables.rosters, *tables.teams):
        if not row.text(*TEAM):
            return Refusal("team", field, f"{row.place}: enter the team.")
    named: set[str] = set()
    for row in tables.teams:
        name = row.text(*TEAM)
        if name in named:
            text = f"{row.place}: {name[:40]} has a row already. Remove one of them."
            return Refusal("team_twice", field, text)
        named.add(name)
    return None


def _teams(
    rosters: Sequence[UploadedRow], about: Sequence[UploadedRow]
) -> tuple[ImportedTeam, ...]:
    players: dict[str, list[ImportedPlayer]] = {row.text(*TEAM): [] for row in (*about, *rosters)}
    for row in rosters:
        name = row.text(*PLAYER)
        if name:
            spot = SPOTS.get(row.text("spot", "slot").casefold().replace(" ", ""), "active")
            players[row.text(*TEAM)].append(
                ImportedPlayer(
                    f"line-{row.line}" if row.file == rosters[0].file else f"{row.file}-{row.line}",
                    name[:200],
                    row.text("position", "pos")[:200],
                    row.text("club", "nflteam", "proteam")[:200],
                    tuple(row.cells[key][:200] for key in ("id", "gsisid") if row.cells.get(key)),
                    spot,
                )
            )
    rows = {row.text(*TEAM): row for row in about}
    return tuple(_team(key, rows.get(key), tuple(listed)) for key, listed in players.items() if key)


def _team(key: str, row: UploadedRow | None, players: tuple[ImportedPlayer, ...]) -> ImportedTeam:
    if row is None:
        return ImportedTeam(key[:200], key[:200], players=players)
    return ImportedTeam(
        key[:200],
        key[:200],
        row.text(*OWNER)[:200],
        players,
        row.whole("budgetused", "faabused", most=MOST_BUDGET) or 0,
        row.whole("waiverpriority", "priority", most=MOST_PRIORITY) or None,
        row.whole("division", most=MOST_DIVISIONS) or 0,
    )


def _games(
    rows: Sequence[UploadedRow], teams: set[str], field: str
) -> tuple[ImportedGame, ...] | Refusal:
    games = []
    for row in rows:
        week, home, away = row.whole("week", "gameweek"), row.text("home"), row.text("away")
        if not week or week > MOST_WEEKS:
            text = f"enter a week from 1 to {MOST_WEEKS}."
            return Refusal("results", field, f"{row.place}: {text}")
        if fault := _sides_fault(home, away, teams):
            return Refusal("results", field, f"{row.place}: {fault}")
        points = (
            row.thousandths("homepoints", "homescore"),
            row.thousandths("awaypoints", "awayscore"),
        )
        if fault := _points_fault(points, has_opponent=bool(away)):
            return Refusal("results", field, f"{row.place}: {fault}")
        games.append(ImportedGame(week, home, away or None, *points))
    return tuple(games)


def _sides_fault(home: str, away: str, teams: set[str]) -> str:
    if not home:
        return "enter the home team."
    if home == away:
        return f"{home[:40]} cannot play itself."
    unknown = [side[:40] for side in (home, away) if side and side not in teams]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        return (
            f"{' and '.join(unknown)} {verb} not in the rosters. Use the same team names as the "
            "rosters."
        )
    return ""


def _points_fault(points: tuple[int | None, int | None], *, has_opponent: bool) -> str:
    home, away = points
    if has_opponent and (home is None) != (away is None):
        return "enter points for both teams, or for neither before the game."
    if not has_opponent and away is not None:
        return "there are points without a team name."
    if any(abs(side or 0) > MOST_POINTS for side in points):
        return f"a team has at most {MOST_POINTS // 1000} points in a week."
    return ""
