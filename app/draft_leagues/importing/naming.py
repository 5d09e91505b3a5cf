"""Gives imported teams names that are possible here. Reads only."""

from __future__ import annotations

from msgspec.structs import replace

from app.accounts.names import cleaned
from app.draft_leagues.importing.values import ImportedLeague, ImportedTeam
from app.fantasy.leagues.addresses import name_refusals
from app.fantasy.leagues.rules import TEAM_NAME_MAX


def with_possible_names(league: ImportedLeague) -> ImportedLeague:
    """The league with names that obey the rules of team names, and a note of each that changed."""
    notes: list[str] = []
    teams = tuple(_named(team, number, notes) for number, team in enumerate(league.teams, start=1))
    return replace(league, teams=teams, notes=(*league.notes, *notes))


def _named(team: ImportedTeam, number: int, notes: list[str]) -> ImportedTeam:
    refused = name_refusals(team.name, "team_name", TEAM_NAME_MAX)
    if not refused:
        return replace(team, owner=cleaned(team.owner))
    name = cleaned(team.name)[:TEAM_NAME_MAX].strip()
    if name_refusals(name, "team_name", TEAM_NAME_MAX):
        name = f"Team {number}"
    team_name = cleaned(team.name) or "One team"
    notes.append(f"{team_name} will be called {name} here. {refused[0].text}")
    return replace(team, name=name, owner=cleaned(team.owner))
