"""Settling one match with a million guesses, against one bare UPDATE of the same rows.

PRODUCT C7 has the goal.

`python -m benchmarks.settlement` starts a PostgreSQL and a Valkey of its own in a temporary folder,
makes a tournament with so many members, and a guess of each for one match. Then, in turns: the
match is settled the way the worker does it (all of it: the closest guess, points, audit, key,
commit), and one `UPDATE tournament_points SET points = points + 1` is run over exactly the members
whose points the settlement moved. Between two rounds the table is vacuumed. Printed: the seconds of
each, their ratio, which is to be 3 at most, and the projection to Redis. The board is compared with
one that NumPy adds up from the guesses; a wrong one ends the run with an error.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import msgspec
import numpy as np
from sqlalchemy import text

from app import create_app
from app.core.db import db
from app.core.postgres.timeouts import Use
from app.predictions import keys
from app.predictions.models import Match, Round, Settlement, Team, Tournament
from app.predictions.points import PRESETS, PointRule
from app.predictions.projections import store as projections
from app.predictions.settlement import services as settlement
from app.predictions.settlement.wishes import payload
from app.settings import Settings
from workers.supervisor.start import running_stack

HOME, AWAY = 24, 17
KICKOFF = datetime(2026, 9, 13, 17, tzinfo=UTC)
END = KICKOFF + timedelta(hours=3)
HIGHEST = 45  # guesses are 0 to this
MOST_TIMES_THE_UPDATE = 3
# `every`: each guess earns something, so that each row is written; no settlement writes more.
RULES = {
    "every": PointRule(winner=100, margin=50, margin_within=200, closest=100, closest_least=25),
    **PRESETS,
}

_PLAYERS = """
    INSERT INTO members (username, display_name, password_hash)
    SELECT 'b' || n, 'Member ' || n, '-' FROM generate_series(1, :count) n;
    INSERT INTO players (id, display_name, member_id)
    SELECT gen_random_uuid(), display_name, id FROM members;
"""
_GUESSES = """
    ALTER TABLE guesses DISABLE TRIGGER guess_guard;
    INSERT INTO guesses (match_id, player_id, home, away, saved_at)
    SELECT :match_id, id, floor(random() * (:highest + 1))::int,
      floor(random() * (:highest + 1))::int, :saved_at
    FROM players;
    INSERT INTO tournament_points (tournament_id, player_id) SELECT :tournament_id, id FROM players;
    ALTER TABLE guesses ENABLE TRIGGER guess_guard;
"""


@dataclass(frozen=True)
class _World:
    tournament_id: UUID
    match_id: UUID


def _make_world(members: int, rule: PointRule) -> _World:
    with_seed = text("SELECT setseed(0.5)")
    tournament = Tournament(name="Benchmark", rule=msgspec.to_builtins(rule), is_simulated=True)
    db.session.add(tournament)
    db.session.flush()
    teams = [
        Team(tournament_id=tournament.id, external_id=name, name=name) for name in ("home", "away")
    ]
    round_ = Round(tournament_id=tournament.id, slug="week-1", name="Week 1", position=1)
    db.session.add_all([*teams, round_])
    db.session.flush()
    match = Match(
        tournament_id=tournament.id,
        round_id=round_.id,
        external_id="m1",
        home_id=teams[0].id,
        away_id=teams[1].id,
        kickoff=KICKOFF,
        status="open",
        provider_status="scheduled",
    )
    db.session.add(match)
    db.session.flush()
    values = {
        "count": members,
        "match_id": match.id,
        "tournament_id": tournament.id,
        "highest": HIGHEST,
        "saved_at": KICKOFF - timedelta(days=1),
    }
    db.session.execute(with_seed)
    for statement in filter(str.strip, (_PLAYERS + _GUESSES).split(";")):
        needed = {name: value for name, value in values.items() if f":{name}" in statement}
        db.session.execute(text(statement), needed)
    db.session.commit()
    _vacuum()
    return _World(tournament.id, match.id)


def _vacuum() -> None:
    """Vacuum as autovacuum would, so that every measurement begins with the same table."""
    db.session.rollback()
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM (FULL, ANALYZE) tournament_points"))
        connection.execute(text("VACUUM ANALYZE guesses"))
        connection.execute(text("CHECKPOINT"))


def _end_match(world: _World) -> None:
    """Write what the mapper writes, with the request to settle the match."""
    match = db.session.get(Match, world.match_id)
    assert match is not None
    match.status, match.provider_status, match.finished_at = "ended", "finished", END
    match.home_score, match.away_score = HOME, AWAY
    db.session.add(
        Settlement(
            key=keys.settlement_key(match.id, END),
            match_id=match.id,
            tournament_id=world.tournament_id,
            finished_at=END,
            payload=payload(match, END, "benchmark", END),
            requested_at=END,
        )
    )
    db.session.commit()


def _forget() -> None:
    """Restore the state before the end of the match."""
    for statement in (
        "DELETE FROM settlements",
        "DELETE FROM settlement_audit",
        "UPDATE matches SET status = 'open', terms = NULL, settled_at = NULL, finished_at = NULL",
        "UPDATE tournament_points SET points = 0 WHERE points <> 0",
    ):
        db.session.execute(text(statement))
    db.session.commit()
    _vacuum()


def _bare(world: _World) -> int:
    """Update the same rows once each: those with points, which the settlement moved."""
    done = db.session.execute(
        text(
            "UPDATE tournament_points SET points = points + 1 WHERE tournament_id = :tournament_id "
            "AND points <> 0"
        ),
        {"tournament_id": world.tournament_id},
    )
    db.session.commit()
    return int(done.rowcount)  # type: ignore[attr-defined]


def _seconds(work: Callable[[], int]) -> tuple[float, int]:
    begun = time.perf_counter()
    done = work()
    return time.perf_counter() - begun, done


def _expected(world: _World, rule: PointRule) -> np.ndarray:
    """Compute every member's points with NumPy, highest first."""
    rows = db.session.execute(
        text("SELECT home, away FROM guesses WHERE match_id = :id"), {"id": world.match_id}
    )
    home, away = np.array(rows.all(), np.int64).T
    db.session.rollback()
    off = np.abs((home - away) - (HOME - AWAY))
    both = np.abs(home - HOME) + np.abs(away - AWAY)
    right = np.sign(home - away) == np.sign(HOME - AWAY)
    parts = [
        np.where(right, rule.winner, 0),
        np.where(off <= rule.margin_within, rule.margin, 0),
        np.where(right & (both <= rule.close_within), rule.close, 0),
        np.where(both == 0, rule.exact, 0),
    ]
    total = np.max(parts, axis=0) if rule.counting == "best" else np.sum(parts, axis=0)
    closest = right & (off == off[right].min())
    share = max(rule.closest // int(closest.sum()), min(rule.closest, rule.closest_least))
    return np.sort(total + np.where(closest, share, 0))[::-1]


def _check(world: _World, rule: PointRule) -> None:
    points_held = np.array(
        db.session.scalars(text("SELECT points FROM tournament_points ORDER BY points DESC")).all(),
        np.int64,
    )
    db.session.rollback()
    right = _expected(world, rule)
    top = [entry.points for entry in projections.read_entries(world.tournament_id)[:10]]
    if (
        len(points_held) != len(right)
        or points_held.sum() != right.sum()
        or (points_held != right).any()
        or top != right[:10].tolist()
    ):
        sys.exit(
            f"The board is wrong: {points_held.sum()} points and {top} at the top, not "
            f"{right.sum()} and {right[:10]}."
        )
    print(
        f"The board is right: {len(points_held):,} members, {points_held.sum() / 100:,.2f} points, "
        f"top 10 {top}",
        flush=True,
    )


def _measure(world: _World, rule: PointRule, rounds: int) -> float:
    settling, touching, projecting = [], [], []
    for number in range(1, rounds + 1):
        _end_match(world)
        taken, moved = _seconds(lambda: settlement.settle(world.tournament_id, END, END).players)
        settling.append(taken)
        projecting.append(_seconds(lambda: projections.project(world.tournament_id))[0])
        if number == 1:
            _check(world, rule)
        _vacuum()
        taken, touched = _seconds(lambda: _bare(world))
        touching.append(taken)
        if moved != touched:
            sys.exit(
                f"The settlement moved {moved} members, the bare UPDATE {touched}: they cannot be "
                "compared."
            )
        print(
            f"round {number}: {moved:,} members moved; settled in {settling[-1]:.2f} s, bare "
            f"UPDATE {taken:.2f} s, "
            f"{settling[-1] / taken:.2f} times as long; projected in {projecting[-1]:.2f} s",
            flush=True,
        )
        _forget()
    ratio = statistics.median(settling) / statistics.median(touching)
    print(
        f"median: settled in {statistics.median(settling):.2f} s, bare UPDATE "
        f"{statistics.median(touching):.2f} s, "
        f"ratio {ratio:.2f} (3 at most)"
    )
    return ratio


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--guesses", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rule", choices=list(RULES), default="every")
    arguments = parser.parse_args()
    rule = RULES[arguments.rule]
    with (
        tempfile.TemporaryDirectory(prefix="pressbox-settlement-") as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as settings,
        # Connect as the owner of the tables, who may vacuum them.
        create_app(replace(settings, database_url=settings.owner_url), Use.UPKEEP).app_context(),
    ):
        world = _make_world(arguments.guesses, rule)
        print(f"{arguments.guesses:,} guesses of one match, rule {arguments.rule!r}", flush=True)
        if _measure(world, rule, arguments.rounds) > MOST_TIMES_THE_UPDATE:
            sys.exit(
                f"Settling took more than {MOST_TIMES_THE_UPDATE} times as long as the bare UPDATE."
            )


if __name__ == "__main__":
    main()
