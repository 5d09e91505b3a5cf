"""Which team totals a change of footballers' points would move, and by how much. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db

# More are only counted: whoever asks waits for the answer with a hand on a key.
WORKED_OUT = 20_000


@dataclass(frozen=True)
class MovedTotals:
    """`by`: how many thousandths the totals rise; `teams` by as much, in so many `leagues`."""

    by: int
    teams: int
    leagues: int


@dataclass(frozen=True)
class Totals:
    """`teams` have one of the footballers.

    `moved`: the widest first, a rise before a fall; None where there are more teams than
    WORKED_OUT. A team whose footballer is on the bench does not move. Among `teams` but not in
    `moved`: teams whose sheet has no points yet, because no refresh of the gameweek has worked them
    out.
    """

    teams: int
    moved: list[MovedTotals] | None


_TEAMS = text("""
    SELECT count(*) FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
    JOIN team_sheets t ON t.gameweek_id = w.id AND t.picks && CAST(:players AS text[])
      WHERE g.id = :game
""")

# Its sheets' points are not written, and so not how often each place counts.
_DEFERRED = text("""
    SELECT EXISTS (SELECT FROM games g JOIN gameweeks w USING (competition, season, season_type,
      week)
      JOIN deferred_gameweeks d ON d.gameweek_id = w.id WHERE g.id = :game)
""")

# How often each place of a sheet counts was worked out with its points (sheet_points.py). A sheet
# that has no points yet is left out: its total does move once the next refresh works it out, but by
# how much is not foretold. That is so from the first play that touches one of its footballers until
# the refresh that follows, seconds as a rule.
_MOVED = text("""
    WITH risen AS (
      SELECT * FROM unnest(CAST(:rules AS text[]), CAST(:players AS text[]),
        CAST(:risen AS bigint[]))
        AS r (rules, player, risen)
    ), sheets AS (
      SELECT t.id, t.member_id, t.team_rules_id, p.rules, sum(r.risen * places.times) AS risen
      FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
      JOIN team_sheets t ON t.gameweek_id = w.id AND t.picks && CAST(:players AS text[])
      JOIN sheet_points p ON p.team_sheet_id = t.id
      CROSS JOIN unnest(t.picks, p.multipliers) AS places (player, times)
      JOIN risen r ON r.rules = p.rules AND r.player = places.player
      WHERE g.id = :game GROUP BY t.id, p.rules
    )
    SELECT s.risen, count(DISTINCT s.id), count(DISTINCT l.id)
    FROM sheets s JOIN leagues l ON l.team_rules_id = s.team_rules_id AND l.rules = s.rules
    JOIN league_members m ON m.league_id = l.id AND m.member_id = s.member_id
    WHERE s.risen <> 0 GROUP BY s.risen ORDER BY abs(s.risen) DESC, s.risen DESC
""")


def moved_totals(game_id: str, risen: Mapping[str, Mapping[str, int]]) -> Totals:
    """What becomes of the team totals of the game's gameweek when points rise (scoring/points.py:
    point_changes).

    As line-ups count now: who comes in from the bench because somebody has played after all is not
    foreseen.
    """
    rows = [
        (rules, player, by) for rules, players in risen.items() for player, by in players.items()
    ]
    players = sorted({player for _, player, _ in rows})
    teams = (
        int(db.session.scalar(_TEAMS, {"game": game_id, "players": players}) or 0) if players else 0
    )
    if not teams or teams > WORKED_OUT or db.session.scalar(_DEFERRED, {"game": game_id}):
        return Totals(teams, None if teams else [])
    rules, named, by = zip(*rows, strict=True)
    found = db.session.execute(
        _MOVED, {"game": game_id, "rules": list(rules), "players": list(named), "risen": list(by)}
    )
    return Totals(
        teams, [MovedTotals(int(risen), teams, leagues) for risen, teams, leagues in found]
    )
