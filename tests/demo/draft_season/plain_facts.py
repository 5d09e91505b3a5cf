"""The facts of a draft league's season, read by SQL: acts, line-ups and stat lines, never a sum.

Besides them `Results` has what the app says follows from them, for the comparison.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import text

from app.core.db import db

Row = Mapping[str, Any]


@dataclass
class Facts:
    """What people and games did.

    Attributes:
        settings: The league's settings, as stored.
        kickoffs: By week and club.
        played: The stat lines of a footballer in a week, each with its game.
        lineups: The picks of a franchise in a week, '' for an empty place.
        log: The transactions in their order.
        pairs: Who met whom in each week, as franchises; None is the average.
    """

    league_id: int
    year: int
    settings: dict[str, Any]
    scoring: str
    places: list[str]
    bench: int
    franchises: list[int] = field(default_factory=list)
    divisions: dict[int, int] = field(default_factory=dict)
    weeks: list[int] = field(default_factory=list)
    kickoffs: dict[int, dict[str, datetime]] = field(default_factory=lambda: defaultdict(dict))
    settled_at: dict[int, datetime] = field(default_factory=dict)
    deadlines: dict[int, datetime] = field(default_factory=dict)
    positions: dict[str, str] = field(default_factory=dict)
    clubs: dict[str, str] = field(default_factory=dict)
    played: dict[tuple[int, str], list[tuple[str, dict[str, int]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    lineups: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    log: list[Row] = field(default_factory=list)
    pairs: dict[int, list[tuple[int, int | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    draft: Row = field(default_factory=dict)
    draft_events: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    trades: list[Row] = field(default_factory=list)
    trade_events: dict[int, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def begun(self, footballer: str, moment: datetime) -> bool:
        """Whether the footballer's game has begun, in the week whose last game has not."""
        for week in self.weeks:
            kickoffs = self.kickoffs[week]
            if max(kickoffs.values()) > moment:
                kickoff = kickoffs.get(self.clubs[footballer])
                return kickoff is not None and kickoff <= moment
        return False


@dataclass
class Results:
    """What the app stored."""

    points: dict[tuple[int, int], int] = field(default_factory=dict)
    spots: dict[str, tuple[int, str]] = field(default_factory=dict)
    budgets: dict[int, int] = field(default_factory=dict)
    picks: dict[tuple[int, int, int], int] = field(default_factory=dict)
    draft_picks: list[tuple[int, int, str]] = field(default_factory=list)
    champion: int | None = None
    phase: str = ""


def rows(statement: str, **values: object) -> list[Row]:
    return [dict(row) for row in db.session.execute(text(statement), values).mappings()]


def read_facts(league_id: int) -> Facts:
    [league] = rows(
        "SELECT l.rules, l.season_id, d.settings, s.season, t.format FROM leagues l "
        "JOIN draft_leagues d ON d.league_id = l.id JOIN seasons s ON s.id = l.season_id "
        "JOIN team_rules t ON t.id = l.team_rules_id WHERE l.id = :id",
        id=league_id,
    )
    starters = league["settings"]["roster"]["starters"]
    facts = Facts(
        league_id,
        league["season"],
        league["settings"],
        league["rules"],
        [each["slot"] for each in starters for _ in range(each["count"])],
        league["settings"]["roster"]["bench"],
    )
    _read_games(facts, league["season_id"])
    _read_league(facts)
    _read_moves(facts)
    return facts


def _read_games(facts: Facts, season_id: int) -> None:
    for row in rows(
        "SELECT week, deadline, settled_at FROM gameweeks WHERE season_id = :id ORDER BY week",
        id=season_id,
    ):
        if row["settled_at"] is not None:
            facts.weeks.append(row["week"])
            facts.settled_at[row["week"]] = row["settled_at"]
        facts.deadlines[row["week"]] = row["deadline"]
    of_season = (
        "JOIN seasons s ON (s.competition, s.season, s.season_type) "
        "= (g.competition, g.season, g.season_type) WHERE s.id = :id"
    )
    for row in rows(f"SELECT g.* FROM games g {of_season}", id=season_id):
        for club in (row["home_id"], row["away_id"]):
            facts.kickoffs[row["week"]][club] = row["kickoff"]
    for row in rows(
        f"SELECT g.week, g.id, l.player_id, l.stats FROM stat_lines l "
        f"JOIN games g ON g.id = l.game_id {of_season}",
        id=season_id,
    ):
        facts.played[row["week"], row["player_id"]].append((row["id"], row["stats"]))
    for row in rows(
        "SELECT m.footballer_id, m.position, f.club_id FROM footballer_seasons m "
        "JOIN footballers f ON f.id = m.footballer_id WHERE m.season_id = :id",
        id=season_id,
    ):
        facts.positions[row["footballer_id"]] = row["position"]
        facts.clubs[row["footballer_id"]] = row["club_id"]


def _read_league(facts: Facts) -> None:
    members = {}
    for row in rows(
        "SELECT * FROM franchises WHERE league_id = :id ORDER BY number", id=facts.league_id
    ):
        facts.franchises.append(row["number"])
        facts.divisions[row["number"]] = row["division"]
        members[row["member_id"]] = row["number"]
    for row in rows(
        "SELECT t.member_id, t.picks, w.week FROM team_sheets t "
        "JOIN leagues l ON l.team_rules_id = t.team_rules_id "
        "JOIN gameweeks w ON w.id = t.gameweek_id WHERE l.id = :id",
        id=facts.league_id,
    ):
        facts.lineups[row["week"], members[row["member_id"]]] = list(row["picks"])
    for row in rows(
        "SELECT m.home_id, m.away_id, w.week FROM matchups m "
        "JOIN gameweeks w ON w.id = m.gameweek_id WHERE m.league_id = :id",
        id=facts.league_id,
    ):
        facts.pairs[row["week"]].append((members[row["home_id"]], members.get(row["away_id"])))


def _read_moves(facts: Facts) -> None:
    of_league = {"id": facts.league_id}
    facts.log = rows(
        "SELECT * FROM roster_transactions WHERE league_id = :id ORDER BY number", **of_league
    )
    [facts.draft] = rows("SELECT id, plan FROM drafts WHERE league_id = :id", **of_league)
    facts.draft_events = [
        row["body"]
        for row in rows(
            "SELECT body FROM draft_events WHERE draft_id = :id ORDER BY number",
            id=facts.draft["id"],
        )
    ]
    facts.runs = rows("SELECT * FROM waiver_runs WHERE league_id = :id ORDER BY id", **of_league)
    facts.claims = rows("SELECT * FROM waiver_claims WHERE league_id = :id", **of_league)
    facts.trades = rows("SELECT * FROM trades WHERE league_id = :id ORDER BY id", **of_league)
    for row in rows(
        "SELECT e.* FROM trade_events e JOIN trades t ON t.id = e.trade_id "
        "WHERE t.league_id = :id ORDER BY e.trade_id, e.number",
        **of_league,
    ):
        facts.trade_events[row["trade_id"]].append(row)


def read_results(league_id: int) -> Results:
    results = Results()
    of_league = {"id": league_id}
    for row in rows(
        "SELECT s.points, w.week, f.number FROM league_scores s "
        "JOIN gameweeks w ON w.id = s.gameweek_id JOIN franchises f "
        "ON (f.league_id, f.member_id) = (s.league_id, s.member_id) WHERE s.league_id = :id",
        **of_league,
    ):
        results.points[row["week"], row["number"]] = row["points"]
    for row in rows("SELECT * FROM roster_spots WHERE league_id = :id", **of_league):
        results.spots[row["footballer_id"]] = row["franchise"], row["spot"]
    for row in rows("SELECT * FROM franchise_budgets WHERE league_id = :id", **of_league):
        results.budgets[row["franchise"]] = row["amount"]
    for row in rows("SELECT * FROM pick_owners WHERE league_id = :id", **of_league):
        key = row["season"], row["round"], row["original_franchise"]
        results.picks[key] = row["franchise"]
    for row in rows(
        "SELECT p.* FROM draft_picks p JOIN drafts d ON d.id = p.draft_id "
        "WHERE d.league_id = :id ORDER BY p.number",
        **of_league,
    ):
        results.draft_picks.append((row["number"], row["franchise"], row["footballer_id"]))
    [league] = rows("SELECT champion, phase FROM draft_leagues WHERE league_id = :id", **of_league)
    results.champion, results.phase = league["champion"], league["phase"]
    return results
