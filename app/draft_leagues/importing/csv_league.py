"""Reads a league in progress from CSV tables. Pure.

- Rosters: `team, player, position, club, spot`, a row per footballer. Needed.
- Teams: `team, owner, waiver priority, budget used, division`, a row per team.
- Results: `week, home, away, home points, away points`, a row per game, also of games to come.
- Scoring and all other settings are those of a preset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from app.core.refusals import Refusal
from app.draft_leagues.importing.values import (
    LEAST_TEAMS,
    MOST_TEAMS,
    ImportedGame,
    ImportedLeague,
    ImportedPlayer,
    ImportedTeam,
    Spot,
)
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.uploaded_csv import UploadedRow, read_table

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
    teams = _teams(rosters, about)
    if not LEAST_TEAMS <= len(teams) <= MOST_TEAMS:
        text = f"The files name {len(teams)} teams; a league has {LEAST_TEAMS} to {MOST_TEAMS}."
        return Refusal("teams", field, text)
    games = _games(results, {team.key for team in teams}, field)
    if isinstance(games, Refusal):
        return games
    divisions = len({team.division for team in teams if team.division})
    season = replace(settings.season, divisions=divisions if divisions > 1 else 0)
    return ImportedLeague(
        name, None, replace(settings, franchises=len(teams), season=season), teams, games
    )


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
                    f"line-{row.line}",
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
        return ImportedTeam(key[:200], key[:40], players=players)
    return ImportedTeam(
        key[:200],
        key[:40],
        row.text(*OWNER)[:200],
        players,
        _whole(row, "budgetused", "faabused") or 0,
        _whole(row, "waiverpriority", "priority") or None,
        _whole(row, "division") or 0,
    )


def _whole(row: UploadedRow, *columns: str) -> int | None:
    number = row.number(*columns)
    return None if number is None else max(0, int(number))


def _games(
    rows: Sequence[UploadedRow], teams: set[str], field: str
) -> tuple[ImportedGame, ...] | Refusal:
    games = []
    for row, game in _read_games(rows):
        if game is None or not {game.home, game.away} - {None} <= teams:
            return Refusal(
                "results",
                field,
                f"Results, line {row.line}: name a week and two teams as the rosters call them.",
            )
        games.append(game)
    return tuple(games)


def _read_games(rows: Sequence[UploadedRow]) -> Iterator[tuple[UploadedRow, ImportedGame | None]]:
    for row in rows:
        week = _whole(row, "week", "gameweek")
        home, away = row.text("home"), row.text("away")
        points = [
            None if number is None else round(number * 1000)
            for number in (
                row.number("homepoints", "homescore"),
                row.number("awaypoints", "awayscore"),
            )
        ]
        is_game = week and week <= 30 and home != away and home  # noqa: PLR2004 (gameweeks)
        yield row, ImportedGame(week or 1, home, away or None, *points) if is_game else None
