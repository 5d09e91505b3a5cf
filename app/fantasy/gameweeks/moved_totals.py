"""Which team totals a change of footballers' points would move, and by how much. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.engine.footballers import terms_of_gameweek, totals_now
from app.fantasy.engine.ownership import Ownership, rise_of
from app.fantasy.standings.models import DRAFT, League
from app.fantasy.standings.preview import Score, playoff_changes

# More teams are only counted, because a scorer waits for the answer before the next key.
WORKED_OUT = 20_000
# Each takes about ten statements.
LEAGUES_WORKED_OUT = 50


@dataclass(frozen=True)
class MovedTotals:
    """How many teams' totals rise by the same amount.

    `by`: thousandths; `leagues`: how many leagues these teams play in.
    """

    by: int
    teams: int
    leagues: int


@dataclass(frozen=True)
class Totals:
    """The teams that have one of the footballers, and what becomes of their totals.

    Attributes:
        teams: How many there are. A team whose footballer is on the bench does not move.
        moved: The largest changes first, a rise before an equal fall; None if there are more teams
            than WORKED_OUT.
        playoffs: In how many draft leagues other teams would reach the play-offs, meet there or win
            them; None if more than LEAGUES_WORKED_OUT would have to be worked out. 0 until the
            gameweek is settled: places are open as long as it is played.
    """

    teams: int
    moved: list[MovedTotals] | None
    playoffs: int | None = 0


_TEAMS = text("""
    SELECT w.id AS gameweek_id, count(*) AS teams
    FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
    JOIN team_sheets t ON t.gameweek_id = w.id AND t.picks && CAST(:players AS text[])
    WHERE g.id = :game GROUP BY w.id
""")

_SHEETS = text("""
    SELECT id, team_rules_id, picks, captain, vice_captain FROM team_sheets
    WHERE gameweek_id = :gameweek AND picks && CAST(:players AS text[]) ORDER BY id
""")

_RISES = """
    FROM unnest(CAST(:sheets AS bigint[]), CAST(:rules AS text[]), CAST(:rises AS bigint[]))
      AS s (id, rules, rise)
    JOIN team_sheets t ON t.id = s.id
    JOIN leagues l ON l.team_rules_id = t.team_rules_id AND l.rules = s.rules
    JOIN league_members m ON m.league_id = l.id AND m.member_id = t.member_id
"""
_MOVED = text(f"""
    SELECT s.rise, count(DISTINCT t.id), count(DISTINCT l.id) {_RISES}
    GROUP BY s.rise ORDER BY abs(s.rise) DESC, s.rise DESC
""")
_DRAFT_SCORES = text(f"""
    SELECT l.id AS league_id, t.gameweek_id, t.member_id, s.rise {_RISES}
    JOIN gameweeks w ON w.id = t.gameweek_id AND w.settled_at IS NOT NULL
    WHERE l.game = :draft
""")


def moved_totals(game_id: str, gains: Mapping[str, Mapping[str, int]]) -> Totals:
    """What becomes of the team totals of the game's gameweek if points rise.

    Line-ups count as they do now: a substitute who comes on because of the change is not foreseen.

    Args:
        game_id: The game.
        gains: What each footballer gains, in thousandths, by scoring rules (scoring/points.py:
            point_changes).
    """
    players = sorted({player for by_player in gains.values() for player in by_player})
    row = db.session.execute(_TEAMS, {"game": game_id, "players": players}).one_or_none()
    if row is None:
        return Totals(0, [])
    if row.teams > WORKED_OUT:
        return Totals(row.teams, None)
    rises = _rises(row.gameweek_id, players, gains)
    totals = [MovedTotals(*total) for total in db.session.execute(_MOVED, rises)]
    return Totals(row.teams, totals, _changed_playoffs(rises))


def _changed_playoffs(values: Mapping[str, object]) -> int | None:
    """As `Totals.playoffs`."""
    gains: dict[int, dict[Score, int]] = defaultdict(dict)
    for row in db.session.execute(_DRAFT_SCORES, {**values, "draft": DRAFT}):
        gains[row.league_id][row.gameweek_id, row.member_id] = row.rise
    if len(gains) > LEAGUES_WORKED_OUT:
        return None
    leagues = db.session.scalars(select(League).where(League.id.in_(gains)))
    return sum(bool(playoff_changes(league, gains[league.id])) for league in leagues)


def _rises(
    gameweek_id: int, players: Sequence[str], gains: Mapping[str, Mapping[str, int]]
) -> dict[str, list[Any]]:
    """Sheet, scoring rules and rise of every sheet that would move, as _RISES reads them."""
    by_team_rules: dict[int, list[Any]] = defaultdict(list)
    values = {"gameweek": gameweek_id, "players": players}
    for sheet in db.session.execute(_SHEETS, values):
        by_team_rules[sheet.team_rules_id].append(sheet)
    rises: dict[str, list[Any]] = {"sheets": [], "rules": [], "rises": []}
    for terms in terms_of_gameweek(gameweek_id):
        sheets = by_team_rules[terms.team_rules_id]
        if not sheets or terms.rules not in gains:
            continue
        multipliers = totals_now(Ownership.of(terms.format, sheets), terms).multipliers.tolist()
        for sheet, row in zip(sheets, multipliers, strict=True):
            if rise := rise_of(sheet.picks, row, gains[terms.rules]):
                rises["sheets"].append(sheet.id)
                rises["rules"].append(terms.rules)
                rises["rises"].append(rise)
    return rises
