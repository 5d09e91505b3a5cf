"""A season's tables computed a second time.

Slowly, in plain Python, from stat lines, team sheets and settings alone.

Nothing here is shared with the app: the numbers of the scoring rules, the roster formats,
substitution, transfers, ties and head-to-head are written down a second time, in another way (exact
fractions, search instead of arithmetic on arrays, loops over members).

plain_facts.py reads the facts, `recompute` gives the tables, `differences` a line for each number
of the app's own tables that differs.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.fantasy.seasons.plain_facts import Facts, League, Sheet, TeamRules
from tests.fantasy.seasons.plain_rules import STARTING, can_line_up


@dataclass
class Week:
    """`points` in whole thousandths. `total`, `rank`: after this gameweek."""

    points: int
    transfers: int
    match_points: int | None = None
    total: int = 0
    rank: int = 0


@dataclass
class Table:
    """`weeks`: week -> member.

    `final`: member -> rank, total, match points, of those who are in the league.
    """

    weeks: dict[int, dict[int, Week]] = field(default_factory=dict)
    final: dict[int, tuple[int, int, int]] = field(default_factory=dict)


def recompute(facts: Facts) -> dict[int, Table]:
    """The tables of every league."""
    season = _Season(facts)
    return {league_id: season.table(league_id) for league_id in facts.leagues}


class _Season:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.transfers = {
            (*key, week): sheet_transfers
            for key, sheets in facts.sheets.items()
            for week, sheet_transfers in _transfers(sheets, facts.team_rules[key[1]]).items()
        }
        self._points: dict[tuple[int, str, str], Fraction] = {}
        self._sheets: dict[tuple[int, int, int, str], Fraction] = {}

    def table(self, league_id: int) -> Table:
        league, table = self.facts.leagues[league_id], Table()
        for week in self.facts.weeks:
            present = {
                member: self.week(league_id, member, week)
                for member in self.counted(league_id, week)
            }
            for member, points in self.match_points(league_id, week, present).items():
                if member in present:
                    present[member].match_points = points
            table.weeks[week] = present
            for member, score in present.items():
                score.total = sum(
                    previous[member].points
                    for previous in table.weeks.values()
                    if member in previous
                )
            ranks = _ranks(
                {member: self.standing(league, table, member, week) for member in present}
            )
            for member, rank in ranks.items():
                present[member].rank = rank
        last = self.facts.weeks[-1]
        ranks = _ranks(
            {member: self.standing(league, table, member, last) for member in league.members}
        )
        for member in league.members:
            gameweeks = [weeks[member] for weeks in table.weeks.values() if member in weeks]
            won = sum(gameweek.match_points or 0 for gameweek in gameweeks)
            table.final[member] = ranks[member], sum(gameweek.points for gameweek in gameweeks), won
        return table

    def counted(self, league_id: int, week: int) -> set[int]:
        """Whose gameweek the league counts.

        Who has a sheet for it, and who was in it when it was settled.
        """
        league = self.facts.leagues[league_id]
        with_sheet = {
            member
            for member in league.members
            if week in self.facts.sheets.get((member, league.team_rules), {})
        }
        return self.facts.in_table[league_id, week] | with_sheet

    def week(self, league_id: int, member: int, week: int) -> Week:
        league = self.facts.leagues[league_id]
        points, transfers = Fraction(self.facts.adjusted[league_id, member, week]), 0
        if week in self.facts.sheets.get((member, league.team_rules), {}):
            points += self.sheet(member, league.team_rules, week, league.rules) * 1000
            transfers, cost = self.transfers[member, league.team_rules, week]
            points -= cost
        assert points.denominator == 1, "points come in whole thousandths"
        return Week(int(points), transfers)

    def sheet(self, member: int, team_rules: int, week: int, rules: str) -> Fraction:
        key = member, team_rules, week, rules
        if key not in self._sheets:
            self._sheets[key] = self.line_up(
                self.facts.sheets[member, team_rules][week],
                self.facts.team_rules[team_rules].format,
                week,
                rules,
            )
        return self._sheets[key]

    def line_up(self, sheet: Sheet, roster_format: str, week: int, rules: str) -> Fraction:
        """Everybody who counts, the captain twice.

        All games are over: who has no stat line did not play.
        """
        places = STARTING[roster_format]
        field_, bench = sheet.picks[: len(places)], sheet.picks[len(places) :]
        on = list(field_)
        for substitute in bench:
            if not self.has_played(week, substitute):
                continue
            for starter in field_:
                if starter not in on or self.has_played(week, starter):
                    continue
                changed = [substitute if player == starter else player for player in on]
                if can_line_up([self.facts.position[player] for player in changed], places):
                    on = changed
                    break
        total = sum((self.points(week, player, rules) for player in on), Fraction(0))
        for leader in (sheet.picks[sheet.captain - 1], sheet.picks[sheet.vice_captain - 1]):
            if self.has_played(week, leader):
                return total + self.points(week, leader, rules)
        return total

    def has_played(self, week: int, player: str) -> bool:
        return (week, player) in self.facts.played

    def points(self, week: int, player: str, rules: str) -> Fraction:
        key = week, player, rules
        if key not in self._points:
            worth = self.facts.printed[rules]
            self._points[key] = sum(
                (
                    Fraction(worth[stat]) * amount
                    for line in self.facts.played.get((week, player), [])
                    for stat, amount in line.items()
                    if stat in worth
                ),
                Fraction(0),
            )
        return self._points[key]

    def match_points(self, league_id: int, week: int, present: dict[int, Week]) -> dict[int, int]:
        if self.facts.leagues[league_id].mode != "head_to_head":
            return {}
        games = self.facts.games[league_id, week]
        everybody = [member for game in games for member in game if member is not None]
        assert len(everybody) == len(set(everybody)), "nobody plays twice in a gameweek"
        score = {
            member: Fraction(present[member].points if member in present else 0)
            for member in everybody
        }
        average = sum(score.values(), Fraction(0)) / len(everybody) if everybody else Fraction(0)
        won: dict[int, int] = {}
        for home, away in games:
            opponent = average if away is None else score[away]
            won[home] = 3 if score[home] > opponent else 1 if score[home] == opponent else 0
            if away is not None:
                won[away] = 3 if opponent > score[home] else 1 if score[home] == opponent else 0
        return won

    def standing(self, league: League, table: Table, member: int, week: int) -> tuple[int, ...]:
        """What a member is ranked by after this gameweek.

        More is better, the first that differs decides.
        """
        weeks = [number for number in self.facts.weeks if number <= week]
        gameweeks = [table.weeks[number].get(member) for number in weeks]
        total = sum(gameweek.points for gameweek in gameweeks if gameweek)
        by: list[int] = []
        if league.mode == "head_to_head":
            by.append(sum(gameweek.match_points or 0 for gameweek in gameweeks if gameweek))
        by.append(total)
        if league.ties == "fewest_transfers":
            by.append(-sum(gameweek.transfers for gameweek in gameweeks if gameweek))
        elif league.ties == "latest_gameweek":
            by += [gameweek.points if gameweek else 0 for gameweek in reversed(gameweeks)]
        return tuple(by)


def _transfers(sheets: dict[int, Sheet], rules: TeamRules) -> dict[int, tuple[int, int]]:
    """Transfers and their cost by week.

    The first sheet costs nothing; what is not used is saved up.
    """
    by_member: dict[int, tuple[int, int]] = {}
    before: Sheet | None = None
    saved, last = 0, 0
    for week in sorted(sheets):
        sheet = sheets[week]
        if before is None:
            by_member[week] = 0, 0
        else:
            transfers = len([player for player in sheet.picks if player not in before.picks])
            if rules.free is None:
                by_member[week] = transfers, 0
            else:
                # a week without a sheet gives its free ones too
                for _ in range(last + 1, week + 1):
                    saved = min(max(rules.bank, rules.free), saved + rules.free)
                by_member[week] = transfers, max(0, transfers - saved) * rules.cost
                saved = max(0, saved - transfers)
        before, last = sheet, week
    return by_member


def _ranks(standings: dict[int, tuple[int, ...]]) -> dict[int, int]:
    """1, 1, 2: who is equal in everything shares a rank."""
    better = sorted(set(standings.values()), reverse=True)
    return {member: better.index(standing) + 1 for member, standing in standings.items()}


def differences(session: Session, season: int, tables: dict[int, Table]) -> list[str]:
    """A line for each number of the app's tables that is not the one recomputed."""
    faults: list[str] = []
    weeks = {}
    for row in session.execute(
        text(
            "SELECT s.*, w.week FROM league_scores s JOIN gameweeks w ON w.id = s.gameweek_id"
            " WHERE w.season_id = :season ORDER BY s.league_id, w.week, s.member_id"
        ),
        {"season": season},
    ).mappings():
        weeks[row["league_id"], row["week"], row["member_id"]] = row
    for league, table in tables.items():
        for week, members in table.weeks.items():
            for member, gameweek in members.items():
                where = f"league {league}, gameweek {week}, member {member}"
                row = weeks.pop((league, week, member), None)
                if row is None:
                    faults.append(f"{where}: has no row, should have {gameweek}")
                    continue
                actual = Week(
                    row["points"], row["transfers"], row["match_points"], row["total"], row["rank"]
                )
                if actual != gameweek:
                    faults.append(f"{where}: {actual}, should be {gameweek}")
    faults += [f"a row for {key} that nothing accounts for" for key in weeks]
    return faults + _final_differences(session, season, tables)


def _final_differences(session: Session, season: int, tables: dict[int, Table]) -> list[str]:
    faults = []
    members: dict[int, dict[int, Any]] = defaultdict(dict)
    for row in session.execute(
        text(
            "SELECT m.*, l.mode FROM league_members m JOIN leagues l ON l.id = m.league_id WHERE "
            "l.season_id = :season"
        ),
        {"season": season},
    ).mappings():
        members[row["league_id"]][row["member_id"]] = row
    for league, table in tables.items():
        ranks = _ranks({member: tuple(row["standing"]) for member, row in members[league].items()})
        for member, row in members[league].items():
            won = row["standing"][0] if row["mode"] == "head_to_head" else 0
            actual = ranks[member], row["total_points"], won
            if actual != table.final[member]:
                faults.append(
                    f"league {league}, member {member}: {actual} at last, should be "
                    f"{table.final[member]}"
                )
    return faults
