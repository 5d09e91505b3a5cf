"""The facts of a season that somebody entered, read from the database: never a sum."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.fantasy.seasons.plain_rules import PRINTED


@dataclass
class Sheet:
    picks: list[str]
    captain: int
    vice_captain: int


@dataclass
class TeamRules:
    format: str
    free: int | None
    bank: int
    cost: int


@dataclass
class League:
    name: str
    team_rules: int
    rules: str
    mode: str
    ties: str
    members: set[int] = field(default_factory=set)


@dataclass
class Facts:
    """`played`: (week, footballer) -> their stat lines.

    `in_table`: (league, week) -> members that the league counts.

    `changes`: of a league's rules, in order: for all weeks the last one counts.
    """

    weeks: list[int] = field(default_factory=list)
    played: dict[tuple[int, str], list[dict[str, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    position: dict[str, str] = field(default_factory=dict)
    printed: dict[str, dict[str, str]] = field(default_factory=dict)
    team_rules: dict[int, TeamRules] = field(default_factory=dict)
    sheets: dict[tuple[int, int], dict[int, Sheet]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    leagues: dict[int, League] = field(default_factory=dict)
    games: dict[tuple[int, int], list[tuple[int, int | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    adjusted: dict[tuple[int, int, int], int] = field(default_factory=lambda: defaultdict(int))
    in_table: dict[tuple[int, int], set[int]] = field(default_factory=lambda: defaultdict(set))


def read(session: Session, season: int) -> Facts:
    """The facts of a season after its last game."""

    def rows(statement: str) -> list[Any]:
        return list(session.execute(text(statement), {"season": season}).mappings())

    facts = Facts(printed=dict(PRINTED))
    week_of: dict[int, int] = {}
    for row in rows("SELECT id, week FROM gameweeks WHERE season_id = :season ORDER BY week"):
        week_of[row["id"]] = row["week"]
        facts.weeks.append(row["week"])
    for row in rows(
        "SELECT g.week, l.player_id, l.stats FROM stat_lines l JOIN games g ON g.id = l.game_id "
        "JOIN seasons s"
        " ON (s.competition, s.season, s.season_type) = (g.competition, g.season, g.season_type) "
        "WHERE s.id = :season"
    ):
        facts.played[row["week"], row["player_id"]].append(row["stats"])
    for row in rows(
        "SELECT footballer_id, position FROM footballer_seasons WHERE season_id = :season"
    ):
        facts.position[row["footballer_id"]] = row["position"]
    for row in rows("SELECT name, milli_points FROM custom_rules"):
        facts.printed[row["name"]] = {
            stat: f"{points}/1000" for stat, points in row["milli_points"].items()
        }
    for row in rows("SELECT * FROM team_rules WHERE season_id = :season"):
        facts.team_rules[row["id"]] = TeamRules(
            row["format"], row["free_transfers"], row["bank_limit"], row["transfer_cost"]
        )
    for row in rows(
        "SELECT t.* FROM team_sheets t JOIN gameweeks w ON w.id = t.gameweek_id WHERE w.season_id "
        "= :season"
    ):
        sheet = Sheet(list(row["picks"]), row["captain"], row["vice_captain"])
        facts.sheets[row["member_id"], row["team_rules_id"]][week_of[row["gameweek_id"]]] = sheet
    for row in rows("SELECT * FROM leagues WHERE season_id = :season"):
        facts.leagues[row["id"]] = League(
            row["name"], row["team_rules_id"], row["rules"], row["mode"], row["ties"]
        )
    of_season = "JOIN leagues l ON l.id = x.league_id WHERE l.season_id = :season"
    for row in rows(f"SELECT x.league_id, x.member_id FROM league_members x {of_season}"):
        facts.leagues[row["league_id"]].members.add(row["member_id"])
    for row in rows(f"SELECT x.* FROM matchups x {of_season}"):
        facts.games[row["league_id"], week_of[row["gameweek_id"]]].append(
            (row["home_id"], row["away_id"])
        )
    for row in rows(f"SELECT x.* FROM score_adjustments x {of_season}"):
        facts.adjusted[row["league_id"], row["member_id"], week_of[row["gameweek_id"]]] += row[
            "points"
        ]
    for row in rows(
        f"SELECT x.league_id, x.member_id, x.gameweek_id FROM league_scores x {of_season}"
    ):
        facts.in_table[row["league_id"], week_of[row["gameweek_id"]]].add(row["member_id"])
    return facts
