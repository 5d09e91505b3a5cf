"""What came of a day (day.py).

Its rows without names and numbers that the database gives, and the checks that hold for every day
whatever was broken: nothing lost, nothing doubled, and what is built anew from the messages is the
same.
"""

from __future__ import annotations

from flask import current_app
from sqlalchemy import text

from app.boards.models import Mode
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from app.fantasy.gameweeks import refreshing
from app.ops.drills import rebuild_records
from app.record import verification
from app.record.rebuild import Stream
from app.settings import Settings
from app.stream.signing import StreamKeys
from tests.cluster.day import GAMES, MEMBERS, SCORES, Day
from tests.waiting import until
from tests.worlds.score_log import check_boards

Tables = dict[str, list[str]]

# Each gives a text a row; a name of the day's begins with :name, which is taken out.
_TABLES = {
    "events": (
        "SELECT game_id, event_number, revision, play_number, type, body FROM events WHERE game_id "
        "LIKE :games"
    ),
    "ledger": """
        SELECT game_id, player_id, stat, sum(amount) FROM ledger WHERE game_id LIKE :games
          AND closed_at IS NULL
        GROUP BY 1, 2, 3""",
    "stat lines": (
        "SELECT game_id, player_id, stats, held FROM stat_lines WHERE game_id LIKE :games"
    ),
    "points": (
        "SELECT game_id, player_id, rules, points, held FROM player_points WHERE game_id LIKE "
        ":games"
    ),
    "states": (
        "SELECT game_id, status, home_score, away_score FROM game_states WHERE game_id LIKE :games"
    ),
    "team sheets": """
        SELECT m.username, w.week, s.picks, s.captain, s.vice_captain FROM team_sheets s
        JOIN members m ON m.id = s.member_id JOIN gameweeks w ON w.id = s.gameweek_id
          WHERE m.username LIKE :games""",
    "gameweeks": """
        SELECT m.username, w.week, s.points, s.held, s.total, s.rank FROM league_scores s
        JOIN members m ON m.id = s.member_id JOIN gameweeks w ON w.id = s.gameweek_id
          WHERE m.username LIKE :games""",
    "season": """
        SELECT m.username, l.total_points FROM league_members l JOIN members m ON m.id = l.member_id
        WHERE m.username LIKE :games""",
    "settled": """
        SELECT w.week, w.settled_at IS NOT NULL FROM gameweeks w JOIN seasons s
          ON s.id = w.season_id
        WHERE s.competition = :name""",
    "guesses": """
        SELECT m.username, h.external_id, g.home, g.away FROM guesses g JOIN matches h
          ON h.id = g.match_id
        JOIN players p ON p.id = g.player_id JOIN members m ON m.id = p.member_id
          WHERE m.username LIKE :games""",
    "tournament": """
        SELECT m.username, t.points FROM tournament_points t JOIN players p ON p.id = t.player_id
        JOIN members m ON m.id = p.member_id WHERE m.username LIKE :games""",
    "attempts": """
        SELECT m.username, a.score, a.fraud_state FROM score_attempts a JOIN players p
          ON p.id = a.player_id
        JOIN members m ON m.id = p.member_id WHERE m.username LIKE :games""",
    "boards": """
        SELECT split_part(b.window_id, ':', 1), m.username, s.score
        FROM board_scores s JOIN boards b ON b.id = s.board_id
        JOIN players p ON p.id = s.player_id JOIN members m ON m.id = p.member_id
          WHERE m.username LIKE :games""",
    "notices": """
        SELECT m.username, n.kind, n.title FROM notices n JOIN members m ON m.id = n.member_id
        WHERE m.username LIKE :games AND n.kind = 'result'""",
    "audit": """
        SELECT a.act, a.subject, a.details FROM audit_entries a
        WHERE a.subject LIKE '%' || :games OR a.subject LIKE '%:' || :games""",
}


def tables(day: Day) -> Tables:
    """Every row that came of the day, sorted."""
    values = {"name": day.name, "games": f"{day.name}-%"}
    facts = {
        name: sorted(
            str(tuple(row)).replace(f"{day.name}-", "").replace(day.name, "") for row in rows
        )
        for name, statement in _TABLES.items()
        for rows in [
            db.session.execute(
                text(statement), {k: v for k, v in values.items() if f":{k}" in statement}
            )
        ]
    }
    db.session.rollback()
    return facts


def until_shown(day: Day, seconds: float = 300) -> None:
    """Return once everything acknowledged is in all stores and week 1 is settled.

    That is in the record, on the boards and in the tables.
    """
    values = {
        "games": f"{day.name}-%",
        "name": day.name,
        "mode": day.mode_id,
        "tournament": day.tournament_id,
    }

    def count(statement: str) -> int:
        return int(db.session.scalar(text(statement), values) or 0)

    entered = sum(day.steps)
    recorded = "SELECT count(*) FROM events WHERE game_id LIKE :games AND revision = 0"
    until(
        lambda: count(recorded) >= entered, f"{entered} events of {day.name} in the record", seconds
    )
    attempts = "SELECT count(*) FROM score_attempts WHERE mode_id = :mode"
    until(lambda: count(attempts) >= SCORES, f"{SCORES} scores of {day.name} stored", seconds)
    until(
        lambda: not refreshing.gameweeks_behind(),
        "every gameweek's tables brought up to date",
        seconds,
    )
    settled = """
        SELECT count(*) FROM gameweeks w JOIN seasons s ON s.id = w.season_id
        WHERE s.competition = :name AND w.week = 1 AND w.settled_at IS NOT NULL"""
    until(lambda: count(settled) == 1, f"week 1 of {day.name} settled", seconds)
    matches = (
        "SELECT count(*) FROM matches WHERE tournament_id = :tournament AND settled_at IS NOT NULL"
    )
    until(lambda: count(matches) == GAMES, f"{GAMES} matches of {day.name} settled", seconds)
    stale = "SELECT count(*) FROM boards WHERE mode_id = :mode AND stale_since IS NOT NULL"
    until(lambda: count(stale) == 0, f"the boards of {day.name} in Redis", seconds)


def lost_and_doubled(day: Day) -> tuple[int, int]:
    """Of what was acknowledged: how much is not there, and how much counts more than once."""
    events = dict(
        db.session.execute(
            text(
                "SELECT game_id, count(*) FROM events WHERE game_id LIKE :games AND revision = 0 "
                "GROUP BY 1"
            ),
            {"games": f"{day.name}-%"},
        ).all()
    )
    apart = [events.get(game, 0) - steps for game, steps in zip(day.games, day.steps, strict=True)]
    totals = dict(
        db.session.execute(
            text("""
                SELECT s.player_id, s.score FROM board_scores s JOIN boards b ON b.id = s.board_id
                WHERE b.mode_id = :mode AND b.window_id = 'all-time'"""),
            {"mode": day.mode_id},
        ).all()
    )
    db.session.rollback()
    for number, player in enumerate(day.players):
        expected = sum(10 + n for n in range(number, SCORES, MEMBERS))
        apart.append(totals.get(player, 0) - expected)
    return sum(-difference for difference in apart if difference < 0), sum(
        difference for difference in apart if difference > 0
    )


def check_rebuilt(day: Day) -> None:
    """Messages and tables agree.

    The record built anew from them is the same, and so is each board.
    """
    settings: Settings = current_app.config["PRESSBOX"]
    before = tables(day)
    for game in day.games:
        now = clock.now()
        differences = verification.verify(
            game, Stream(settings, blob_store(), now), now, StreamKeys.of(settings), None
        )
        assert differences.faults == [], differences.faults
    db.session.rollback()
    rebuilt = rebuild_records(day.games, settings, lambda _: None)
    assert (len(rebuilt.done), rebuilt.refused) == (GAMES, [])
    until(lambda: not refreshing.gameweeks_behind(), "every gameweek's tables brought up to date")
    assert tables(day) == before
    check_boards(db.session.get_one(Mode, day.mode_id))
